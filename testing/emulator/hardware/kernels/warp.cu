// Warp-wide instructions: shuffles, votes, matches, reductions, election.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

// d and the "in range" predicate for every width (1 to 32) and lane operand.
#define SHUFFLE_KERNEL(mode, clamp)                                        \
  MICRO_KERNEL(shfl_##mode) {                                              \
    const uint32_t a = Words(in)[threadIdx.x];                             \
    uint32_t* to = Words(out) + threadIdx.x;                               \
    for (int log_width = 0; log_width <= 5; ++log_width) {                 \
      const uint32_t c = (32 - (1 << log_width)) << 8 | clamp;             \
      for (uint32_t b = 0; b < 34; b += 3) {                               \
        uint32_t d;                                                        \
        uint32_t in_range;                                                 \
        asm volatile(                                                      \
            "{\n.reg .pred q;\nshfl.sync." #mode                           \
            ".b32 %0|q, %2, %3, %4, 0xffffffff;\nselp.u32 %1, 1, 0, q;\n}" \
            : "=r"(d), "=r"(in_range)                                      \
            : "r"(a), "r"(b), "r"(c));                                     \
        *to = (d & ~1u) | in_range;                                        \
        to += 32;                                                          \
      }                                                                    \
    }                                                                      \
  }

SHUFFLE_KERNEL(idx, 31)
SHUFFLE_KERNEL(bfly, 31)
SHUFFLE_KERNEL(down, 31)
SHUFFLE_KERNEL(up, 0)

MICRO_KERNEL(vote_all_kinds) {
  uint32_t* to = Words(out) + threadIdx.x;
  for (int i = 0; i < 8; ++i) {
    // All, none, and mixed.
    const uint32_t bit = i == 0   ? 1
                         : i == 1 ? 0
                                  : Words(in)[i * 32 + threadIdx.x] >> i & 1;
    uint32_t d[4];
#define VOTE(j, mode)                                \
  asm volatile(                                      \
      "{\n.reg .pred q, r;\nsetp.ne.u32 r, %1, 0;\n" \
      "vote.sync." mode                              \
      ".pred q, r, 0xffffffff;\n"                    \
      "selp.u32 %0, 1, 0, q;\n}"                     \
      : "=r"(d[j])                                   \
      : "r"(bit))
    VOTE(0, "all");
    VOTE(1, "any");
    VOTE(2, "uni");
#undef VOTE
    asm volatile(
        "{\n.reg .pred r;\nsetp.ne.u32 r, %1, 0;\n"
        "vote.sync.ballot.b32 %0, r, 0xffffffff;\n}"
        : "=r"(d[3])
        : "r"(bit));
    for (int j = 0; j < 4; ++j, to += 32) *to = d[j];
  }
}

MICRO_KERNEL(match_values) {
  uint32_t* to = Words(out) + threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    const uint32_t value = Words(in)[i * 32 + threadIdx.x] >> (8 * i) & (2 * i);
    uint32_t any;
    uint32_t any64;
    uint32_t all;
    uint32_t same;
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;"
                 : "=r"(any)
                 : "r"(value));
    asm volatile("match.any.sync.b64 %0, %1, 0xffffffff;"
                 : "=r"(any64)
                 : "l"(static_cast<uint64_t>(value) << 33));
    asm volatile(
        "{\n.reg .pred q;\nmatch.all.sync.b32 %0|q, %2, 0xffffffff;\n"
        "selp.u32 %1, 1, 0, q;\n}"
        : "=r"(all), "=r"(same)
        : "r"(value));
    to[0] = any;
    to[32] = any64;
    to[64] = all;
    to[96] = same;
    to += 128;
  }
}

// Over the whole warp, and over its odd and even lanes apart.
MICRO_KERNEL(redux_all_operations) {
  const uint32_t a = Words(in)[threadIdx.x];
  uint32_t* to = Words(out) + threadIdx.x;
#define REDUX(operation, mask)                          \
  {                                                     \
    uint32_t d;                                         \
    asm volatile("redux.sync." operation " %0, %1, %2;" \
                 : "=r"(d)                              \
                 : "r"(a), "r"(mask));                  \
    *to = d;                                            \
    to += 32;                                           \
  }
#define REDUX_ALL(mask)  \
  REDUX("add.u32", mask) \
  REDUX("add.s32", mask) \
  REDUX("min.u32", mask) \
  REDUX("min.s32", mask) \
  REDUX("max.u32", mask) \
  REDUX("max.s32", mask) \
  REDUX("and.b32", mask) \
  REDUX("or.b32", mask)  \
  REDUX("xor.b32", mask)
  REDUX_ALL(0xffffffffu)
  if (threadIdx.x % 2 == 0) {
    REDUX_ALL(0x55555555u)
  } else {
    REDUX_ALL(0xaaaaaaaau)
  }
#undef REDUX_ALL
#undef REDUX
}

MICRO_KERNEL(elect_and_masks) {
  uint32_t leader = 0;
  uint32_t chosen = 0;
  if (threadIdx.x >= 5) {
    asm volatile(
        "{\n.reg .pred q;\nelect.sync %0|q, 0xffffffe0;\n"
        "selp.u32 %1, 1, 0, q;\n}"
        : "=r"(leader), "=r"(chosen));
  }
  uint32_t masks[6];
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(masks[0]));
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(masks[1]));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(masks[2]));
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(masks[3]));
  asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(masks[4]));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(masks[5]));
  uint32_t* to = Words(out) + threadIdx.x * 8;
  to[0] = leader;
  to[1] = chosen;
  for (int i = 0; i < 6; ++i) to[2 + i] = masks[i];
}

}  // namespace tiletune::micro
