"""hopper_kernels: a cuda_library for each variant."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//third_party/cuda:cuda_library.bzl", "cuda_library", "cuda_library_ptx")

_SCHEDULES = {
    "cooperative": "kCooperative",
    "pingpong": "kPingPong",
    "side_by_side": "kSideBySide",
}

def _defines(v):
    return [
        'TILETUNE_NAME="%s"' % v.name,
        "TILETUNE_TILE_M=%d" % v.tile[0],
        "TILETUNE_TILE_N=%d" % v.tile[1],
        "TILETUNE_TILE_K=%d" % v.tile[2],
        "TILETUNE_CLUSTER_M=%d" % v.cluster[0],
        "TILETUNE_CLUSTER_N=%d" % v.cluster[1],
        "TILETUNE_CLUSTER_K=%d" % (v.cluster[2] if len(v.cluster) == 3 else 1),
        "TILETUNE_STAGES=%d" % v.stages,
        "TILETUNE_CONSUMERS=%d" % (v.threads // 128 - 1),
        "TILETUNE_SCHEDULE=" + _SCHEDULES[v.schedule],
        "TILETUNE_SWAPPED=" + ("true" if v.swaps_operands else "false"),
        "TILETUNE_OPERAND_BITS=%d" % v.operand_bits,
        "TILETUNE_BLOCK_SCALED=" + ("true" if v.scalings == ["block128"] else "false"),
        "TILETUNE_SHIFTED_ROWS=" + ("true" if v.shifted_rows else "false"),
        "TILETUNE_SUPPLY=%s_supply" % v.supply,
        "TILETUNE_CTAS_PER_SM=%d" % v.ctas_per_sm,
        "TILETUNE_THREADS=%d" % v.threads,
        "TILETUNE_SHARED_BYTES=%d" % v.shared_bytes,
    ]

def hopper_kernels(name, variants, visibility = None):
    """A target called after each variant, and `name`, which links all of them.

    VARIANT_ptx is the PTX of a variant, for the emulator.

    They name no CUDA runtime: link them with //third_party/cuda:cudart or with
    an emulated one.
    """
    for v in variants:
        cuda_library(
            name = v.name,
            srcs = ["variant.cu"],
            alwayslink = True,
            archs = ["90a"],
            local_defines = _defines(v),
            visibility = visibility,
            deps = [":kernel_headers"],
        )
        cuda_library_ptx(
            name = v.name + "_ptx",
            library = ":" + v.name,
            arch = "90a",
            visibility = visibility,
        )
    cc_library(
        name = name,
        visibility = visibility,
        deps = [":" + v.name for v in variants],
    )
