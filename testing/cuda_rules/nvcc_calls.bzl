"""The command lines with which a target calls nvcc, for analysis tests."""

NvccCalls = provider(
    doc = "What a target asks of nvcc; empty for one that never calls it.",
    fields = {"argvs": "the command lines"},
)

def _impl(target, ctx):
    return [NvccCalls(argvs = [
        action.argv
        for action in target.actions
        if action.mnemonic == "CudaCompile"
    ])]

nvcc_calls = aspect(implementation = _impl)
