// D (M x N, fp32, row-major) = A (M x K) * B (N x K)^T in bf16, one warpgroup
// and one 64x64 tile a CTA: TMA, mbarrier, wgmma with both operands in shared
// memory. Compiled to warpgroup_gemm.ptx with
//   nvcc -ptx -arch=sm_90a warpgroup_gemm.cu
#include <cstdint>

struct alignas(64) TensorMap {
  uint64_t words[16];
};

__device__ inline uint32_t SharedAddress(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void Load(uint32_t to, const TensorMap* map, uint32_t bar,
                            int k, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(map), "r"(bar), "r"(k), "r"(row)
      : "memory");
}

__device__ inline void Wait(uint32_t bar, uint32_t parity) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tAGAIN:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
      "@!p bra AGAIN;\n\t}" ::"r"(bar),
      "r"(parity)
      : "memory");
}

extern "C" __global__ void __launch_bounds__(128)
    warpgroup_gemm(const __grid_constant__ TensorMap a,
                   const __grid_constant__ TensorMap b, float* d, int n,
                   int k) {
  __shared__ __align__(1024) uint8_t tiles[2 * 8192];
  __shared__ __align__(8) uint64_t full;
  const uint32_t bar = SharedAddress(&full);
  const uint32_t a_tile = SharedAddress(tiles);
  const uint32_t b_tile = a_tile + 8192;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  float acc[32] = {};
  for (int i = 0; i < k / 64; ++i) {
    if (threadIdx.x == 0) {
      asm volatile(
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(
              bar));
      Load(a_tile, &a, bar, 64 * i, static_cast<int>(64 * blockIdx.x));
      Load(b_tile, &b, bar, 64 * i, static_cast<int>(64 * blockIdx.y));
    }
    Wait(bar, i & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int j = 0; j < 4; ++j) {
      // SWIZZLE_128B, 1024 bytes between groups of eight rows.
      const uint64_t base = 0x4000004000010000ull;
      const uint64_t a_desc = base | (((a_tile + 32 * j) & 0x3FFFF) >> 4);
      const uint64_t b_desc = base | (((b_tile + 32 * j) & 0x3FFFF) >> 4);
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
          "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
          "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
          "%32, %33, 1, 1, 1, 0, 0;"
          : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]),
            "+f"(acc[4]), "+f"(acc[5]), "+f"(acc[6]), "+f"(acc[7]),
            "+f"(acc[8]), "+f"(acc[9]), "+f"(acc[10]), "+f"(acc[11]),
            "+f"(acc[12]), "+f"(acc[13]), "+f"(acc[14]), "+f"(acc[15]),
            "+f"(acc[16]), "+f"(acc[17]), "+f"(acc[18]), "+f"(acc[19]),
            "+f"(acc[20]), "+f"(acc[21]), "+f"(acc[22]), "+f"(acc[23]),
            "+f"(acc[24]), "+f"(acc[25]), "+f"(acc[26]), "+f"(acc[27]),
            "+f"(acc[28]), "+f"(acc[29]), "+f"(acc[30]), "+f"(acc[31])
          : "l"(a_desc), "l"(b_desc));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const int lane = threadIdx.x % 32;
  const int row = 64 * blockIdx.x + threadIdx.x / 32 * 16 + lane / 4;
  const int column = 64 * blockIdx.y + 2 * (lane % 4);
  for (int r = 0; r < 32; ++r) {
    d[static_cast<size_t>(row + (r / 2 % 2) * 8) * n + column + r / 4 * 8 +
      r % 2] = acc[r];
  }
}
