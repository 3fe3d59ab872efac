"""That a flag on the command line reaches the nvcc of a kernel."""

load(":nvcc_calls.bzl", "NvccCalls", "nvcc_calls")

_FLAG = str(Label("//kernels/blackwell:extra_archs"))

_WANTED = [
    "-gencode=arch=compute_100f,code=[sm_100f,compute_100f]",
    "-gencode=arch=compute_103a,code=sm_103a",
]

def _impl(ctx):
    kernel = ctx.attr.kernel

    # Bazel 4 gives a list behind any transition.
    target = kernel[0] if type(kernel) == "list" else kernel
    argvs = target[NvccCalls].argvs
    missing = [w for argv in argvs for w in _WANTED if w not in argv]
    return [AnalysisTestResultInfo(
        success = len(argvs) == 1 and not missing,
        message = "%d calls of nvcc, which lack %s" % (len(argvs), missing),
    )]

# Analyses `kernel` as under --//kernels/blackwell:extra_archs=103a. (Not
# Skylib's analysistest, which needs a toolchain registered in WORKSPACE.)
extra_archs_flag_test = rule(
    implementation = _impl,
    attrs = {"kernel": attr.label(
        mandatory = True,
        aspects = [nvcc_calls],
        cfg = analysis_test_transition(settings = {_FLAG: ["103a"]}),
    )},
    analysis_test = True,
    test = True,
)
