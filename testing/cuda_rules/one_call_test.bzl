"""That a library and its PTX come out of one call of nvcc."""

load(":nvcc_calls.bzl", "NvccCalls", "nvcc_calls")

def _impl(ctx):
    library = len(ctx.attr.library[NvccCalls].argvs)
    ptx = len(ctx.attr.ptx[NvccCalls].argvs)
    return [AnalysisTestResultInfo(
        success = library == 1 and ptx == 0,
        message = "%s calls nvcc %d times, %s %d times" % (
            ctx.attr.library.label,
            library,
            ctx.attr.ptx.label,
            ptx,
        ),
    )]

# `library` has one .cu file.
one_call_test = rule(
    implementation = _impl,
    attrs = {
        "library": attr.label(mandatory = True, aspects = [nvcc_calls]),
        "ptx": attr.label(mandatory = True, aspects = [nvcc_calls]),
    },
    analysis_test = True,
    test = True,
)
