// wgmma: a warpgroup multiplies two tiles in shared memory into registers.
//
// Use it in the mainloop of a consumer warpgroup. All 128 threads issue every
// instruction. Device code only, sm_90a.
//
//   ptx::wgmma_fence();
//   for (int k = 0; k < 4; ++k)
//     ptx::Wgmma<128>::MmaAsync<ptx::WgmmaType::kBf16, 0, 0>(
//         acc, a + 2 * k, b + 2 * k, /*scale_d=*/k > 0);
//   ptx::wgmma_commit_group();
//   ptx::wgmma_wait_group<0>();  // only now may `acc` and the tiles be touched
#ifndef TILETUNE_KERNELS_PTX_WGMMA_H_
#define TILETUNE_KERNELS_PTX_WGMMA_H_

#include <cstdint>

namespace tiletune::ptx {

// The element types of A and B; one name where they are the same.
enum class WgmmaType { kBf16, kFp16, kE4m3, kE5m2, kE4m3E5m2, kE5m2E4m3 };

// Orders earlier accesses to the accumulators before the next MmaAsync.
// PTX ISA 9.7.15.7.1.
__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Closes a group of the MmaAsync so far. PTX ISA 9.7.15.7.2.
__device__ __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most kPending groups are in flight. PTX ISA 9.7.15.7.3.
template <int kPending>
__device__ __forceinline__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// D (64 x kN, fp32, kN / 2 registers a thread) = A (64 x 32 bytes of K) x
// B (kN x 32 bytes of K) + D. Thread t of the warpgroup holds, in d[4j + 2i +
// c], row t / 32 * 16 + t % 32 / 4 + 8i, column 8j + t % 4 * 2 + c (PTX ISA
// 9.7.15.5.1.1). `a` and `b` are matrix descriptors.
// Without scale_d, D is only written. kTransA and kTransB say that an operand
// is contiguous along M or N instead of K; 16-bit types only.
//
// MmaAsyncA, of 16-bit types, takes A from registers, which must keep their
// values until the group is done: a[2h + i] holds columns 8h + t % 4 * 2 and
// the next of the row above.
template <int kN>
struct Wgmma;

// The list "%0, %1, ..." of the first 4, 8, 16, ... accumulator operands.
#define TILETUNE_R4 "%0,%1,%2,%3"
#define TILETUNE_R8 TILETUNE_R4 ",%4,%5,%6,%7"
#define TILETUNE_R16 TILETUNE_R8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define TILETUNE_R24 TILETUNE_R16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define TILETUNE_R32 TILETUNE_R24 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define TILETUNE_R40 TILETUNE_R32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define TILETUNE_R48 TILETUNE_R40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define TILETUNE_R56 TILETUNE_R48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define TILETUNE_R64 TILETUNE_R56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define TILETUNE_R72 TILETUNE_R64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define TILETUNE_R80 TILETUNE_R72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define TILETUNE_R88 TILETUNE_R80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define TILETUNE_R96 TILETUNE_R88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define TILETUNE_R104 TILETUNE_R96 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define TILETUNE_R112 TILETUNE_R104 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define TILETUNE_R120 TILETUNE_R112 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define TILETUNE_R128 TILETUNE_R120 ",%120,%121,%122,%123,%124,%125,%126,%127"

// The accumulators d[i], d[i + 1], ... as operands.
#define TILETUNE_D4(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TILETUNE_D8(i) TILETUNE_D4(i), TILETUNE_D4(i + 4)
#define TILETUNE_D16(i) TILETUNE_D8(i), TILETUNE_D8(i + 8)
#define TILETUNE_D24(i) TILETUNE_D16(i), TILETUNE_D8(i + 16)
#define TILETUNE_D32(i) TILETUNE_D24(i), TILETUNE_D8(i + 24)
#define TILETUNE_D40(i) TILETUNE_D32(i), TILETUNE_D8(i + 32)
#define TILETUNE_D48(i) TILETUNE_D40(i), TILETUNE_D8(i + 40)
#define TILETUNE_D56(i) TILETUNE_D48(i), TILETUNE_D8(i + 48)
#define TILETUNE_D64(i) TILETUNE_D56(i), TILETUNE_D8(i + 56)
#define TILETUNE_D72(i) TILETUNE_D64(i), TILETUNE_D8(i + 64)
#define TILETUNE_D80(i) TILETUNE_D72(i), TILETUNE_D8(i + 72)
#define TILETUNE_D88(i) TILETUNE_D80(i), TILETUNE_D8(i + 80)
#define TILETUNE_D96(i) TILETUNE_D88(i), TILETUNE_D8(i + 88)
#define TILETUNE_D104(i) TILETUNE_D96(i), TILETUNE_D8(i + 96)
#define TILETUNE_D112(i) TILETUNE_D104(i), TILETUNE_D8(i + 104)
#define TILETUNE_D120(i) TILETUNE_D112(i), TILETUNE_D8(i + 112)
#define TILETUNE_D128(i) TILETUNE_D120(i), TILETUNE_D8(i + 120)

// One instruction: shape, types, accumulator count, and the numbers of the
// operands that follow the accumulators. PTX ISA 9.7.15.5.2.
#define TILETUNE_WGMMA(shape, types, r, a_, b_, p_, tail, ...)               \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " p_                        \
               ", 0;\n"                                                      \
               "wgmma.mma_async.sync.aligned." shape ".f32." types           \
               " {" TILETUNE_R##r "}, " a_ ", " b_ ", p, 1, 1" tail ";\n}\n" \
               : TILETUNE_D##r(0)                                            \
               : "l"(a), "l"(b), "r"(static_cast<int>(scale_d)),             \
                 ##__VA_ARGS__)

// The same with A in registers; o0, o1, ... are the operands after the
// accumulators.
#define TILETUNE_WGMMA_A(shape, types, r, o0, o1, o2, o3, o4, o5, o6)     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " o5                     \
               ", 0;\n"                                                   \
               "wgmma.mma_async.sync.aligned." shape ".f32." types        \
               " {" TILETUNE_R##r "}, {" o0 "," o1 "," o2 "," o3 "}, " o4 \
                                  ", p, 1, 1, " o6 ";\n}\n"               \
               : TILETUNE_D##r(0)                                         \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),      \
                 "r"(static_cast<int>(scale_d)), "n"(kTransB))

