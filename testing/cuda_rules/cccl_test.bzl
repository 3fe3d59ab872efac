"""That an nvcc action has CUB, Thrust and libcu++ as inputs if it asks for them."""

_Inputs = provider(fields = {"headers": "the toolkit headers of one nvcc"})

def _inputs_impl(target, ctx):
    paths = [
        f.path.split("/local_cuda/", 1)[-1]
        for action in target.actions
        if action.mnemonic == "CudaCompile"
        for f in action.inputs.to_list()
        if "cuda/include/" in f.path
    ]
    return [_Inputs(headers = paths)]

_inputs = aspect(implementation = _inputs_impl)

def _ends(paths, end):
    return [p for p in paths if p.endswith(end)]

def _impl(ctx):
    with_cccl = ctx.attr.with_cccl[_Inputs].headers
    without = ctx.attr.without[_Inputs].headers
    wrong = []
    for end in ["/cub/cub.cuh", "/thrust/reduce.h", "/cuda/atomic"]:
        if not _ends(with_cccl, end):
            wrong.append("%s is out of reach" % end)
        if _ends(without, end):
            wrong.append("%s is an input of every kernel" % end)
    for end in ["/cuda_runtime.h", "/nv/target"]:
        if not _ends(without, end):
            wrong.append("%s is missing" % end)
    return [AnalysisTestResultInfo(
        success = not wrong,
        message = "; ".join(wrong),
    )]

# `with_cccl` depends on //third_party/cuda:cccl, `without` does not.
cccl_inputs_test = rule(
    implementation = _impl,
    attrs = {
        "with_cccl": attr.label(mandatory = True, aspects = [_inputs]),
        "without": attr.label(mandatory = True, aspects = [_inputs]),
    },
    analysis_test = True,
    test = True,
)
