"""The Blackwell kernels, one line each. README.md says how to add one."""

load("//kernels:variant_table.bzl", "variant")

# Shared memory of one CTA on compute capability 10.0 and 10.3.
_SHARED_BYTES = 232448

# Barriers, the supply's ring and the padding behind them.
_BARRIER_BYTES = 1024

# Two 128-byte rows of staging for each of the 128 epilogue threads.
_STAGING_BYTES = 2 * 128 * 128

# More stages than this hide no more latency.
_MOST_STAGES = 12

# What testing/blackwell's strict cover has run, by name. Nothing else may be
# called proven: nobody has run these kernels on hardware.
_PROVEN = [
    "sm100_16b_128x128x64_c1x1_s6_static",
    "sm100_16b_128x128x64_c1x1_s6_queue1",
    "sm100_16b_128x128x64_c1x1_s6_clc2",
    "sm100_16b_128x256x64_c1x1_s4_static",
    "sm100_16b_128x256x64_c1x1_s4_clc2",
    "sm100_16b_128x192x64_c1x1_s4_static",
    "sm100_16b_128x64x64_c1x1_s8_static",
    "sm100_16b_128x64x64_c1x1_s8_clc3",
    "sm100_16b_64x128x64_c1x1_s8_static",
    "sm100_16b_64x64x64_c1x1_s12_clc2",
    "sm100_16b_128x128x64_c2x1_s6_static",
    "sm100_16b_128x128x64_c1x2_s6_clc1",
    "sm100_16b_128x128x64_c2x2_s6_queue2",
    "sm100_16b_128x256x64_c2x1_2sm_s6_static",
    "sm100_16b_128x256x64_c2x1_2sm_s6_queue2",
    "sm100_16b_128x256x64_c2x1_2sm_s6_clc1",
    "sm100_16b_128x256x64_c2x1_2sm_s6_clc2",
    "sm100_16b_128x256x64_c2x1_2sm_s6_clc3",
    "sm100_16b_128x256x64_c2x2_2sm_s6_static",
    "sm100_16b_128x256x64_c2x2_2sm_s6_clc2",
    "sm100_16b_128x256x64_c4x1_2sm_s6_clc2",
    "sm100_16b_128x192x64_c2x1_2sm_s6_static",
    "sm100_16b_128x128x64_c2x1_2sm_s8_static",
    "sm100_16b_128x128x64_c2x1_2sm_s8_clc2",
    "sm100_16b_128x32x64_c2x1_2sm_s10_static",
    "sm100_16b_64x256x64_c2x1_2sm_s8_static",
    "sm100_16b_64x128x64_c2x1_2sm_s12_clc4",
    "sm100_16b_128x16x64_c1x1_s12_swap_static",
    "sm100_16b_128x16x64_c1x1_s12_swap_clc2",
    "sm100_16b_128x32x64_c1x1_s11_swap_static",
    "sm100_16b_128x32x64_c1x1_s11_swap_queue1",
    "sm100_16b_128x64x64_c1x1_s9_swap_static",
    "sm100_16b_64x32x64_c1x1_s12_swap_static",
    "sm100_8b_128x128x128_c1x1_s6_static",
    "sm100_8b_128x256x128_c1x1_s4_clc2",
    "sm100_8b_64x128x128_c1x1_s8_static",
    "sm100_8b_128x256x128_c2x1_2sm_s6_static",
    "sm100_8b_128x256x128_c2x1_2sm_s6_clc2",
    "sm100_8b_128x256x128_c2x2_2sm_s6_clc2",
    "sm100_8b_128x16x128_c1x1_s12_swap_static",
    "sm100_8b_128x32x128_c1x1_s11_swap_clc2",
]