#define TILETUNE_WGMMA_STRUCT(n, r, o0, o1, o2, o3, o4, o5, o6)                \
  template <>                                                                  \
  struct Wgmma<n> {                                                            \
    template <WgmmaType kType, int kTransA, int kTransB>                       \
    static __device__ __forceinline__ void MmaAsync(float (&d)[r], uint64_t a, \
                                                    uint64_t b,                \
                                                    bool scale_d) {            \
      if constexpr (kType == WgmmaType::kBf16) {                               \
        TILETUNE_WGMMA("m64n" #n "k16", "bf16.bf16", r, o0, o1, o2,            \
                       ", " o3 ", " o4, "n"(kTransA), "n"(kTransB));           \
      } else if constexpr (kType == WgmmaType::kFp16) {                        \
        TILETUNE_WGMMA("m64n" #n "k16", "f16.f16", r, o0, o1, o2,              \
                       ", " o3 ", " o4, "n"(kTransA), "n"(kTransB));           \
      } else if constexpr (kType == WgmmaType::kE4m3) {                        \
        TILETUNE_WGMMA("m64n" #n "k32", "e4m3.e4m3", r, o0, o1, o2, "");       \
      } else if constexpr (kType == WgmmaType::kE5m2) {                        \
        TILETUNE_WGMMA("m64n" #n "k32", "e5m2.e5m2", r, o0, o1, o2, "");       \
      } else if constexpr (kType == WgmmaType::kE4m3E5m2) {                    \
        TILETUNE_WGMMA("m64n" #n "k32", "e4m3.e5m2", r, o0, o1, o2, "");       \
      } else {                                                                 \
        TILETUNE_WGMMA("m64n" #n "k32", "e5m2.e4m3", r, o0, o1, o2, "");       \
      }                                                                        \
    }                                                                          \
    template <WgmmaType kType, int kTransB>                                    \
    static __device__ __forceinline__ void MmaAsyncA(float (&d)[r],            \
                                                     const uint32_t (&a)[4],   \
                                                     uint64_t b,               \
                                                     bool scale_d) {           \
      if constexpr (kType == WgmmaType::kBf16) {                               \
        TILETUNE_WGMMA_A("m64n" #n "k16", "bf16.bf16", r, o0, o1, o2, o3, o4,  \
                         o5, o6);                                              \
      } else {                                                                 \
        TILETUNE_WGMMA_A("m64n" #n "k16", "f16.f16", r, o0, o1, o2, o3, o4,    \
                         o5, o6);                                              \
      }                                                                        \
    }                                                                          \
  }

TILETUNE_WGMMA_STRUCT(8, 4, "%4", "%5", "%6", "%7", "%8", "%9", "%10");
TILETUNE_WGMMA_STRUCT(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", "%14");
TILETUNE_WGMMA_STRUCT(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", "%22");
TILETUNE_WGMMA_STRUCT(48, 24, "%24", "%25", "%26", "%27", "%28", "%29", "%30");
TILETUNE_WGMMA_STRUCT(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", "%38");
TILETUNE_WGMMA_STRUCT(80, 40, "%40", "%41", "%42", "%43", "%44", "%45", "%46");
TILETUNE_WGMMA_STRUCT(96, 48, "%48", "%49", "%50", "%51", "%52", "%53", "%54");
TILETUNE_WGMMA_STRUCT(112, 56, "%56", "%57", "%58", "%59", "%60", "%61", "%62");
TILETUNE_WGMMA_STRUCT(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", "%70");
TILETUNE_WGMMA_STRUCT(144, 72, "%72", "%73", "%74", "%75", "%76", "%77", "%78");
TILETUNE_WGMMA_STRUCT(160, 80, "%80", "%81", "%82", "%83", "%84", "%85", "%86");
TILETUNE_WGMMA_STRUCT(176, 88, "%88", "%89", "%90", "%91", "%92", "%93", "%94");
TILETUNE_WGMMA_STRUCT(192, 96, "%96", "%97", "%98", "%99", "%100", "%101",
                      "%102");
TILETUNE_WGMMA_STRUCT(208, 104, "%104", "%105", "%106", "%107", "%108", "%109",
                      "%110");
TILETUNE_WGMMA_STRUCT(224, 112, "%112", "%113", "%114", "%115", "%116", "%117",
                      "%118");
TILETUNE_WGMMA_STRUCT(240, 120, "%120", "%121", "%122", "%123", "%124", "%125",
                      "%126");
TILETUNE_WGMMA_STRUCT(256, 128, "%128", "%129", "%130", "%131", "%132", "%133",
                      "%134");

#undef TILETUNE_WGMMA_STRUCT
#undef TILETUNE_WGMMA_A
#undef TILETUNE_WGMMA
#undef TILETUNE_D128
#undef TILETUNE_D120
#undef TILETUNE_D112
#undef TILETUNE_D104
#undef TILETUNE_D96
#undef TILETUNE_D88
#undef TILETUNE_D80
#undef TILETUNE_D72
#undef TILETUNE_D64
#undef TILETUNE_D56
#undef TILETUNE_D48
#undef TILETUNE_D40
#undef TILETUNE_D32
#undef TILETUNE_D24
#undef TILETUNE_D16
#undef TILETUNE_D8
#undef TILETUNE_D4
#undef TILETUNE_R128
#undef TILETUNE_R120
#undef TILETUNE_R112
#undef TILETUNE_R104
#undef TILETUNE_R96
#undef TILETUNE_R88
#undef TILETUNE_R80
#undef TILETUNE_R72
#undef TILETUNE_R64
#undef TILETUNE_R56
#undef TILETUNE_R48
#undef TILETUNE_R40
#undef TILETUNE_R32
#undef TILETUNE_R24
#undef TILETUNE_R16
#undef TILETUNE_R8
#undef TILETUNE_R4

// The descriptor of a tile in the 128-byte swizzled layout that TMA writes,
// starting at a multiple of 1024 bytes plus 32-byte steps along K. K-major:
// rows of 128 bytes, 8 of them 1024 bytes. MN-major: columns of 64 16-bit
// elements, 8 of them 1024 bytes, the next 64 elements `leading_bytes` on
// (K-major ignores that).
// PTX ISA 9.7.15.5.1.2.2.
__device__ __forceinline__ uint64_t
WgmmaDescriptor128B(uint32_t shared_address, uint32_t leading_bytes) {
  constexpr uint64_t kSwizzle128B = 1;
  constexpr uint64_t kStrideBytes = 1024;
  return static_cast<uint64_t>((shared_address & 0x3ffff) >> 4) |
         static_cast<uint64_t>(leading_bytes >> 4) << 16 |
         (kStrideBytes >> 4) << 32 | kSwizzle128B << 62;
}

// The same, `bytes` (a multiple of 16) further on. Shared memory is too small
// for the start to run out of its 14 bits, so one 32-bit addition does.
__device__ __forceinline__ uint64_t WgmmaDescriptorAt(uint64_t descriptor,
                                                      uint32_t bytes) {
  const uint32_t low = static_cast<uint32_t>(descriptor) + (bytes >> 4);
  return (descriptor & 0xffffffff00000000ull) | low;
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_WGMMA_H_
