// D (M x N, fp32, row-major) = A (M x K) * B (N x K)^T in bf16, one 128x128
// tile a CTA: TMA, mbarrier, tcgen05. Compiled to tensor_gemm.ptx with
//   nvcc -ptx -gencode arch=compute_100f,code=compute_100f tensor_gemm.cu
#include <cstdint>

struct alignas(64) Map {
  uint64_t d[16];
};
__device__ inline uint32_t saddr(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ inline bool elect() {
  uint32_t p = 0;
  asm volatile(
      "{\n\t.reg .pred P;\n\telect.sync _|P, 0xffffffff;\n\tselp.u32 "
      "%0,1,0,P;\n\t}"
      : "=r"(p));
  return p;
}
__device__ inline void wait_(uint32_t bar, uint32_t ph) {
  asm volatile(
      "{\n\t.reg .pred "
      "P1;\n\tLAB_WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], "
      "%1;\n\t@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(bar),
      "r"(ph)
      : "memory");
}
// D[M,N] fp32 row-major = A[M,K] * B[N,K]^T ; tile 128x128x64
extern "C" __global__ void __launch_bounds__(128)
    tensor_gemm(const __grid_constant__ Map a, const __grid_constant__ Map b,
                float* d, int M, int N, int K) {
  extern __shared__ __align__(1024) uint8_t smem[];
  __shared__ __align__(8) uint64_t full[4], empty[4], done;
  __shared__ uint32_t tmem;
  int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; i++) {
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(saddr(&full[i])));
      asm volatile(
          "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(saddr(&empty[i])));
    }
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(saddr(&done)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  if (warp == 0) {
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::
            "r"(saddr(&tmem)));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  asm volatile("tcgen05.fence::before_thread_sync;");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;");
  uint32_t t = tmem;
  int kb = K / 64;
  if (warp == 1 && elect()) {
    for (int k = 0; k < kb; k++) {
      int s = k % 4;
      uint32_t ph = (k / 4) & 1;
      wait_(saddr(&empty[s]), ph ^ 1);
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
              saddr(&full[s])),
          "r"(32768));
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_"
          "tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(saddr(smem + s * 32768)),
          "l"(&a), "r"(saddr(&full[s])), "r"(k * 64), "r"(int(blockIdx.x * 128))
          : "memory");
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_"
          "tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(
              saddr(smem + s * 32768 + 16384)),
          "l"(&b), "r"(saddr(&full[s])), "r"(k * 64), "r"(int(blockIdx.y * 128))
          : "memory");
    }
  } else if (warp == 2 && elect()) {
    uint32_t idesc = (1u << 4) | (1u << 7) | (1u << 10) | ((128u >> 3) << 17) |
                     ((128u >> 4) << 24);
    for (int k = 0; k < kb; k++) {
      int s = k % 4;
      uint32_t ph = (k / 4) & 1;
      wait_(saddr(&full[s]), ph);
      asm volatile("tcgen05.fence::after_thread_sync;");
      for (int j = 0; j < 4; j++) {
        uint64_t base = 0x4000404000000000ull;
        uint64_t da = base | ((saddr(smem + s * 32768) + 32 * j) >> 4 & 0x3fff),
                 db = base | ((saddr(smem + s * 32768 + 16384) + 32 * j) >> 4 &
                              0x3fff);
        uint32_t acc = (k | j) != 0;
        asm volatile(
            "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %4, "
            "0;\n\ttcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, "
            "p;\n\t}" ::"r"(t),
            "l"(da), "l"(db), "r"(idesc), "r"(acc));
      }
      asm volatile(
          "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
          "b64 [%0];" ::"r"(saddr(&empty[s]))
          : "memory");
    }
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
        "[%0];" ::"r"(saddr(&done))
        : "memory");
  }
  __syncwarp();
  wait_(saddr(&done), 0);
  asm volatile("tcgen05.fence::after_thread_sync;");
  for (int c = 0; c < 128; c += 8) {
    uint32_t r[8];
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]),
          "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
        : "r"(t + ((warp * 32) << 16) + c));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    int row = blockIdx.x * 128 + threadIdx.x;
    for (int i = 0; i < 8; i++)
      if (row < M && blockIdx.y * 128 + c + i < N)
        d[(size_t)row * N + blockIdx.y * 128 + c + i] = __uint_as_float(r[i]);
  }
  asm volatile("tcgen05.fence::before_thread_sync;");
  __syncthreads();
  if (warp == 0)
    asm volatile(
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(t));
}
