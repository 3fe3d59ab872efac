"""The module extension behind `use_extension` in MODULE.bazel."""

load("//third_party/cuda:cuda_configure.bzl", "cuda_configure")

def _cuda_impl(_ctx):
    cuda_configure(name = "local_cuda")

cuda = module_extension(implementation = _cuda_impl)
