// Atomics whose outcome does not depend on the order: the final memory, and a
// commutative digest of the values returned where that is determined too.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

// All threads of all CTAs on eight words of `out`.
#define ATOMIC_GLOBAL(operation, type, i, value)   \
  asm volatile("red.global." operation "." type    \
               " [%0], %1;" ::"l"(Words(out) + i), \
               "r"(value)                          \
               : "memory")

MICRO_KERNEL(atomics_global) {
  const uint32_t value = Words(in)[blockIdx.x * blockDim.x + threadIdx.x];
  ATOMIC_GLOBAL("add", "u32", 0, value);
  ATOMIC_GLOBAL("min", "s32", 1, value);
  ATOMIC_GLOBAL("max", "s32", 2, value);
  ATOMIC_GLOBAL("min", "u32", 3, value);
  ATOMIC_GLOBAL("max", "u32", 4, value);
  ATOMIC_GLOBAL("and", "b32", 5, value | 0xF0F0F0F0);
  ATOMIC_GLOBAL("or", "b32", 6, value & 0x11111111);
  ATOMIC_GLOBAL("xor", "b32", 7, value);
  ATOMIC_GLOBAL("inc", "u32", 8, 12u);
  ATOMIC_GLOBAL("dec", "u32", 9, 17u);
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(out + 48),
               "l"(static_cast<uint64_t>(value) << 20)
               : "memory");
}

// Order-free returns: every thread takes another ticket; exchanges permute.
MICRO_KERNEL(atomics_shared) {
  __shared__ uint32_t words[8];
  __shared__ uint32_t digest[4];
  if (threadIdx.x < 8) words[threadIdx.x] = 0;
  if (threadIdx.x < 4) digest[threadIdx.x] = 0;
  __syncthreads();
  uint32_t ticket;
  asm volatile("atom.shared.add.u32 %0, [%1], 3;"
               : "=r"(ticket)
               : "r"(Shared(&words[0]))
               : "memory");
  Words(out)[16 + ticket / 3] = ticket;
  uint32_t old;
  asm volatile("atom.shared.inc.u32 %0, [%1], 6;"
               : "=r"(old)
               : "r"(Shared(&words[1]))
               : "memory");
  atomicAdd(&digest[0], old);
  asm volatile("atom.shared.dec.u32 %0, [%1], 6;"
               : "=r"(old)
               : "r"(Shared(&words[2]))
               : "memory");
  atomicAdd(&digest[1], old);
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
               : "=r"(old)
               : "r"(Shared(&words[3])), "r"(threadIdx.x + 100)
               : "memory");
  atomicAdd(&digest[2], old);
  // A lock-free maximum by compare and swap.
  const uint32_t mine = Words(in)[threadIdx.x];
  uint32_t seen = 0;
  bool done = false;
  while (!done) {
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "r"(Shared(&words[4])), "r"(seen),
                   "r"(mine > seen ? mine : seen)
                 : "memory");
    done = old == seen;
    seen = old;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; ++i) Words(out)[i] = words[i];
    // The last value exchanged in has not come out again.
    Words(out)[3] = digest[2] + words[3];
    Words(out)[4] = words[4];
    Words(out)[5] = digest[0];
    Words(out)[6] = digest[1];
  }
}

// Floating sums of small integers are exact in any order.
MICRO_KERNEL(atomics_float) {
  const uint32_t word = Words(in)[blockIdx.x * blockDim.x + threadIdx.x];
  const float x = static_cast<float>(word % 5);
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(out), "f"(x) : "memory");
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(out + 8),
               "d"(static_cast<double>(x))
               : "memory");
  // 1.0 is 0x3C00 in f16 and 0x3F80 in bf16.
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(out + 16),
               "r"(0x3C00C000u)
               : "memory");
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(out + 20),
               "r"(0x3F80BF80u)
               : "memory");
  asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(out + 24),
               "h"(static_cast<uint16_t>(0x3C00))
               : "memory");
  asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};" ::"l"(out + 32),
               "f"(x), "f"(x + 1), "f"(x + 2), "f"(x + 3)
               : "memory");
  asm volatile("red.global.v2.f16x2.add.noftz [%0], {%1, %2};" ::"l"(out + 48),
               "r"(0x3C003C00u), "r"(0xBC00BC00u)
               : "memory");
}

}  // namespace tiletune::micro
