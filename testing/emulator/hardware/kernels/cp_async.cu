// cp.async: sizes, zero fill, groups, and completion on an mbarrier.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

constexpr int kBytes = 4096;

__device__ void Fill(uint8_t* buffer) {
  FillWords(Words(buffer), 0xCDCDCDCD, kBytes / 4);
  __syncthreads();
}

__device__ void WaitAllAndShow(uint8_t* buffer, uint8_t* out) {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  CopyWords(Words(out), Words(buffer), kBytes / 4);
}

}  // namespace

#define CP_ASYNC_KERNEL(name, cache, bytes)                                    \
  MICRO_KERNEL(cp_async_##name) {                                              \
    __shared__ alignas(16) uint8_t buffer[kBytes];                             \
    Fill(buffer);                                                              \
    const uint32_t to = Shared(buffer) + threadIdx.x * 2 * bytes;              \
    const uint8_t* from = in + threadIdx.x * 3 * bytes;                        \
    asm volatile("cp.async." cache ".shared.global [%0], [%1], %2;" ::"r"(to), \
                 "l"(from), "n"(bytes)                                         \
                 : "memory");                                                  \
    /* Source sizes from 0 to `bytes`: the rest is zero. */                    \
    asm volatile("cp.async." cache                                             \
                 ".shared.global [%0], [%1], %2, %3;" ::"r"(to + bytes),       \
                 "l"(from + bytes), "n"(bytes), "r"(threadIdx.x % (bytes + 1)) \
                 : "memory");                                                  \
    WaitAllAndShow(buffer, out);                                               \
  }

CP_ASYNC_KERNEL(ca_4, "ca", 4)
CP_ASYNC_KERNEL(ca_8, "ca", 8)
CP_ASYNC_KERNEL(ca_16, "ca", 16)
CP_ASYNC_KERNEL(cg_16, "cg", 16)

// A true ignore-src predicate writes zeros.
MICRO_KERNEL(cp_async_ignore) {
  __shared__ alignas(16) uint8_t buffer[kBytes];
  Fill(buffer);
  asm volatile(
      "{\n.reg .pred q;\nsetp.ne.u32 q, %2, 0;\n"
      "cp.async.ca.shared.global [%0], [%1], 16, q;\n}" ::"r"(Shared(buffer) +
                                                              threadIdx.x * 16),
      "l"(in + threadIdx.x * 16), "r"(threadIdx.x & 1)
      : "memory");
  WaitAllAndShow(buffer, out);
}

MICRO_KERNEL(cp_async_groups) {
  __shared__ alignas(16) uint8_t buffer[kBytes];
  Fill(buffer);
  for (int i = 0; i < 4; ++i) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     Shared(buffer) + (i * 32 + threadIdx.x) * 16),
                 "l"(in + ((3 - i) * 32 + threadIdx.x) * 16)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  // The first two groups are complete for the thread that waited.
  asm volatile("cp.async.wait_group 2;" ::: "memory");
  Words(out)[kBytes / 4 + threadIdx.x] =
      Words(buffer)[threadIdx.x * 4] ^ Words(buffer)[(32 + threadIdx.x) * 4];
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  WaitAllAndShow(buffer, out);
}

// v[0]: 1 for .noinc, whose arrivals are counted by the initialisation.
MICRO_KERNEL(cp_async_barrier) {
  __shared__ alignas(16) uint8_t buffer[kBytes];
  __shared__ uint64_t barrier;
  Fill(buffer);
  if (threadIdx.x == 0) BarrierInit(Shared(&barrier), 32);
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                   Shared(buffer) + threadIdx.x * 16),
               "l"(in + (31 - threadIdx.x) * 16)
               : "memory");
  if (p.v[0] != 0) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                     Shared(&barrier))
                 : "memory");
  } else {
    asm volatile(
        "cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(Shared(&barrier))
        : "memory");
    asm volatile(
        "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(Shared(&barrier))
        : "memory");
  }
  WaitParity(Shared(&barrier), 0);
  CopyWords(Words(out), Words(buffer), 128);
  Words(out)[128 + threadIdx.x] = TestParity(Shared(&barrier), 1);
}

}  // namespace tiletune::micro
