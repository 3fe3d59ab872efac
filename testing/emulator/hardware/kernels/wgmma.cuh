// The frame of the wgmma kernels: shared memory straight from `in`, matrix
// descriptors put together from numbers, D as each thread holds it.
//
// v[0], v[1]: offsets of A and B; v[2..5]: leading and stride dimension byte
// offsets, swizzle mode and base offset of A; v[6..9]: of B; v[10]: scale-d.
//
//   WGMMA_SHARED_KERNEL(bf16_n16, 8, "m64n16k16.f32.bf16.bf16",
//                       ", p, 1, 1, 0, 0", Float)
//   // defines wgmma_bf16_n16 for 128 threads and 64 KiB of dynamic shared
//   // memory; D starts as small integers
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_WGMMA_CUH_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_WGMMA_CUH_

#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

constexpr int kWgmmaShared = 65536;

// Fields of PTX ISA 9.7.15.5.1.2.2; addresses and offsets without their low
// four bits.
__device__ __forceinline__ uint64_t Descriptor(uint32_t address,
                                               const int32_t* fields) {
  return static_cast<uint64_t>((address & 0x3FFFF) >> 4) |
         static_cast<uint64_t>(fields[0] >> 4 & 0x3FFF) << 16 |
         static_cast<uint64_t>(fields[1] >> 4 & 0x3FFF) << 32 |
         static_cast<uint64_t>(fields[3] & 7) << 49 |
         static_cast<uint64_t>(fields[2] & 3) << 62;
}

// What D holds before the instruction, by thread and register.
__device__ __forceinline__ int Initial(int i) {
  return static_cast<int>(threadIdx.x * 7 + i * 3) % 31 - 15;
}
__device__ __forceinline__ uint32_t Float(int value) {
  return __float_as_uint(static_cast<float>(value));
}
__device__ __forceinline__ uint32_t Int(int value) {
  return static_cast<uint32_t>(value);
}
// Two halves: 1024 has the bits of a power of two, so small sums are exact.
__device__ __forceinline__ uint32_t Halves(int value) {
  return value < 0 ? 0x64006800 : 0x68006400;
}

template <int kCount, uint32_t (*kEncode)(int)>
__device__ __forceinline__ void StartWgmma(uint8_t* shared, const uint8_t* in,
                                           uint32_t (&d)[kCount]) {
  CopyWords(Words(shared), Words(in), kWgmmaShared / 4);
  for (int i = 0; i < kCount; ++i) d[i] = kEncode(Initial(i));
  FenceProxyAsync();
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// The first words of D and a hash of all of it.
template <int kCount>
__device__ __forceinline__ void FinishWgmma(uint8_t* out,
                                            uint32_t (&d)[kCount]) {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  constexpr int kShown = 4;
  uint32_t* to = Words(out) + threadIdx.x * (kShown + 1);
  uint32_t hash = 2166136261u;
  for (int i = 0; i < kCount; ++i) {
    if (i < kShown) to[i] = d[i];
    hash = (hash ^ d[i]) * 16777619u;
  }
  to[kShown] = hash;
}

// Lists of registers and of operands, by their number.
#define R4 "%0, %1, %2, %3"
#define R8 R4 ", %4, %5, %6, %7"
#define R12 R8 ", %8, %9, %10, %11"
#define R16 R12 ", %12, %13, %14, %15"
#define R32                                                                 \
  R16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, " \
      "%29, %30, %31"
#define R128                                                                   \
  R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "    \
      "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, " \
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, " \
      "%73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, " \
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "      \
      "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "     \
      "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "     \
      "%122, %123, %124, %125, %126, %127"
#define D4(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define D8(i) D4(i), D4(i + 4)
#define D12(i) D8(i), D4(i + 8)
#define D16(i) D8(i), D8(i + 8)
#define D32(i) D16(i), D16(i + 16)
#define D128(i) D32(i), D32(i + 32), D32(i + 64), D32(i + 96)
// The operands behind 4, 8, ... registers: the next six.
#define AFTER4 "%4", "%5", "%6", "%7", "%8", "%9"
#define AFTER8 "%8", "%9", "%10", "%11", "%12", "%13"
#define AFTER12 "%12", "%13", "%14", "%15", "%16", "%17"
#define AFTER32 "%32", "%33", "%34", "%35", "%36", "%37"
#define AFTER128 "%128", "%129", "%130", "%131", "%132", "%133"

#define WGMMA_TEXT_SS(instruction, registers, tail, a, b, s, ...)          \
  "{\n.reg .pred p;\nsetp.ne.b32 p, " s                                    \
  ", 0;\nwgmma.mma_async.sync.aligned." instruction " {" registers "}, " a \
  ", " b tail ";\n}"
#define WGMMA_TEXT_RS(instruction, registers, tail, a0, a1, a2, a3, b, s)    \
  "{\n.reg .pred p;\nsetp.ne.b32 p, " s                                      \
  ", 0;\nwgmma.mma_async.sync.aligned." instruction " {" registers "}, {" a0 \
  ", " a1 ", " a2 ", " a3 "}, " b tail ";\n}"
#define EXPAND(macro, ...) macro(__VA_ARGS__)

// A and B from shared memory. `count` registers of D; `tail` is what follows
// the descriptors; p is scale-d.
#define WGMMA_SHARED_KERNEL(name, count, instruction, tail, encode)      \
  MICRO_KERNEL(wgmma_##name) {                                           \
    extern __shared__ __align__(1024) uint8_t shared[];                  \
    uint32_t d[count];                                                   \
    StartWgmma<count, encode>(shared, in, d);                            \
    const uint64_t a = Descriptor(Shared(shared) + p.v[0], p.v + 2);     \
    const uint64_t b = Descriptor(Shared(shared) + p.v[1], p.v + 6);     \
    asm volatile(                                                        \
        EXPAND(WGMMA_TEXT_SS, instruction, R##count, tail, AFTER##count) \
        : D##count(0)                                                    \
        : "l"(a), "l"(b), "r"(p.v[10])                                   \
        : "memory");                                                     \
    FinishWgmma(out, d);                                                 \
  }

// A from registers: four words of `in` for each thread.
#define WGMMA_REGISTER_KERNEL(name, count, instruction, tail, encode)    \
  MICRO_KERNEL(wgmma_##name) {                                           \
    extern __shared__ __align__(1024) uint8_t shared[];                  \
    uint32_t d[count];                                                   \
    const uint32_t* a = Words(in) + threadIdx.x * 4;                     \
    const uint32_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];           \
    StartWgmma<count, encode>(shared, in, d);                            \
    const uint64_t b = Descriptor(Shared(shared) + p.v[1], p.v + 6);     \
    asm volatile(                                                        \
        EXPAND(WGMMA_TEXT_RS, instruction, R##count, tail, AFTER##count) \
        : D##count(0)                                                    \
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(p.v[10])       \
        : "memory");                                                     \
    FinishWgmma(out, d);                                                 \
  }

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_KERNELS_WGMMA_CUH_
