// The mainloop: one consumer warpgroup multiplies the stages of a tile.
//
//   Mainloop<Shape, Supply> mainloop(params, shared, /*consumer=*/1,
//                                    /*first_row=*/64, /*first_column=*/0);
//   mainloop.Run(k_tiles, accumulators);   // all 128 threads
//   mainloop.Skip(k_tiles);                // a tile of the other warpgroup
//
// Ping-pong warpgroups take turns: one starts on its stages when the other has
// seen the last of its own. Otherwise the tensor cores would be shared, and a
// warpgroup that is a whole lap of the ring ahead would take an old phase of a
// barrier for the one it waits for.
#ifndef TILETUNE_KERNELS_HOPPER_MAINLOOP_CUH_
#define TILETUNE_KERNELS_HOPPER_MAINLOOP_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/wgmma.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class Mainloop {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Accumulators = float[Shape::kRowBlocks][Shape::kBlockRegisters];

  // `consumer`: this warpgroup's number; `first_row`, `first_column`: where its
  // part of the tile begins.
  __device__ __forceinline__ Mainloop(const GemmParams& params, Storage& shared,
                                      int consumer, int first_row,
                                      int first_column)
      : params_(params),
        shared_(shared),
        consumer_(consumer),
        first_row_(first_row),
        first_column_(first_column),
        turn_parity_(consumer == 0 ? 1 : 0) {}

  // Overwrites `sum` with the product of the next `k_tiles` stages.
  __device__ __forceinline__ void Run(uint32_t k_tiles, Accumulators& sum) {
    WaitTurn();
    if (k_tiles == 0) {
      PassTurn();
#pragma unroll
      for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
        for (int j = 0; j < Shape::kBlockRegisters; ++j) sum[i][j] = 0.0f;
      }
      return;
    }
    // Type and majorness are in the instruction, so each has its own loop; all
    // the rest of the kernel is shared.
    using ptx::WgmmaType;
    if constexpr (Shape::kOperandBits == 8) {
      const bool a5 = params_.a_type == ElementType::kE5m2;
      const bool b5 = params_.b_type == ElementType::kE5m2;
      if (a5) {
        b5 ? Loop<WgmmaType::kE5m2, 0, 0>(k_tiles, sum)
           : Loop<WgmmaType::kE5m2E4m3, 0, 0>(k_tiles, sum);
      } else {
        b5 ? Loop<WgmmaType::kE4m3E5m2, 0, 0>(k_tiles, sum)
           : Loop<WgmmaType::kE4m3, 0, 0>(k_tiles, sum);
      }
    } else if (params_.a_type == ElementType::kBf16) {
      ForMajorness<WgmmaType::kBf16>(k_tiles, sum);
    } else {
      ForMajorness<WgmmaType::kFp16>(k_tiles, sum);
    }
  }

  __device__ __forceinline__ void Skip(uint32_t k_tiles) {
    at_.Advance(k_tiles);
  }

 private:
  template <ptx::WgmmaType kType>
  __device__ __forceinline__ void ForMajorness(uint32_t k_tiles,
                                               Accumulators& sum) {
    constexpr int kMnA = Shape::kAMayBeMnMajor;
    constexpr int kMnB = Shape::kBMayBeMnMajor;
    if (!kMnA || params_.a_is_k_major) {
      if (!kMnB || params_.b_is_k_major) {
        Loop<kType, 0, 0>(k_tiles, sum);
      } else {
        Loop<kType, 0, kMnB>(k_tiles, sum);
      }
    } else {
      if (!kMnB || params_.b_is_k_major) {
        Loop<kType, kMnA, 0>(k_tiles, sum);
      } else {
        Loop<kType, kMnA, kMnB>(k_tiles, sum);
      }
    }
  }

  // One wgmma group stays in flight: a stage is released when the group after
  // the one that read it has been issued. The first stage stands apart so that
  // the compiler sees it overwrite the sums, and keeps no old ones alive.
  template <ptx::WgmmaType kType, int kTransA, int kTransB>
  __device__ __forceinline__ void Loop(uint32_t k_tiles, Accumulators& sum) {
    MultiplyStage<kType, kTransA, kTransB, /*kAccumulate=*/false>(sum);
    for (uint32_t i = 1; i < k_tiles; ++i) {
      const uint32_t previous = at_.stage;
      at_.Advance();
      MultiplyStage<kType, kTransA, kTransB, /*kAccumulate=*/true>(sum);
      ptx::wgmma_wait_group<1>();
      Release(previous);
    }
    PassTurn();
    ptx::wgmma_wait_group<0>();
    Release(at_.stage);
    at_.Advance();
  }

  // Waits for stage at_ and issues its wgmma, as one group.
  template <ptx::WgmmaType kType, int kTransA, int kTransB, bool kAccumulate>
  __device__ __forceinline__ void MultiplyStage(Accumulators& sum) {
    ptx::mbarrier_wait_parity(&shared_.full[at_.stage], at_.parity);
    ptx::wgmma_fence();
    const uint8_t* a_stage = shared_.a[at_.stage] + first_row_ * 128;
    const uint8_t* b_stage = shared_.b[at_.stage] + first_column_ * 128;
    const uint64_t a = ptx::WgmmaDescriptor128B(ptx::cvta_to_shared(a_stage),
                                                Shape::kChunkBytes);
    const uint64_t b = ptx::WgmmaDescriptor128B(ptx::cvta_to_shared(b_stage),
                                                Shape::kChunkBytes);
    // One instruction's K: 32 bytes of a K-major row, 16 rows of an MN-major
    // chunk.
    constexpr int kStepA = kTransA != 0 ? 16 * 128 : 32;
    constexpr int kStepB = kTransB != 0 ? 16 * 128 : 32;
#pragma unroll
    for (int block = 0; block < Shape::kBlocks; ++block) {
#pragma unroll
      for (int step = 0; step < 4; ++step) {
#pragma unroll
        for (int rows = 0; rows < Shape::kRowBlocks; ++rows) {
          ptx::Wgmma<Shape::kColumnsPerConsumer>::template MmaAsync<
              kType, kTransA, kTransB>(
              sum[rows],
              ptx::WgmmaDescriptorAt(a, block * Shape::kABlockBytes +
                                            rows * 64 * 128 + step * kStepA),
              ptx::WgmmaDescriptorAt(
                  b, block * Shape::kBBlockBytes + step * kStepB),
              kAccumulate || block + step != 0);
        }
      }
    }
    ptx::wgmma_commit_group();
  }

  // The first turn is warpgroup 0's: its barrier starts one phase ahead.
  __device__ __forceinline__ void WaitTurn() {
    if constexpr (Shape::kPingPong) {
      ptx::mbarrier_wait_parity(&shared_.turn[consumer_], turn_parity_);
      turn_parity_ ^= 1;
    }
  }

  __device__ __forceinline__ void PassTurn() {
    if constexpr (Shape::kPingPong) {
      if (threadIdx.x % 32 == 0) {
        ptx::mbarrier_arrive(&shared_.turn[1 - consumer_]);
      }
    }
  }

 protected:
  // Tells every producer that writes into `stage` of this CTA that this warp
  // has read it: each warp for itself, as each waited for its own wgmma.
  __device__ __forceinline__ void Release(uint32_t stage) {
    constexpr uint32_t kSharers = ClusterPosition<Shape>::kSharers;
    const uint32_t lane = threadIdx.x % 32;
    if constexpr (Shape::kClusterSize > 1) {
      if (lane < kSharers) {
        // Not released at cluster scope: that would flush to the L2, and wgmma,
        // the only reader, is done.
        ptx::mbarrier_arrive_shared_cluster(
            ptx::mapa_shared_cluster(ptx::cvta_to_shared(&shared_.empty[stage]),
                                     position_.Sharer(lane % kSharers)));
      }
    } else {
      if (lane == 0) ptx::mbarrier_arrive(&shared_.empty[stage]);
    }
  }

  const GemmParams& params_;
  Storage& shared_;
  ClusterPosition<Shape> position_;
  StageCursor<Shape::kStages> at_;
  int consumer_;
  int first_row_;
  int first_column_;

 private:
  uint32_t turn_parity_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_MAINLOOP_CUH_
