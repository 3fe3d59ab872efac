// MmaIssuer: the warp that issues the MMAs of a tile into tensor memory.
//
// Use it in one warp of every CTA. One elected thread issues; of a pair only
// the even CTA's does, for both, while the odd one's keeps reading tiles so
// that every CTA frees the same slots of the supply. Device code.
//
//   typename Supply::Reader reader(storage.supply, parameters.order.size());
//   MmaIssuer<Shape, Supply> issuer(storage, parameters, place, tmem_address);
//   issuer.Run(reader);
#ifndef TILETUNE_KERNELS_BLACKWELL_MMA_ISSUER_CUH_
#define TILETUNE_KERNELS_BLACKWELL_MMA_ISSUER_CUH_

#include <cstdint>

#include "kernels/blackwell/parameters.h"
#include "kernels/blackwell/shared_storage.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tcgen05.h"
#include "kernels/ptx/umma_descriptor.h"
#include "scheduler/supply.h"

namespace tiletune::blackwell {

template <class Shape, class Supply>
class MmaIssuer {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Place = ClusterPlace<Shape>;

  __device__ __forceinline__ MmaIssuer(Storage& storage,
                                       const GemmParameters& parameters,
                                       const Place& place,
                                       uint32_t tmem_address)
      : storage_(storage),
        p_(parameters),
        place_(place),
        tmem_address_(tmem_address) {}

  // All 32 lanes. Returns after the epilogue has read the last accumulator.
  __device__ __forceinline__ void Run(typename Supply::Reader& reader) {
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      if (!place_.is_leader()) continue;
      const TileCoord tile = p_.order.At32(static_cast<uint32_t>(t.index()));
      const uint32_t k_tiles =
          KTilesOfSlice(p_.k_tiles, p_.order.k_slices, tile.k_slice).count;
      if (k_tiles != 0) Multiply(k_tiles);
    }
    if (!place_.is_leader()) return;
    // Epilogue warps of both CTAs still arrive here: stay for them.
    for (int i = 0; i < Shape::kAccumulators; ++i) {
      ptx::mbarrier_wait_parity(&storage_.accumulator_empty[to_.slot],
                                to_.parity);
      to_.Advance();
    }
  }

 private:
  // How the MMAs find an operand: the two words of the descriptor of its tile
  // in stage 0, and what one MMA step adds to the low one. Only the low word
  // changes, as it holds the address; both depend on majorness.
  struct Operand {
    uint32_t low;
    uint32_t step;
    uint64_t high;  // in the upper half

    __device__ __forceinline__ uint64_t Descriptor(uint32_t low_word) const {
      return high | low_word;
    }
  };

  template <class OperandShape>
  static __device__ __forceinline__ Operand Describe(const uint8_t* tile,
                                                     uint32_t is_k_major) {
    constexpr uint32_t kSpan = OperandShape::kMnSpanBytes;
    // Sixteen or 32 k rows of a span, or 32 bytes further along K.
    constexpr uint32_t kMnStep =
        kMmaBytes / OperandShape::kElementBytes * kSpan;
    constexpr uint64_t kKMajor = ptx::SharedMemoryDescriptor(
        0, 0, 8 * kSpanBytes, ptx::UmmaSwizzle::k128Bytes);
    constexpr uint64_t kMnMajor = ptx::SharedMemoryDescriptor(
        0, OperandShape::kMnBlockBytes, 8 * kSpan, ptx::SwizzleOfSpan(kSpan));
    // In a cluster the upper bits of the address name the CTA; they would run
    // into the descriptor's next field.
    const uint32_t offset = ptx::cvta_to_shared(tile) & 0x3ffff;
    const uint64_t descriptor =
        ptx::AdvanceDescriptor(is_k_major ? kKMajor : kMnMajor, offset);
    return {static_cast<uint32_t>(descriptor),
            (is_k_major ? kMmaBytes : kMnStep) >> 4, descriptor >> 32 << 32};
  }

  // One tile: waits for a free accumulator, multiplies `k_tiles` stages into
  // it, and signals the epilogue. All lanes wait and count, so that ptxas
  // keeps what they count in uniform registers; one issues.
  __device__ __forceinline__ void Multiply(uint32_t k_tiles) {
    const Operand a =
        Describe<typename Shape::A>(storage_.a[0], p_.a_is_k_major);
    const Operand b =
        Describe<typename Shape::B>(storage_.b[0], p_.b_is_k_major);
    const uint32_t d = tmem_address_ + to_.slot * Shape::kAccumulatorColumns;
    const uint16_t loaders = MaskOfLoaders();
    ptx::mbarrier_wait_parity(&storage_.accumulator_empty[to_.slot],
                              to_.parity);
    ptx::tcgen05_fence_after_thread_sync();
#pragma unroll 1
    for (uint32_t i = 0; i < k_tiles; ++i) {
      ptx::mbarrier_wait_parity(&storage_.stage_full[from_.slot], from_.parity);
      ptx::tcgen05_fence_after_thread_sync();
      if (ptx::elect_sync()) {
        const uint32_t a_low = a.low + from_.slot * (Shape::A::kBytes >> 4);
        const uint32_t b_low = b.low + from_.slot * (Shape::B::kBytes >> 4);
#pragma unroll
        for (int step = 0; step < kMmasPerStage; ++step) {
          ptx::tcgen05_mma<Shape::kCtaGroup, Shape::kOperandBits>(
              d, a.Descriptor(a_low + step * a.step),
              b.Descriptor(b_low + step * b.step), p_.instruction,
              i != 0 || step != 0);
        }
        // The stage is free, in every CTA that loaded a part of it, once these
        // MMAs have read it.
        if constexpr (Shape::kClusterSize == 1) {
          ptx::tcgen05_commit(&storage_.stage_empty[from_.slot]);
        } else {
          ptx::tcgen05_commit_multicast<Shape::kCtaGroup>(
              &storage_.stage_empty[from_.slot], loaders);
        }
      }
      __syncwarp();
      from_.Advance();
    }
    if (ptx::elect_sync()) {
      uint64_t* full = &storage_.accumulator_full[to_.slot];
      if constexpr (Shape::kCtaGroup == 1) {
        ptx::tcgen05_commit(full);
      } else {  // to both CTAs of the pair
        ptx::tcgen05_commit_multicast<2>(
            full, static_cast<uint16_t>(3u << place_.rank));
      }
    }
    __syncwarp();
    to_.Advance();
  }

  // The CTAs that loaded a part of what this MMA reads: its row (of pairs) for
  // A, its column for B.
  __device__ __forceinline__ uint16_t MaskOfLoaders() const {
    uint32_t row = 0;
#pragma unroll
    for (int n = 0; n < Shape::kClusterN; ++n) {
      row |= (Shape::kCtaGroup == 2 ? 3u : 1u) << n * Shape::kClusterM;
    }
    const uint32_t column = (1u << Shape::kClusterM) - 1;
    return static_cast<uint16_t>(row << place_.m_rank |
                                 column << place_.n_rank * Shape::kClusterM);
  }

  Storage& storage_;
  const GemmParameters& p_;
  const Place place_;
  const uint32_t tmem_address_;
  RingPlace<Shape::kStages> from_{kFirstFilled};
  RingPlace<Shape::kAccumulators> to_{kFirstFree};
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_MMA_ISSUER_CUH_
