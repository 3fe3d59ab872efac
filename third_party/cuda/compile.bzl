"""The rules behind cuda_library.bzl: one nvcc action for each .cu file."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")

_CC_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

def _gencode(arch):
    name = arch.replace("+ptx", "")
    code = "sm_" + name
    if arch.endswith("+ptx"):
        code = "[sm_%s,compute_%s]" % (name, name)
    return "-gencode=arch=compute_%s,code=%s" % (name, code)

def _archs(ctx):
    extra = ctx.attr.extra_archs
    more = extra[BuildSettingInfo].value if extra else []
    return ctx.attr.archs + [a for a in more if a and a not in ctx.attr.archs]

def _compile_context(ctx):
    """The compilation context of a target's own headers and its deps."""

    # Quoted includes are spelled from the root of the repository that owns the
    # target; nvcc has no -iquote, so these become -I.
    root = ctx.label.workspace_root
    bin_root = ctx.bin_dir.path + ("/" + root if root else "")
    own = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        quote_includes = depset([root or ".", bin_root]),
    )
    return cc_common.merge_cc_infos(
        direct_cc_infos = [CcInfo(compilation_context = own)],
        cc_infos = [d[CcInfo] for d in ctx.attr.deps + [ctx.attr._headers]],
    )

def _nvcc(ctx, toolchain, features, compilation, src, out, flags):
    """Declares the action that compiles `src` to `out`."""
    args = ctx.actions.args()
    args.add_all(flags)
    args.add("-ccbin", cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = "c++-compile",
    ))
    args.add("-Xcompiler=-fPIC")

    # nvcc names its temporaries by process id, which is not unique in a
    # sandbox's /tmp: keep them beside the object.
    args.add("-objtemp")
    args.add("-std=c++17")
    args.add("-lineinfo")
    if ctx.var["COMPILATION_MODE"] == "dbg":
        args.add("-g")
    else:
        args.add_all(["-O3", "-DNDEBUG"])
    args.add_all(ctx.attr.copts)
    args.add_all(ctx.attr.local_defines, before_each = "-D")
    args.add_all(compilation.defines, before_each = "-D")
    args.add_all(compilation.quote_includes, before_each = "-I")
    args.add_all(compilation.includes, before_each = "-I")
    args.add_all(compilation.system_includes, before_each = "-isystem")
    args.add(src)
    args.add("-o", out)
    ctx.actions.run(
        executable = ctx.executable._nvcc,
        arguments = [args],
        inputs = depset(
            ctx.files.srcs,
            transitive = [compilation.headers, toolchain.all_files],
        ),
        tools = ctx.files._toolkit,
        outputs = [out],
        env = {"PATH": "/usr/bin:/bin"},
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s for %s" % (src.short_path, ctx.label),
    )

def _toolchain(ctx):
    toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    return toolchain, features

def _cuda_library_impl(ctx):
    toolchain, features = _toolchain(ctx)
    merged = _compile_context(ctx)
    flags = [_gencode(a) for a in _archs(ctx)] + ["-c"]
    objects = []
    for src in ctx.files.srcs:
        if src.extension != "cu":
            continue
        name = "_objs/%s/%s.pic.o" % (ctx.label.name, src.basename[:-3])
        obj = ctx.actions.declare_file(name)
        _nvcc(ctx, toolchain, features, merged.compilation_context, src, obj, flags)
        objects.append(obj)
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            pic_objects = depset(objects),
        ),
        linking_contexts = [merged.linking_context],
        alwayslink = ctx.attr.alwayslink,
        disallow_dynamic_library = True,
    )
    return [
        DefaultInfo(files = depset(objects)),
        CcInfo(
            compilation_context = merged.compilation_context,
            linking_context = linking,
        ),
    ]

def _cuda_ptx_impl(ctx):
    toolchain, features = _toolchain(ctx)
    sources = [f for f in ctx.files.srcs if f.extension == "cu"]
    if len(sources) != 1:
        fail("cuda_ptx takes exactly one .cu file")
    out = ctx.actions.declare_file(ctx.label.name + ".ptx")
    flags = ["-arch=compute_" + ctx.attr.arch, "-ptx"]
    context = _compile_context(ctx).compilation_context
    _nvcc(ctx, toolchain, features, context, sources[0], out, flags)
    return [DefaultInfo(
        files = depset([out]),
        runfiles = ctx.runfiles(files = [out]),
    )]

_ATTRS = {
    "srcs": attr.label_list(allow_files = [".cu", ".cuh", ".h"]),
    "hdrs": attr.label_list(allow_files = [".cuh", ".h"]),
    "deps": attr.label_list(providers = [CcInfo]),
    "copts": attr.string_list(),
    "local_defines": attr.string_list(),
    "_headers": attr.label(default = "@local_cuda//:headers"),
    "_nvcc": attr.label(
        default = "@local_cuda//:nvcc",
        allow_single_file = True,
        executable = True,
        cfg = "exec",
    ),
    "_toolkit": attr.label(default = "@local_cuda//:toolkit_files"),
    "_cc_toolchain": attr.label(
        default = "@bazel_tools//tools/cpp:current_cc_toolchain",
    ),
}

_LIBRARY_ATTRS = {
    "alwayslink": attr.bool(),
    "archs": attr.string_list(
        mandatory = True,
        allow_empty = False,
        doc = "-gencode entries: '90a', or '100f+ptx' to embed the PTX too",
    ),
    "extra_archs": attr.label(
        providers = [BuildSettingInfo],
        doc = "a string_list_flag that adds entries on the command line",
    ),
}
_LIBRARY_ATTRS.update(_ATTRS)

_PTX_ATTRS = {"arch": attr.string(mandatory = True, doc = "such as '100f'")}
_PTX_ATTRS.update(_ATTRS)

cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = _LIBRARY_ATTRS,
    fragments = ["cpp"],
    toolchains = [_CC_TOOLCHAIN_TYPE],
)

cuda_ptx = rule(
    implementation = _cuda_ptx_impl,
    attrs = _PTX_ATTRS,
    fragments = ["cpp"],
    toolchains = [_CC_TOOLCHAIN_TYPE],
)
