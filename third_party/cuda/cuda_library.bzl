"""cuda_library: .cu files through nvcc, for cc_* rules to link; and their PTX.

    cuda_library(
        name = "saxpy",
        srcs = ["saxpy.cu"],
        archs = ["90a", "100f+ptx"],
        deps = [":saxpy_params", "//third_party/cuda:cudart"],
    )

`archs` holds one entry per -gencode: "90a" is machine code for sm_90a;
"100f+ptx" is machine code for the sm_100 family and its PTX beside it. A
library names no CUDA runtime by itself: depend on //third_party/cuda:cudart,
or on anything else that provides the same calls.

nvcc makes PTX on the way to an object. cuda_library_ptx hands that out, for
whoever wants to read, check or emulate it; cuda_ptx is for a .cu file of which
nothing but PTX is wanted.

    cuda_library_ptx(
        name = "saxpy_ptx",
        library = ":saxpy",
        arch = "100f",
    )

Every target is skipped where no CUDA Toolkit was found.
"""

load(
    ":compile.bzl",
    _cuda_library = "cuda_library",
    _cuda_library_ptx = "cuda_library_ptx",
    _cuda_ptx = "cuda_ptx",
)

# Without Label they would be looked up in the workspace of the BUILD file.
_NEEDS_TOOLKIT = {
    str(Label("@local_cuda//:found")): [],
    "//conditions:default": [str(Label("//third_party/cuda:toolkit_missing"))],
}

def cuda_library(name, target_compatible_with = [], **kwargs):
    """A cc_library whose .cu sources go through nvcc."""
    _cuda_library(
        name = name,
        target_compatible_with = target_compatible_with + select(_NEEDS_TOOLKIT),
        **kwargs
    )

def cuda_library_ptx(name, target_compatible_with = [], **kwargs):
    """The PTX of `library` for one of its architectures, compiled no more.

    `name`.ptx, or `name`/FILE.ptx for each FILE.cu where there are several.
    """
    _cuda_library_ptx(
        name = name,
        target_compatible_with = target_compatible_with + select(_NEEDS_TOOLKIT),
        **kwargs
    )

def cuda_ptx(name, target_compatible_with = [], **kwargs):
    """The PTX of one .cu file for one architecture, as `name`.ptx."""
    _cuda_ptx(
        name = name,
        target_compatible_with = target_compatible_with + select(_NEEDS_TOOLKIT),
        **kwargs
    )
