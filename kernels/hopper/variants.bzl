"""The Hopper kernels: one line a kernel, each with a static and a queue supply.

Names: sm90_BITSb_[block128_][t][u]MxNxK_cMxN[xK]_sSTAGES_SCHEDULE_SUPPLY; block128:
a scale for every 128 of K; t: the tile is one of D transposed (operands
swapped), so that a small M becomes the N of wgmma; u: the rows of the operand of
M may be unaligned (shifted_rows.cuh).
"""

load("//kernels:variant_table.bzl", "variant")

_SCHEDULE_NAMES = {
    "cooperative": "coop",
    "pingpong": "pp",
    "side_by_side": "side",
}

def _staging_bytes(consumers):
    # 4 KiB for each consumer warp; and the barriers, rounded up to 1 KiB.
    return consumers * 16384 + 1024

def _layouts(tile, schedule, swapped, bits, shifted):
    """Those whose operands TMA can bring as they are: see gemm_shape.cuh."""
    if bits == 8 or shifted:
        return ["TN"]
    columns = tile[1] // 2 if schedule == "side_by_side" else tile[1]
    if columns % 64 == 0:
        return ["TN", "NN", "NT", "TT"]

    # The narrow operand must be K-major.
    return ["TN", "TT"] if swapped else ["TN", "NN"]

def _scalings(bits, block_scaled):
    if block_scaled:
        return ["block128"]
    return ["none"] if bits == 16 else ["none", "tensor", "rowcolumn"]

def _kernel(
        tile,
        stages,
        cluster = (1, 1),
        schedule = "cooperative",
        swapped = False,
        ctas_per_sm = 1,
        bits = 16,
        block_scaled = False,
        shifted = False,
        supplies = ["static", "queue"]):
    consumers = 1 if tile[0] == 64 and schedule == "cooperative" else 2
    stage_bytes = (tile[0] + tile[1]) * tile[2] * bits // 8
    if shifted:
        stage_bytes += tile[0] * 16
    shared_bytes = stages * stage_bytes + _staging_bytes(consumers)
    if len(cluster) == 3:
        shared_bytes += tile[0] * tile[1] * 4  # the inbox, cluster_sum.cuh
    if (shared_bytes + 1024) * ctas_per_sm > 233472:
        fail("%s x %d: %d bytes of shared memory" % (tile, stages, shared_bytes))
    return [
        variant(
            name = "sm90_%db_%s%s%s%dx%dx%d_c%s_s%d_%s_%s" % (
                bits,
                "block128_" if block_scaled else "",
                "t" if swapped else "",
                "u" if shifted else "",
                tile[0],
                tile[1],
                tile[2],
                "x".join([str(c) for c in cluster]),
                stages,
                _SCHEDULE_NAMES[schedule],
                supply,
            ),
            architecture = "hopper",
            tile = tile,
            cluster = cluster,
            stages = stages,
            accumulators = 2 if schedule == "pingpong" else 1,
            schedule = schedule,
            supply = supply,
            operand_bits = bits,
            swaps_operands = swapped,
            shifted_rows = shifted,
            threads = 128 * (1 + consumers),
            shared_bytes = shared_bytes,
            ctas_per_sm = ctas_per_sm,
            a_b_types = ["bf16", "fp16"] if bits == 16 else ["e4m3", "e5m2"],
            layouts = _layouts(tile, schedule, swapped, bits, shifted),
            scalings = _scalings(bits, block_scaled),
            proven = True,
        )
        for supply in supplies
    ]

