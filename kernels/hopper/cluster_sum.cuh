// Adds up the partial sums of the CTAs that share one tile along K (kClusterK
// of them), through each other's shared memory.
//
// Each CTA of the group becomes the owner of some columns of the tile. All send
// every owner its columns, each into a slot of its own in the owner's inbox;
// the owner adds the slots in rank order, so the result is always the same.
//
//   ClusterSum<Shape, Supply> exchange(shared, consumer);
//   exchange.Reduce(position, sum, share);   // share: this CTA's columns
//   ... epilogue of `share` ...
//   exchange.Release(position);              // the inbox may be filled again
//
//   sender: wait empty -> store to inbox[own rank] of every owner -> full
//   (there) owner:  wait full -> add the slots -> empty of every sender
#ifndef TILETUNE_KERNELS_HOPPER_CLUSTER_SUM_CUH_
#define TILETUNE_KERNELS_HOPPER_CLUSTER_SUM_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/mbarrier.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class ClusterSum {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Accumulators = float[Shape::kRowBlocks][Shape::kBlockRegisters];
  using Share = float[Shape::kRowBlocks][Shape::kShareRegisters];

  __device__ __forceinline__ ClusterSum(Storage& shared, int consumer)
      : shared_(shared), consumer_(consumer) {}

  // All 128 threads of the warpgroup, in every CTA of the group.
  __device__ __forceinline__ void Reduce(const ClusterPosition<Shape>& position,
                                         const Accumulators& sum,
                                         Share& share) {
    ptx::mbarrier_wait_parity_cluster(&shared_.inbox_empty[consumer_],
                                      parity_ ^ 1);
#pragma unroll
    for (int owner = 0; owner < Shape::kClusterK; ++owner) {
      Send(position, owner, sum);
    }
    ptx::mbarrier_wait_parity_cluster(&shared_.inbox_full[consumer_], parity_);
    parity_ ^= 1;
#pragma unroll
    for (int sender = 0; sender < Shape::kClusterK; ++sender) {
      Add(sender, share);
    }
  }

  // After the last tile: waits until no arrival is on its way to this CTA.
  __device__ __forceinline__ void Finish() {
    if constexpr (Shape::kClusterK > 1) {
      ptx::mbarrier_wait_parity_cluster(&shared_.inbox_empty[consumer_],
                                        parity_ ^ 1);
    }
  }

  // Lets the senders write again.
  __device__ __forceinline__ void Release(
      const ClusterPosition<Shape>& position) {
    __syncwarp();
    const uint32_t lane = threadIdx.x % 32;
    if (lane < Shape::kClusterK) {
      ptx::mbarrier_arrive_release_cluster(ptx::mapa_shared_cluster(
          ptx::cvta_to_shared(&shared_.inbox_empty[consumer_]),
          position.RankAtK(lane % Shape::kClusterK)));
    }
  }

 private:
  // Vectors of four sums, as in split_k.cuh; one is 8 columns of 16 rows.
  static constexpr int kVectors = Shape::kShareRegisters / 4;

  // The inbox holds vector v of row block b of thread t, from `sender`.
  __device__ __forceinline__ float4* InboxAt(int sender, int block, int v) {
    const int slot = (sender * Shape::kRowBlocks + block) * kVectors + v;
    return reinterpret_cast<float4*>(shared_.inbox +
                                     consumer_ * Shape::kInboxBytes) +
           slot * 128 + threadIdx.x % 128;
  }

  __device__ __forceinline__ void Send(const ClusterPosition<Shape>& position,
                                       int owner, const Accumulators& sum) {
    const uint32_t rank = position.RankAtK(owner);
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        const float* s = &sum[block][owner * Shape::kShareRegisters + v * 4];
        const uint32_t to = ptx::mapa_shared_cluster(
            ptx::cvta_to_shared(InboxAt(position.k, block, v)), rank);
        ptx::st_shared_cluster_v4(to, __float_as_uint(s[0]),
                                  __float_as_uint(s[1]), __float_as_uint(s[2]),
                                  __float_as_uint(s[3]));
      }
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive_release_cluster(ptx::mapa_shared_cluster(
          ptx::cvta_to_shared(&shared_.inbox_full[consumer_]), rank));
    }
  }

  __device__ __forceinline__ void Add(int sender, Share& share) {
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        const float4 in = *InboxAt(sender, block, v);
        float* s = &share[block][v * 4];
        s[0] = sender == 0 ? in.x : s[0] + in.x;
        s[1] = sender == 0 ? in.y : s[1] + in.y;
        s[2] = sender == 0 ? in.z : s[2] + in.z;
        s[3] = sender == 0 ? in.w : s[3] + in.w;
      }
    }
  }

  Storage& shared_;
  int consumer_;
  uint32_t parity_ = 0;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_CLUSTER_SUM_CUH_
