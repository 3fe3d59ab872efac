// Split-K: adds up the slices of one warpgroup's part of a tile.
//
// Every slice leaves its sum in the workspace and takes a ticket; whoever draws
// the last one finds all the others there, adds them up in slice order, so that
// the result never depends on who came last, and goes on to the epilogue. No
// slice waits for another: under any supply an earlier slice may not have
// started.
//
//   SplitK<Shape> split(params, consumer);
//   if (!split.Reduce(item, position, sum)) continue;   // not the last
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/named_barrier.h"

namespace tiletune::hopper {

template <class Shape>
class SplitK {
 public:
  using Accumulators = float[Shape::kRowBlocks][Shape::kShareRegisters];

  __device__ __forceinline__ SplitK(const GemmParams& params, int consumer)
      : params_(params), consumer_(consumer) {}

  // True for the last arriver, which then holds the whole sum. All 128 threads.
  __device__ __forceinline__ bool Reduce(const WorkItem& item,
                                         const ClusterPosition<Shape>& position,
                                         Accumulators& sum) {
    if (item.slices == 1) return true;
    const uint64_t part = Part(item, position);
    uint32_t* const ticket = &params_.tickets[part];
    float4* const first = reinterpret_cast<float4*>(params_.partials) +
                          part * item.slices * kSlot + threadIdx.x % 128;
    Write(first + item.tile.k_slice * kSlot, sum);
    if (!IsLast(ticket, item.slices)) return false;
    ReadAll(first, item.slices, sum);
    return true;
  }

 private:
  // Vectors of four accumulators of one thread; the workspace keeps vector v of
  // thread t at [v][t], so that a warp's accesses are contiguous.
  static constexpr int kBlockVectors = Shape::kShareRegisters / 4;
  static constexpr int kVectors = Shape::kRowBlocks * kBlockVectors;
  static constexpr uint64_t kSlot = kVectors * 128;
  // Slices read at once, to cover the latency of L2 without spilling.
  static constexpr int kAtOnce = kVectors >= 24 ? 1 : 24 / kVectors;

  // The number of this warpgroup's part of D among those that are split.
  __device__ __forceinline__ uint64_t
  Part(const WorkItem& item, const ClusterPosition<Shape>& position) const {
    const uint32_t rank = position.RankAtK(position.k);
    const uint64_t cta_tile = item.split_tile * Shape::kClusterSize + rank;
    return cta_tile * Shape::kConsumersPerTile +
           (Shape::kPingPong ? 0 : consumer_);
  }

  __device__ __forceinline__ static void Write(float4* out,
                                               const Accumulators& sum) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const float* s = &sum[v / kBlockVectors][v % kBlockVectors * 4];
      __stcg(out + v * 128, make_float4(s[0], s[1], s[2], s[3]));
    }
  }

  // Adds up the slices in their order.
  __device__ __forceinline__ static void ReadAll(const float4* first,
                                                 uint32_t slices,
                                                 Accumulators& sum) {
    Add<1, /*kOverwrite=*/true>(first, sum);
    uint32_t slice = 1;
    for (; slice + kAtOnce <= slices; slice += kAtOnce) {
      Add<kAtOnce, false>(first + slice * kSlot, sum);
    }
    for (; slice < slices; ++slice) Add<1, false>(first + slice * kSlot, sum);
  }

  template <int kSlices, bool kOverwrite>
  __device__ __forceinline__ static void Add(const float4* in,
                                             Accumulators& sum) {
    float4 loaded[kSlices][kVectors];
#pragma unroll
    for (int i = 0; i < kSlices; ++i) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        loaded[i][v] = __ldcg(in + i * kSlot + v * 128);
      }
    }
#pragma unroll
    for (int i = 0; i < kSlices; ++i) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        float* s = &sum[v / kBlockVectors][v % kBlockVectors * 4];
        s[0] = kOverwrite ? loaded[i][v].x : s[0] + loaded[i][v].x;
        s[1] = kOverwrite ? loaded[i][v].y : s[1] + loaded[i][v].y;
        s[2] = kOverwrite ? loaded[i][v].z : s[2] + loaded[i][v].z;
        s[3] = kOverwrite ? loaded[i][v].w : s[3] + loaded[i][v].w;
      }
    }
  }

  // Publishes this warpgroup's partial sums; the last one sees all of them. One
  // thread's fences do for all, as the barriers order the others with it. The
  // ticket counts to `slices` and is zero again.
  __device__ __forceinline__ bool IsLast(uint32_t* ticket, uint32_t slices) {
    const uint32_t barrier = 1 + consumer_;
    ptx::barrier_cta_sync(barrier, 128);
    bool last = false;
    if (threadIdx.x % 128 == 0) {
      ptx::fence_acq_rel_gpu();
      last = atomicInc(ticket, slices - 1) == slices - 1;
      if (last) ptx::fence_acq_rel_gpu();
    }
    return ptx::barrier_cta_red_or(barrier, 128, last);
  }

  const GemmParams& params_;
  int consumer_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