_KERNELS = [
    # Large problems: the fewest bytes through L2 and shared memory.
    _kernel((128, 256, 64), stages = 4),
    _kernel((128, 256, 64), stages = 4, cluster = (2, 1)),
    _kernel((128, 256, 64), stages = 4, cluster = (1, 2)),
    _kernel((256, 128, 64), stages = 4),
    _kernel((256, 128, 64), stages = 4, cluster = (2, 1)),
    _kernel((256, 128, 64), stages = 4, cluster = (1, 2)),
    _kernel((128, 192, 64), stages = 4),
    _kernel((128, 192, 64), stages = 4, cluster = (2, 1)),

    # Nearly square: the most products for each byte brought in.
    _kernel((192, 192, 64), stages = 4, schedule = "side_by_side", supplies = ["static"]),
    _kernel((192, 192, 64), stages = 4, cluster = (2, 1), schedule = "side_by_side", supplies = ["static"]),
    _kernel((320, 128, 64), stages = 3, cluster = (1, 2), schedule = "side_by_side", supplies = ["static"]),
    _kernel((256, 192, 64), stages = 3, supplies = ["static"]),
    _kernel((256, 192, 64), stages = 3, cluster = (2, 1), supplies = ["static"]),
    _kernel((256, 192, 64), stages = 3, cluster = (1, 2), supplies = ["static"]),
    _kernel((256, 160, 64), stages = 3, cluster = (1, 2), supplies = ["static"]),
    _kernel((256, 144, 64), stages = 3, supplies = ["static"]),

    # Widths between, so that some number of tiles just fills the SMs.
    _kernel((128, 80, 64), stages = 7, supplies = ["static"]),
    _kernel((128, 96, 64), stages = 6, supplies = ["static"]),
    _kernel((128, 96, 64), stages = 6, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 112, 64), stages = 6, supplies = ["static"]),
    _kernel((128, 112, 64), stages = 6, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 144, 64), stages = 5, supplies = ["static"]),
    _kernel((128, 144, 64), stages = 5, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 160, 64), stages = 5, supplies = ["static"]),
    _kernel((128, 160, 64), stages = 5, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 176, 64), stages = 5, supplies = ["static"]),
    _kernel((128, 176, 64), stages = 5, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 208, 64), stages = 4, supplies = ["static"]),
    _kernel((128, 208, 64), stages = 4, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 224, 64), stages = 4, supplies = ["static"]),
    _kernel((128, 224, 64), stages = 4, cluster = (2, 1), supplies = ["static"]),
    _kernel((256, 112, 64), stages = 4, supplies = ["static"]),
    _kernel((128, 144, 64), stages = 5, schedule = "pingpong", supplies = ["static"]),
    _kernel((128, 160, 64), stages = 5, schedule = "pingpong", supplies = ["static"]),
    _kernel((128, 160, 64), stages = 5, cluster = (2, 1), schedule = "pingpong", supplies = ["static"]),
    _kernel((64, 80, 64), stages = 11, supplies = ["static"]),
    _kernel((64, 96, 64), stages = 10, supplies = ["static"]),
    _kernel((64, 112, 64), stages = 9, supplies = ["static"]),
    _kernel((64, 144, 64), stages = 8, supplies = ["static"]),
    _kernel((64, 144, 64), stages = 8, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 176, 64), stages = 7, supplies = ["static"]),
    _kernel((64, 176, 64), stages = 7, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 208, 64), stages = 6, supplies = ["static"]),
    _kernel((64, 256, 64), stages = 5, supplies = ["static"]),
    _kernel((64, 256, 64), stages = 5, cluster = (2, 1), supplies = ["static"]),

    # Short K: one warpgroup's epilogue under the other's mainloop.
    _kernel((128, 128, 64), stages = 6, schedule = "pingpong"),
    _kernel((128, 128, 64), stages = 6, cluster = (2, 1), schedule = "pingpong"),
    _kernel((64, 192, 64), stages = 6, schedule = "pingpong"),
    _kernel((64, 128, 64), stages = 7, schedule = "pingpong"),
    _kernel((64, 128, 64), stages = 7, cluster = (2, 1), schedule = "pingpong"),
    _kernel((64, 192, 64), stages = 6, cluster = (2, 1), schedule = "pingpong"),

    # Few tiles.
    _kernel((128, 128, 64), stages = 6),
    _kernel((128, 128, 64), stages = 6, cluster = (2, 1)),
    _kernel((128, 64, 64), stages = 8),
    _kernel((128, 64, 64), stages = 8, cluster = (1, 2)),
    _kernel((128, 64, 64), stages = 8, cluster = (2, 1)),
    _kernel((128, 64, 128), stages = 4),
    _kernel((128, 64, 64), stages = 8, cluster = (2, 2), supplies = ["static"]),
    _kernel((128, 128, 64), stages = 6, cluster = (2, 2), supplies = ["static"]),
    _kernel((128, 128, 64), stages = 6, cluster = (4, 1), supplies = ["static"]),
    _kernel((64, 64, 64), stages = 12, supplies = ["static"]),
    _kernel((64, 128, 64), stages = 8, supplies = ["static"]),
    _kernel((64, 64, 64), stages = 6, cluster = (2, 1), ctas_per_sm = 2),
    _kernel((64, 64, 128), stages = 3, ctas_per_sm = 2),

    # Few tiles and a long K: the CTAs of a cluster share it.
    _kernel((64, 128, 64), stages = 6, cluster = (1, 1, 4)),
    _kernel((128, 64, 128), stages = 3, cluster = (1, 1, 4)),
    _kernel((128, 128, 64), stages = 4, cluster = (1, 1, 2)),
    _kernel((128, 128, 64), stages = 4, cluster = (1, 1, 4)),
    _kernel((128, 128, 64), stages = 4, cluster = (1, 1, 8), supplies = ["static"]),
    _kernel((128, 64, 64), stages = 6, cluster = (1, 1, 2)),
    _kernel((128, 64, 64), stages = 6, cluster = (1, 1, 8), supplies = ["static"]),
    _kernel((64, 64, 128), stages = 5, cluster = (1, 1, 2)),
    _kernel((64, 64, 128), stages = 5, cluster = (1, 1, 4)),
    _kernel((64, 64, 128), stages = 5, cluster = (1, 1, 8)),

    # Small M: the weights give the rows of the tile.
    _kernel((128, 8, 128), stages = 5, swapped = True),
    _kernel((128, 16, 128), stages = 5, swapped = True),
    _kernel((128, 32, 128), stages = 4, swapped = True),
    _kernel((128, 64, 128), stages = 4, swapped = True),
    _kernel((64, 16, 128), stages = 4, swapped = True, ctas_per_sm = 2),
    _kernel((64, 16, 64), stages = 18, swapped = True, supplies = ["static"]),
    _kernel((64, 16, 64), stages = 18, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 32, 64), stages = 16, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 32, 64), stages = 16, swapped = True, cluster = (4, 1), supplies = ["static"]),
    _kernel((64, 64, 64), stages = 12, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 64, 64), stages = 12, swapped = True, cluster = (4, 1), supplies = ["static"]),
    _kernel((128, 16, 64), stages = 10, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 32, 64), stages = 9, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((128, 64, 64), stages = 7, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 16, 256), stages = 5, swapped = True),
    _kernel((64, 32, 256), stages = 4, swapped = True),
    _kernel((64, 64, 256), stages = 3, swapped = True),
    _kernel((64, 128, 64), stages = 8, swapped = True, supplies = ["static"]),
    _kernel((64, 128, 64), stages = 8, swapped = True, cluster = (2, 1), supplies = ["static"]),
    _kernel((64, 128, 128), stages = 4, swapped = True),
    _kernel((64, 16, 256), stages = 4, swapped = True, cluster = (1, 1, 2)),
    _kernel((64, 32, 256), stages = 4, swapped = True, cluster = (1, 1, 4)),
    _kernel((64, 64, 128), stages = 5, swapped = True, cluster = (1, 1, 2)),
    _kernel((64, 64, 128), stages = 5, swapped = True, cluster = (1, 1, 4)),

    # Rows that TMA cannot read.
    _kernel((64, 16, 128), stages = 9, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((64, 32, 128), stages = 7, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((64, 64, 128), stages = 6, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((128, 16, 128), stages = 5, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((128, 128, 64), stages = 5, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((128, 192, 64), stages = 4, swapped = True, shifted = True, supplies = ["static"]),
    _kernel((128, 128, 64), stages = 5, shifted = True, supplies = ["static"]),

    # 8-bit operands.
    _kernel((128, 256, 128), stages = 4, cluster = (2, 1), bits = 8),
    _kernel((256, 128, 128), stages = 4, cluster = (2, 1), bits = 8),
    _kernel((128, 128, 128), stages = 6, bits = 8),
    _kernel((128, 128, 128), stages = 6, cluster = (2, 1), schedule = "pingpong", bits = 8),
    _kernel((64, 128, 128), stages = 7, schedule = "pingpong", bits = 8),
    _kernel((128, 192, 128), stages = 4, bits = 8, supplies = ["static"]),
    _kernel((256, 192, 128), stages = 3, bits = 8, supplies = ["static"]),
    _kernel((128, 160, 128), stages = 5, bits = 8, supplies = ["static"]),
    _kernel((128, 128, 128), stages = 6, cluster = (2, 1), bits = 8, supplies = ["static"]),
    _kernel((128, 64, 128), stages = 8, bits = 8, supplies = ["static"]),
    _kernel((64, 128, 128), stages = 8, bits = 8, supplies = ["static"]),
    _kernel((64, 64, 128), stages = 12, bits = 8, supplies = ["static"]),
    _kernel((64, 16, 256), stages = 9, swapped = True, bits = 8, supplies = ["static"]),
    _kernel((64, 32, 256), stages = 8, swapped = True, bits = 8, supplies = ["static"]),
    _kernel((64, 64, 128), stages = 12, swapped = True, bits = 8, supplies = ["static"]),
    _kernel((64, 128, 128), stages = 8, swapped = True, bits = 8, supplies = ["static"]),
    _kernel((128, 16, 256), stages = 5, swapped = True, bits = 8),
    _kernel((128, 64, 256), stages = 3, swapped = True, bits = 8),

    # A scale for every 128 of K: sums and parts share the registers.
    _kernel((128, 128, 128), stages = 6, bits = 8, block_scaled = True),
    _kernel((128, 128, 128), stages = 6, cluster = (2, 1), bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((256, 128, 128), stages = 4, cluster = (2, 1), bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((256, 128, 128), stages = 4, cluster = (1, 2), bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((128, 192, 128), stages = 4, cluster = (2, 1), bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((128, 64, 128), stages = 8, bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((64, 128, 128), stages = 8, bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((64, 16, 256), stages = 9, swapped = True, bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((64, 32, 256), stages = 8, swapped = True, bits = 8, block_scaled = True, supplies = ["static"]),
    _kernel((64, 64, 128), stages = 12, swapped = True, bits = 8, block_scaled = True, supplies = ["static"]),
]

HOPPER_VARIANTS = [v for pair in _KERNELS for v in pair]
