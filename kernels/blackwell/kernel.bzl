"""The targets of one line of variants.bzl."""

load("//third_party/cuda:cuda_library.bzl", "cuda_library", "cuda_library_ptx")

_SUPPLIES = {
    "static": "kStatic",
    "queue": "kQueue",
    "clc": "kClc",
}

_DEPS = [
    ":entry",
    ":kernel_headers",
]

def _defines(v):
    return [
        "TILETUNE_NAME=" + v.name,
        "TILETUNE_TILE_M=%d" % v.tile[0],
        "TILETUNE_TILE_N=%d" % v.tile[1],
        "TILETUNE_CLUSTER_M=%d" % v.cluster[0],
        "TILETUNE_CLUSTER_N=%d" % v.cluster[1],
        "TILETUNE_CTA_GROUP=%d" % v.cta_group,
        "TILETUNE_STAGES=%d" % v.stages,
        "TILETUNE_ACCUMULATORS=%d" % v.accumulators,
        "TILETUNE_OPERAND_BITS=%d" % v.operand_bits,
        "TILETUNE_SWAPS_OPERANDS=%s" % ("true" if v.swaps_operands else "false"),
        "TILETUNE_SUPPLY=" + _SUPPLIES[v.supply],
        "TILETUNE_REQUEST_DEPTH=%d" % v.request_depth,
        "TILETUNE_SHARED_BYTES=%d" % v.shared_bytes,
    ]

def blackwell_kernel(v):
    """NAME: the kernel, which names no CUDA runtime. NAME_ptx: its PTX.

    Args:
      v: a line of variants.bzl.
    """
    cuda_library(
        name = v.name,
        srcs = ["variant.cu"],
        alwayslink = True,
        # One cubin for compute capability 10.0 and 10.3, and its PTX.
        archs = ["100f+ptx"],
        extra_archs = ":extra_archs",
        local_defines = _defines(v),
        visibility = ["//visibility:public"],
        deps = _DEPS,
    )
    cuda_library_ptx(
        name = v.name + "_ptx",
        library = ":" + v.name,
        arch = "100f",
        visibility = ["//testing:__subpackages__"],
    )
