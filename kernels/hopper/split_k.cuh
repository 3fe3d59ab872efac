// Split-K: adds up the slices of one warpgroup's part of a tile.
//
// Every slice leaves its sum in the workspace and takes a ticket; whoever draws
// the last one finds all the others there, adds them up in slice order, so that
// the result never depends on who came last, and goes on to the epilogue. No
// slice waits for another: under any supply an earlier slice may not have
// started.
//
//   SplitK<Shape> split(params, consumer);
//   if (!split.Reduce(tile, position, sum)) continue;   // not the last
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/ptx/named_barrier.h"

namespace tiletune::hopper {

template <class Shape>
class SplitK {
 public:
  using Accumulators = float[Shape::kRowBlocks][Shape::kBlockRegisters];

  __device__ __forceinline__ SplitK(const GemmParams& params, int consumer)
      : params_(params), consumer_(consumer) {}

  // True for the last arriver, which then holds the whole sum. All 128 threads.
  __device__ __forceinline__ bool Reduce(const TileCoord& tile,
                                         const ClusterPosition<Shape>& position,
                                         Accumulators& sum) {
    const uint32_t slices = params_.order.k_slices;
    if (slices == 1) return true;
    const uint64_t part = Part(tile, position);
    float4* const first = reinterpret_cast<float4*>(params_.partials) +
                          part * slices * kVectors * 128 + threadIdx.x % 128;
    Write(first + tile.k_slice * uint64_t{kVectors} * 128, sum);
    if (!IsLast(&params_.tickets[part], slices)) return false;
    Read(first, sum, /*accumulate=*/false);
    for (uint32_t slice = 1; slice < slices; ++slice) {
      Read(first + slice * uint64_t{kVectors} * 128, sum, /*accumulate=*/true);
    }
    return true;
  }

 private:
  // Vectors of four accumulators of one thread; the workspace keeps vector v of
  // thread t at [v][t], so that a warp's accesses are contiguous.
  static constexpr int kBlockVectors = Shape::kBlockRegisters / 4;
  static constexpr int kVectors = Shape::kRowBlocks * kBlockVectors;

  // The number of this warpgroup's part of D among all of them.
  __device__ __forceinline__ uint64_t
  Part(const TileCoord& tile, const ClusterPosition<Shape>& position) const {
    const Order& order = params_.order;
    const uint64_t cluster_tile =
        (static_cast<uint64_t>(tile.batch) * order.tiles_m + tile.m) *
            order.tiles_n +
        tile.n;
    const uint32_t rank = position.n * Shape::kClusterM + position.m;
    const uint64_t cta_tile = cluster_tile * Shape::kClusterSize + rank;
    return cta_tile * Shape::kConsumersPerTile +
           (Shape::kPingPong ? 0 : consumer_);
  }

  __device__ __forceinline__ static void Write(float4* out,
                                               const Accumulators& sum) {
#pragma unroll
    for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < kBlockVectors; ++j) {
        const float* v = &sum[i][4 * j];
        __stcg(out + (i * kBlockVectors + j) * 128,
               make_float4(v[0], v[1], v[2], v[3]));
      }
    }
  }

  __device__ __forceinline__ static void Read(const float4* in,
                                              Accumulators& sum,
                                              bool accumulate) {
#pragma unroll
    for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < kBlockVectors; ++j) {
        const float4 v = __ldcg(in + (i * kBlockVectors + j) * 128);
        float* s = &sum[i][4 * j];
        s[0] = accumulate ? s[0] + v.x : v.x;
        s[1] = accumulate ? s[1] + v.y : v.y;
        s[2] = accumulate ? s[2] + v.z : v.z;
        s[3] = accumulate ? s[3] + v.w : v.w;
      }
    }
  }

  // Publishes this warpgroup's partial sums; the last one sees all of them.
  __device__ __forceinline__ bool IsLast(uint64_t* ticket, uint32_t slices) {
    const uint32_t barrier = 1 + consumer_;
    __threadfence();
    ptx::barrier_cta_sync(barrier, 128);
    bool last = false;
    if (threadIdx.x % 128 == 0) last = TakeTicket(ticket) == slices - 1;
    last = ptx::barrier_cta_red_or(barrier, 128, last);
    if (last) __threadfence();
    return last;
  }

  // The number of slices that came before. A ticket is {launch, count}; one
  // that names another launch counts as 0, so the workspace needs no clearing
  // ahead of the kernel, and the last one leaves it naming none.
  __device__ __forceinline__ uint32_t TakeTicket(uint64_t* ticket) const {
    const uint64_t launch = params_.launch_number << 16;
    unsigned long long* const word =
        reinterpret_cast<unsigned long long*>(ticket);
    unsigned long long seen = __ldcg(word);
    while (true) {
      const uint32_t count =
          seen >> 16 == params_.launch_number ? seen & 0xffff : 0;
      const bool last = count == params_.order.k_slices - 1;
      const unsigned long long found =
          atomicCAS(word, seen, last ? 0 : launch | (count + 1));
      if (found == seen) return count;
      seen = found;
    }
  }

  const GemmParams& params_;
  int consumer_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
