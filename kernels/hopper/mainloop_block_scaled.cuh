// The mainloop of fp8 operands with a scale for every 128 of K (kBlock128 of
// kernels/problem.h).
//
//   BlockScaledMainloop<Shape, Supply> mainloop(params, shared, consumer,
//                                               first_row, first_column);
//   mainloop.Run(row, column, batch, k_tiles, sum);   // all 128 threads
//
// The tensor cores multiply 128 of K into a part of their own; when it is done,
// CUDA cores add it to the sums, scaled. Where registers suffice there are two
// parts, and one is added while the next is multiplied; else it is the other
// warpgroup that keeps the tensor cores busy meanwhile.
//
// The scales come straight from global memory into registers: four or eight
// times 128 of K ahead (block_scales.cuh), or ahead of the wgmma of the same
// 128 of K (direct_block_scales.cuh), which take longer.
#ifndef TILETUNE_KERNELS_HOPPER_MAINLOOP_BLOCK_SCALED_CUH_
#define TILETUNE_KERNELS_HOPPER_MAINLOOP_BLOCK_SCALED_CUH_

#include <cstdint>
#include <type_traits>

#include "kernels/hopper/block_scales.cuh"
#include "kernels/hopper/direct_block_scales.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/mainloop.cuh"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/wgmma.h"
#include "scheduler/order.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class BlockScaledMainloop : public Mainloop<Shape, Supply> {
  using Base = Mainloop<Shape, Supply>;

 public:
  using typename Base::Accumulators;

  using Base::Base;

  // Overwrites `sum`, whose first element is at (row, column) of the product,
  // with the scaled product of `k_tiles`.
  __device__ __forceinline__ void Run(int32_t row, int32_t column,
                                      int32_t batch, const KTileRange& k_tiles,
                                      Accumulators& sum) {
#pragma unroll
    for (int i = 0; i < Shape::kRowBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::kBlockRegisters; ++j) sum[i][j] = 0.0f;
    }
    if (k_tiles.count == 0) return;
    Scales scales(this->params_, row, column, batch,
                  k_tiles.begin * Shape::kBlocks);
    using ptx::WgmmaType;
    const bool a5 = this->params_.a_type == ElementType::kE5m2;
    const bool b5 = this->params_.b_type == ElementType::kE5m2;
    if (a5) {
      b5 ? Loop<WgmmaType::kE5m2>(k_tiles.count, scales, sum)
         : Loop<WgmmaType::kE5m2E4m3>(k_tiles.count, scales, sum);
    } else {
      b5 ? Loop<WgmmaType::kE4m3E5m2>(k_tiles.count, scales, sum)
         : Loop<WgmmaType::kE4m3>(k_tiles.count, scales, sum);
    }
  }

 private:
  // A unit is what is multiplied into a part: 64 rows and 128 of K. A stage has
  // kUnits, the rows running faster.
  static constexpr int kUnits = Shape::kBlocks * Shape::kRowBlocks;
  // Registers of a thread for the sums and two parts, next to some 40 others.
  static constexpr bool kTwoParts =
      (Shape::kRowBlocks + 2) * Shape::kBlockRegisters <= 192;

  // The sums of two warpgroups that have two parts each wait for no load.
  static constexpr bool kDirectScales =
      kTwoParts && Shape::kConsumers == 2 && Shape::kColumnsPerConsumer == 128;
  using Scales = std::conditional_t<kDirectScales, DirectBlockScales<Shape>,
                                    BlockScales<Shape>>;

  struct Part {
    float sum[Shape::kBlockRegisters];
    typename Scales::Unit scales;
  };

  static_assert(Shape::kOperandBits == 8 && !Shape::kPingPong);
  static_assert(!kTwoParts || kUnits <= 2);

  template <ptx::WgmmaType kType>
  __device__ __forceinline__ void Loop(uint32_t k_tiles, Scales& scales,
                                       Accumulators& sum) {
    if constexpr (kTwoParts) {
      LoopOverTwoParts<kType>(k_tiles, scales, sum);
    } else {
      Part part;
      for (uint32_t i = 0; i < k_tiles; ++i) {
        MultiplyAndAdd<kType, 0>(part, scales, sum);
        this->at_.Advance();
      }
    }
  }

  // Unit kUnit of stage at_, and those after it.
  template <ptx::WgmmaType kType, int kUnit>
  __device__ __forceinline__ void MultiplyAndAdd(Part& part, Scales& scales,
                                                 Accumulators& sum) {
    if constexpr (kUnit < kUnits) {
      Multiply<kType, kUnit>(part, scales);
      if (!kDirectScales) LoadScales<kUnit>(part, scales);
      ptx::wgmma_wait_group<0>();
      if (kUnit == kUnits - 1) this->Release(this->at_.stage);
      Add<kUnit>(part, scales, sum);
      MultiplyAndAdd<kType, kUnit + 1>(part, scales, sum);
    }
  }

  // One unit is always in flight while the one before it is added. Units
  // alternate between the parts, whose registers must be known to the compiler:
  // it sees two units in each round.
  template <ptx::WgmmaType kType>
  __device__ __forceinline__ void LoopOverTwoParts(uint32_t k_tiles,
                                                   Scales& scales,
                                                   Accumulators& sum) {
    constexpr int kSecond = kUnits - 1;  // of a round, within its stage
    Part even, odd;
    Multiply<kType, 0>(even, scales);
    uint32_t units = k_tiles * kUnits - 1;  // to be multiplied
    for (; units >= 2; units -= 2) {
      Step<kType, kSecond>(odd, even, scales, sum);
      Step<kType, 0>(even, odd, scales, sum);
    }
    if (units != 0) {
      Step<kType, kSecond>(odd, even, scales, sum);
      Finish<kSecond>(odd, scales, sum);
    } else {
      Finish<0>(even, scales, sum);
    }
  }

  // Multiplies unit kUnit, and adds the one before it meanwhile.
  template <ptx::WgmmaType kType, int kUnit>
  __device__ __forceinline__ void Step(Part& part, Part& previous,
                                       Scales& scales, Accumulators& sum) {
    const uint32_t stage = this->at_.stage;
    if (kUnit == 0) this->at_.Advance();
    Multiply<kType, kUnit>(part, scales);
    constexpr int kPrevious = (kUnit + kUnits - 1) % kUnits;
    if (!kDirectScales) LoadScales<kPrevious>(previous, scales);
    ptx::wgmma_wait_group<1>();
    if (kUnit == 0) this->Release(stage);
    Add<kPrevious>(previous, scales, sum);
  }

  template <int kUnit>
  __device__ __forceinline__ void Finish(Part& part, Scales& scales,
                                         Accumulators& sum) {
    if (!kDirectScales) LoadScales<kUnit>(part, scales);
    ptx::wgmma_wait_group<0>();
    this->Release(this->at_.stage);
    this->at_.Advance();
    Add<kUnit>(part, scales, sum);
  }

  // Issues unit kUnit of stage at_, as one group.
  template <ptx::WgmmaType kType, int kUnit>
  __device__ __forceinline__ void Multiply(Part& part, Scales& scales) {
    constexpr int kRows = kUnit % Shape::kRowBlocks;
    constexpr int kBlock = kUnit / Shape::kRowBlocks;
    const uint32_t stage = this->at_.stage;
    if (kDirectScales) LoadScales<kUnit>(part, scales);
    if (kUnit == 0) {
      ptx::mbarrier_wait_parity(&this->shared_.full[stage], this->at_.parity);
    }
    ptx::wgmma_fence();
    const uint8_t* a_stage = this->shared_.a[stage] + this->first_row_ * 128;
    const uint8_t* b_stage = this->shared_.b[stage] + this->first_column_ * 128;
    const uint64_t a = ptx::WgmmaDescriptor128B(ptx::cvta_to_shared(a_stage),
                                                Shape::kChunkBytes);
    const uint64_t b = ptx::WgmmaDescriptor128B(ptx::cvta_to_shared(b_stage),
                                                Shape::kChunkBytes);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      ptx::Wgmma<Shape::kColumnsPerConsumer>::template MmaAsync<kType, 0, 0>(
          part.sum,
          ptx::WgmmaDescriptorAt(
              a, kBlock * Shape::kABlockBytes + kRows * 64 * 128 + step * 32),
          ptx::WgmmaDescriptorAt(b, kBlock * Shape::kBBlockBytes + step * 32),
          /*scale_d=*/step != 0);
    }
    ptx::wgmma_commit_group();
  }

  template <int kUnit>
  __device__ __forceinline__ void LoadScales(Part& part, Scales& scales) {
    constexpr int kRows = kUnit % Shape::kRowBlocks;
    scales.template Load<kRows>(part.scales);
    if (kRows == Shape::kRowBlocks - 1) scales.Advance();
  }

  template <int kUnit>
  __device__ __forceinline__ void Add(const Part& part, const Scales& scales,
                                      Accumulators& sum) {
    scales.Add(part.scales, part.sum, sum[kUnit % Shape::kRowBlocks]);
  }
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_MAINLOOP_BLOCK_SCALED_CUH_
