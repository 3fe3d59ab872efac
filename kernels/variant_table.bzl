"""The variants of a kernel family: one list, from which all else follows.

A family keeps its list beside its kernels, one `variant` an entry:

    # kernels/hopper/variants.bzl
    load("//kernels:variant_table.bzl", "variant")

    HOPPER_VARIANTS = [
        variant(
            name = "sm90_16b_128x128x64_c1x1_s6_coop_static",
            architecture = "hopper",
            tile = (128, 128, 64),
            stages = 6,
            supply = "static",
            threads = 384,
            shared_bytes = 6 * 32768 + 1024,
            a_b_types = ["bf16", "fp16"],
            ...
        ),
    ]

The family's BUILD file makes a kernel target of each; `variant_table` makes the
registry's initialisers and, with them, the fingerprint by which a database row
knows that its kernel has changed since.
"""

_ARCHITECTURES = {
    "any": "kAny",
    "hopper": "kHopper",
    "blackwell": "kBlackwell",
}
_SCHEDULES = {
    "cooperative": "kCooperative",
    "pingpong": "kPingPong",
    "side_by_side": "kSideBySide",
}
_SUPPLIES = {
    "static": "kStatic",
    "queue": "kQueue",
    "clc": "kClc",
}

# In the order of the enumerators in problem.h.
_TYPES = ["bf16", "fp16", "fp32", "e4m3", "e5m2"]
_LAYOUTS = ["TN", "NN", "NT", "TT"]
_SCALINGS = ["none", "tensor", "rowcolumn", "block128"]

def _mask(values, known):
    for value in values:
        if value not in known:
            fail("%s is none of %s" % (value, known))
    return _sum([1 << i for i, name in enumerate(known) if name in values])

def _sum(numbers):
    """The sum of a list of integers, which Starlark lacks."""
    total = 0
    for number in numbers:
        total += number
    return total

def variant(
        name,
        architecture,
        tile,
        stages,
        supply,
        threads,
        shared_bytes,
        a_b_types,
        cluster = (1, 1),
        cta_group = 1,
        accumulators = 1,
        schedule = "cooperative",
        request_depth = None,
        operand_bits = 16,
        swaps_operands = False,
        shifted_rows = False,
        ctas_per_sm = 1,
        d_types = ["bf16", "fp16", "fp32"],
        layouts = _LAYOUTS,
        scalings = ["none"],
        proven = False):
    """One compiled kernel. Fields as in kernels/variant.h.

    Args:
      name: unique over all families; a database key, so never reused.
      architecture: "any", "hopper" or "blackwell".
      tile: (M, N, K) elements, of D for one CTA and of K for one stage.
      stages: shared-memory stages of A and B.
      supply: "static", "queue" or "clc".
      threads: per CTA.
      shared_bytes: dynamic shared memory per CTA.
      a_b_types: names of the types A and B may have.
      cluster: (M, N) in CTAs, or (M, N, K) when CTAs share the K of a tile.
      cta_group: SMs that share one MMA.
      accumulators: tiles of D in flight in one CTA.
      schedule: "cooperative", "pingpong" or "side_by_side".
      request_depth: tiles requested ahead; None: 0 for static, else 1.
      operand_bits: 16 or 8; 32 for the reference.
      swaps_operands: computes the transpose of D.
      shifted_rows: rows of the operand of tile M may start at any element.
      ctas_per_sm: resident at once.
      d_types: names of the types C and D may have.
      layouts: those read without a repack.
      scalings: of "none", "tensor", "rowcolumn", "block128".
      proven: whether a run, on hardware or in the emulator, has shown it right.

    Returns:
      A struct with these fields.
    """
    if request_depth == None:
        request_depth = 0 if supply == "static" else 1
    if (request_depth == 0) != (supply == "static"):
        fail("%s: request_depth %d with supply %s" % (name, request_depth, supply))
    return struct(
        name = name,
        architecture = architecture,
        tile = tile,
        cluster = cluster,
        cta_group = cta_group,
        stages = stages,
        accumulators = accumulators,
        schedule = schedule,
        supply = supply,
        request_depth = request_depth,
        operand_bits = operand_bits,
        swaps_operands = swaps_operands,
        shifted_rows = shifted_rows,
        threads = threads,
        shared_bytes = shared_bytes,
        ctas_per_sm = ctas_per_sm,
        a_b_types = a_b_types,
        d_types = d_types,
        layouts = layouts,
        scalings = scalings,
        proven = proven,
    )

def _fields(v):
    """The initialiser of KernelVariant, up to the fingerprint."""
    fields = [
        '"%s"' % v.name,
        "Architecture::" + _ARCHITECTURES[v.architecture],
    ]
    fields += list(v.tile) + list(v.cluster) + [1] * (3 - len(v.cluster))
    fields += [
        v.cta_group,
        v.stages,
        v.accumulators,
        "MainloopSchedule::" + _SCHEDULES[v.schedule],
        "SupplyKind::" + _SUPPLIES[v.supply],
        v.request_depth,
        v.operand_bits,
        "true" if v.swaps_operands else "false",
        "true" if v.shifted_rows else "false",
        v.threads,
        v.shared_bytes,
        v.ctas_per_sm,
        "%du" % _mask(v.a_b_types, _TYPES),
        "%du" % _mask(v.d_types, _TYPES),
        "%du" % _mask(v.layouts, _LAYOUTS),
        "%du" % _mask(v.scalings, _SCALINGS),
        "true" if v.proven else "false",
    ]
    return ", ".join([str(f) for f in fields])

def _unproven(v):
    """The parameters that shape the code: being proven is not one of them."""
    return _fields(v).rsplit(",", 1)[0]

# Prints one hash for the files named in $1.
_HASH = "hash() { cat $$1 | sha256sum | cut -c1-16; }"

def variant_table(name, variants, sources, supply_sources = {}):
    """Writes `name`.inc: one KernelVariant initialiser a line.

    A fingerprint is taken over the family's sources, those of the variant's own
    supply, and its parameters: a change to the queue leaves the rows of static
    kernels valid.

    Args:
      name: of the target and of the file.
      variants: a list of `variant`.
      sources: labels of the sources that every kernel of the family includes.
      supply_sources: supply name -> labels of the sources only it includes.
    """
    seen = {}
    for v in variants:
        if v.name in seen:
            fail("two variants are called " + v.name)
        seen[v.name] = True

    lines = [
        "set -e",
        _HASH,
        "family=$$(hash '%s')" % " ".join(["$(locations %s)" % s for s in sources]),
    ]
    labels = list(sources)
    for supply in sorted(_SUPPLIES.keys()):
        files = supply_sources.get(supply, [])
        labels += [f for f in files if f not in labels]
        lines.append("%s=$$(hash '%s')" % (
            supply,
            " ".join(["$(locations %s)" % f for f in files] or ["/dev/null"]),
        ))
    lines.append("{")
    for v in variants:
        own = "$$(echo '%s' $$family $$%s | sha256sum | cut -c1-16)" % (
            _unproven(v),
            v.supply,
        )
        lines.append("echo '{%s, \"'%s'\"},'" % (_fields(v), own))
    lines.append("true; } > $@")
    native.genrule(
        name = name,
        srcs = labels,
        outs = [name + ".inc"],
        cmd = "\n".join(lines),
    )
