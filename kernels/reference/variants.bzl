"""The one variant of the reference family: any CUDA GPU, any problem."""

load("//kernels:variant_table.bzl", "variant")

REFERENCE_VARIANTS = [
    variant(
        name = "reference_naive",
        architecture = "any",
        tile = (64, 64, 32),
        stages = 1,
        supply = "static",
        operand_bits = 32,
        threads = 256,
        shared_bytes = 0,
        ctas_per_sm = 4,
        a_b_types = ["bf16", "fp16", "fp32", "e4m3", "e5m2"],
        d_types = ["bf16", "fp16", "fp32", "e4m3", "e5m2"],
        scalings = ["none", "tensor", "rowcolumn", "block128"],
        proven = True,
    ),
]
