"""The rules behind cuda_library.bzl: one nvcc action for each .cu file."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain")

_CC_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

CudaPtxInfo = provider(
    doc = "The PTX that the objects of a cuda_library were assembled from.",
    fields = {"ptx": "{architecture, such as '90a': {.cu file: its .ptx file}}"},
)

def _ptx_arch(arch):
    return arch.replace("+ptx", "")

def _gencode(arch):
    name = _ptx_arch(arch)
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

def _nvcc(ctx, toolchain, features, compilation, src, out, flags, ptx = {}):
    """Declares the action that compiles `src` to `out`.

    Args:
      ctx: the rule's.
      toolchain: of C++.
      features: of that toolchain.
      compilation: the compilation context.
      src: a .cu file.
      out: an object, or PTX.
      flags: which of the two, and for which architectures.
      ptx: {architecture: where to put the PTX made on the way to an object}.
    """
    args = ctx.actions.args()
    args.add(out.path + ".intermediate")
    args.add_all(["%s=%s" % (arch, f.path) for arch, f in ptx.items()])
    args.add("--")
    args.add(ctx.executable._nvcc)
    args.add_all(flags)
    args.add("-ccbin", cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = "c++-compile",
    ))
    args.add("-Xcompiler=-fPIC")
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
        executable = ctx.executable._compile,
        arguments = [args],
        inputs = depset(
            ctx.files.srcs,
            transitive = [compilation.headers, toolchain.all_files],
        ),
        tools = ctx.files._nvcc + ctx.files._toolkit,
        outputs = [out] + ptx.values(),
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
    ptx = {_ptx_arch(a): {} for a in _archs(ctx)}
    for src in ctx.files.srcs:
        if src.extension != "cu":
            continue
        base = "_objs/%s/%s" % (ctx.label.name, src.basename[:-3])
        obj = ctx.actions.declare_file(base + ".pic.o")
        for arch, files in ptx.items():
            name = "%s.compute_%s.ptx" % (base, arch)
            files[src] = ctx.actions.declare_file(name)
        _nvcc(
            ctx,
            toolchain,
            features,
            merged.compilation_context,
            src,
            obj,
            flags,
            ptx = {arch: files[src] for arch, files in ptx.items()},
        )
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
        CudaPtxInfo(ptx = ptx),
        CcInfo(
            compilation_context = merged.compilation_context,
            linking_context = linking,
        ),
    ]

def _ptx_files(ctx, files):
    return [DefaultInfo(
        files = depset(files),
        runfiles = ctx.runfiles(files = files),
    )]

def _cuda_library_ptx_impl(ctx):
    ptx = ctx.attr.library[CudaPtxInfo].ptx
    if ctx.attr.arch not in ptx:
        fail("%s is compiled for %s, not for %s" % (
            ctx.attr.library.label,
            ", ".join(ptx.keys()),
            ctx.attr.arch,
        ))
    files = ptx[ctx.attr.arch]
    outs = []
    for src, kept in files.items():
        name = ctx.label.name
        if len(files) > 1:
            name += "/" + src.basename[:-3]
        out = ctx.actions.declare_file(name + ".ptx")
        ctx.actions.symlink(output = out, target_file = kept)
        outs.append(out)
    return _ptx_files(ctx, outs)

def _cuda_ptx_impl(ctx):
    toolchain, features = _toolchain(ctx)
    sources = [f for f in ctx.files.srcs if f.extension == "cu"]
    if len(sources) != 1:
        fail("cuda_ptx takes exactly one .cu file")
    out = ctx.actions.declare_file(ctx.label.name + ".ptx")
    flags = ["-arch=compute_" + ctx.attr.arch, "-ptx"]
    context = _compile_context(ctx).compilation_context
    _nvcc(ctx, toolchain, features, context, sources[0], out, flags)
    return _ptx_files(ctx, [out])

_ATTRS = {
    "srcs": attr.label_list(allow_files = [".cu", ".cuh", ".h"]),
    "hdrs": attr.label_list(allow_files = [".cuh", ".h"]),
    "deps": attr.label_list(providers = [CcInfo]),
    "copts": attr.string_list(),
    "local_defines": attr.string_list(),
    "_compile": attr.label(
        default = "//third_party/cuda:nvcc.sh",
        allow_single_file = True,
        executable = True,
        cfg = "exec",
    ),
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

cuda_library_ptx = rule(
    implementation = _cuda_library_ptx_impl,
    attrs = {
        "library": attr.label(mandatory = True, providers = [CudaPtxInfo]),
        "arch": attr.string(mandatory = True, doc = "one of its archs: '90a'"),
    },
)

cuda_ptx = rule(
    implementation = _cuda_ptx_impl,
    attrs = _PTX_ATTRS,
    fragments = ["cpp"],
    toolchains = [_CC_TOOLCHAIN_TYPE],
)
