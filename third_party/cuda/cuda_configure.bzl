"""Finds a CUDA Toolkit on this machine; writes a stub when there is none."""

_SETTING = """load("@bazel_skylib//rules:common_settings.bzl", "bool_setting")
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

bool_setting(
    name = "toolkit_found",
    build_setting_default = %s,
)

config_setting(
    name = "found",
    flag_values = {":toolkit_found": "True"},
)
"""

_STUB_BUILD = """
cc_library(name = "headers")

cc_library(name = "cccl")

cc_library(name = "cudart_static")

filegroup(
    name = "nvcc",
    srcs = ["no_nvcc.sh"],
)

filegroup(name = "toolkit_files")
"""

_BUILD = """
# CUB, Thrust and libcu++ are 1,700 of the 2,000 headers, and Bazel links every
# input of an action into its sandbox. Nothing of the rest needs them but
# cooperative_groups.h; cuda_fp16.h needs nv/target.
_CCCL = [
    "cuda/include/cccl/**",  # CUDA 13
    "cuda/include/cub/**",  # CUDA 12
    "cuda/include/cuda/**",
    "cuda/include/thrust/**",
]

_HEADERS = glob(
    ["cuda/include/**"],
    exclude = _CCCL,
) + glob(
    ["cuda/include/cccl/nv/**"],
    allow_empty = True,
)

cc_library(
    name = "headers",
    hdrs = _HEADERS,
    includes = ["cuda/include"],
)

cc_library(
    name = "cccl",
    hdrs = glob(
        _CCCL,
        allow_empty = True,
    ),
    includes = ["cuda/include/cccl"],
    deps = [":headers"],
)

cc_library(
    name = "cudart_static",
    srcs = ["cuda/lib/libcudart_static.a"],
    linkopts = [
        "-ldl",
        "-lpthread",
        "-lrt",
    ],
    deps = [":headers"],
)

filegroup(
    name = "nvcc",
    srcs = ["cuda/bin/nvcc"],
)

filegroup(
    name = "toolkit_files",
    srcs = glob([
        "cuda/bin/**",
        "cuda/nvvm/**",
    ]) + _HEADERS,
)
"""

# Where toolkits keep their libraries: x86-64, servers on Arm, Debian's own.
_LIBRARY_FOLDERS = [
    "lib64",
    "targets/x86_64-linux/lib",
    "targets/sbsa-linux/lib",
    "targets/aarch64-linux/lib",
    "lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
    "lib",
]

def _root(ctx):
    for var in ["CUDA_PATH", "CUDA_HOME"]:
        value = ctx.os.environ.get(var, "")
        if value:
            return ctx.path(value)
    default = ctx.path("/usr/local/cuda")
    if default.exists:
        return default
    nvcc = ctx.which("nvcc")
    return nvcc.realpath.dirname.dirname if nvcc else None

def _libraries(ctx, root):
    for folder in _LIBRARY_FOLDERS:
        path = ctx.path(str(root) + "/" + folder)
        if path.get_child("libcudart_static.a").exists:
            return path
    return None

def _impl(ctx):
    root = _root(ctx)
    nvcc = root.get_child("bin").get_child("nvcc") if root else None
    libraries = _libraries(ctx, root) if nvcc and nvcc.exists else None
    if not libraries:
        ctx.file("BUILD", _SETTING % False + _STUB_BUILD)
        ctx.file(
            "no_nvcc.sh",
            "#!/bin/sh\necho 'no CUDA Toolkit was found: install one, or set CUDA_PATH' >&2\nexit 1\n",
            executable = True,
        )
        return
    for folder in ["bin", "include", "nvvm"]:
        if root.get_child(folder).exists:
            ctx.symlink(root.get_child(folder), "cuda/" + folder)
    ctx.symlink(libraries, "cuda/lib")
    ctx.file("BUILD", _SETTING % True + _BUILD)

cuda_configure = repository_rule(
    implementation = _impl,
    environ = [
        "CUDA_PATH",
        "CUDA_HOME",
    ],
    local = True,
    configure = True,
)