def _blackwell(
        tile,
        supply,
        depth = 0,
        cluster = (1, 1),
        cta_group = 1,
        bits = 16,
        swaps = False,
        accumulators = 2):
    """One kernel; `tile` is (M, N) of one CTA, stages fill what is left."""
    m, n = tile
    tile_k = 1024 // bits
    rows_b = n // cta_group
    stage_bytes = (m + rows_b) * 128
    fixed_bytes = _BARRIER_BYTES + (0 if swaps else _STAGING_BYTES)
    stages = min(_MOST_STAGES, (_SHARED_BYTES - fixed_bytes) // stage_bytes)
    name = "sm100_%db_%dx%dx%d_c%dx%d%s_s%d%s_%s%s" % (
        bits,
        m,
        n,
        tile_k,
        cluster[0],
        cluster[1],
        "_2sm" if cta_group == 2 else "",
        stages,
        "_swap" if swaps else "",
        supply,
        str(depth) if depth else "",
    )

    # MN-major operands take at least 32 bytes of M or N (kernel_shape.h).
    b_is_free = rows_b * bits // 8 >= 32
    if b_is_free:
        layouts = ["TN", "NN", "NT", "TT"]
    elif swaps:
        layouts = ["TN", "TT"]  # the problem's A is the kernel's B
    else:
        layouts = ["TN", "NN"]
    return variant(
        name = name,
        architecture = "blackwell",
        tile = (m, n, tile_k),
        cluster = cluster,
        cta_group = cta_group,
        stages = stages,
        accumulators = accumulators,
        supply = supply,
        request_depth = depth,
        operand_bits = bits,
        swaps_operands = swaps,
        threads = 256,
        shared_bytes = stages * stage_bytes + fixed_bytes,
        a_b_types = ["bf16", "fp16"] if bits == 16 else ["e4m3", "e5m2"],
        d_types = ["bf16", "fp16", "fp32", "e4m3", "e5m2"],
        layouts = layouts,
        scalings = ["none", "tensor", "rowcolumn"],
        proven = name in _PROVEN,
    )

def _two_sm(tile, supply, **kwargs):
    return _blackwell(
        tile,
        supply,
        cta_group = 2,
        **kwargs
    )

BLACKWELL_VARIANTS = [
    # One SM, 16-bit.
    _blackwell((128, 128), "static"),
    _blackwell((128, 128), "queue", depth = 1),
    _blackwell((128, 128), "clc", depth = 2),
    _blackwell((128, 256), "static"),
    _blackwell((128, 256), "clc", depth = 2),
    _blackwell((128, 192), "static"),
    _blackwell((128, 64), "static", accumulators = 4),
    _blackwell((128, 64), "clc", depth = 3, accumulators = 4),
    _blackwell((64, 128), "static"),
    _blackwell((64, 64), "clc", depth = 2),
    # One SM, multicast.
    _blackwell((128, 128), "static", cluster = (2, 1)),
    _blackwell((128, 128), "clc", depth = 1, cluster = (1, 2)),
    _blackwell((128, 128), "queue", depth = 2, cluster = (2, 2)),
    # Two SMs, 16-bit.
    _two_sm((128, 256), "static", cluster = (2, 1)),
    _two_sm((128, 256), "queue", depth = 2, cluster = (2, 1)),
    _two_sm((128, 256), "clc", depth = 1, cluster = (2, 1)),
    _two_sm((128, 256), "clc", depth = 2, cluster = (2, 1)),
    _two_sm((128, 256), "clc", depth = 3, cluster = (2, 1)),
    _two_sm((128, 256), "static", cluster = (2, 2)),
    _two_sm((128, 256), "clc", depth = 2, cluster = (2, 2)),
    _two_sm((128, 256), "clc", depth = 2, cluster = (4, 1)),
    _two_sm((128, 192), "static", cluster = (2, 1)),
    _two_sm((128, 128), "static", cluster = (2, 1), accumulators = 4),
    _two_sm((128, 128), "clc", depth = 2, cluster = (2, 1), accumulators = 4),
    _two_sm((128, 32), "static", cluster = (2, 1), accumulators = 4),
    _two_sm((64, 256), "static", cluster = (2, 1)),
    _two_sm((64, 128), "clc", depth = 4, cluster = (2, 1)),
    # Few rows (decode): operands change places, so that tile N is the small
    # side of D.
    _blackwell((128, 16), "static", swaps = True, accumulators = 4),
    _blackwell((128, 16), "clc", depth = 2, swaps = True, accumulators = 4),
    _blackwell((128, 32), "static", swaps = True, accumulators = 4),
    _blackwell((128, 32), "queue", depth = 1, swaps = True, accumulators = 4),
    _blackwell((128, 64), "static", swaps = True, accumulators = 4),
    _blackwell((64, 32), "static", swaps = True, accumulators = 4),
    # 8-bit.
    _blackwell((128, 128), "static", bits = 8),
    _blackwell((128, 256), "clc", depth = 2, bits = 8),
    _blackwell((64, 128), "static", bits = 8),
    _two_sm((128, 256), "static", cluster = (2, 1), bits = 8),
    _two_sm((128, 256), "clc", depth = 2, cluster = (2, 1), bits = 8),
    _two_sm((128, 256), "clc", depth = 2, cluster = (2, 2), bits = 8),
    _blackwell((128, 16), "static", bits = 8, swaps = True, accumulators = 4),
    _blackwell((128, 32), "clc", depth = 2, bits = 8, swaps = True, accumulators = 4),
]
