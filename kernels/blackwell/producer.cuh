// Producer: the warp that loads A and B with TMA, stage after stage.
//
// Use it in one warp of every CTA. In a cluster each CTA loads one slice of
// each operand tile and multicasts it to all CTAs that need it; in a pair both
// CTAs' bytes are counted by the barrier of the even one. Device code.
//
//   typename Supply::Reader reader(storage.supply, parameters.order.size());
//   Producer<Shape, Supply> producer(storage, parameters, place);
//   producer.Run(reader);
#ifndef TILETUNE_KERNELS_BLACKWELL_PRODUCER_CUH_
#define TILETUNE_KERNELS_BLACKWELL_PRODUCER_CUH_

#include <cstdint>

#include "kernels/blackwell/parameters.h"
#include "kernels/blackwell/shared_storage.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tma_cta_group.h"
#include "scheduler/supply.h"

namespace tiletune::blackwell {

template <class Shape, class Supply>
class Producer {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Place = ClusterPlace<Shape>;

  __device__ __forceinline__ Producer(Storage& storage,
                                      const GemmParameters& parameters,
                                      const Place& place)
      : storage_(storage),
        p_(parameters),
        place_(place),
        full_(FullBarriers(storage, place)) {}

  // All 32 lanes. Returns after the last stage it filled has been read.
  __device__ __forceinline__ void Run(typename Supply::Reader& reader) {
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      const TileCoord tile = p_.order.At32(static_cast<uint32_t>(t.index()));
      const KTileRange range =
          KTilesOfSlice(p_.k_tiles, p_.order.k_slices, tile.k_slice);
      const TileOrigin origin = OriginOf(tile);
      const uint32_t end = (range.begin + range.count) * Shape::kTileK;
#pragma unroll 1
      for (uint32_t k = range.begin * Shape::kTileK; k != end;
           k += Shape::kTileK) {
        Fill(origin, static_cast<int32_t>(k));
      }
    }
    // Commits of this and of other CTAs still arrive here: stay for them.
    for (int i = 0; i < Shape::kStages; ++i) {
      ptx::mbarrier_wait_parity(&storage_.stage_empty[at_.slot], at_.parity);
      at_.Advance();
    }
  }

 private:
  static __device__ __forceinline__ uint32_t
  FullBarriers(const Storage& storage, const Place& place) {
    const uint32_t own = ptx::cvta_to_shared(storage.stage_full);
    if constexpr (Shape::kCtaGroup == 1) return own;
    return ptx::mapa_shared_cluster(own, place.leader);
  }

  // Where this CTA's loads of one tile begin, in elements and batches.
  struct TileOrigin {
    int32_t a_row;
    int32_t b_row;
    int32_t a_batch;
    int32_t b_batch;
  };

  __device__ __forceinline__ TileOrigin OriginOf(const TileCoord& tile) const {
    const uint32_t cta_m = tile.m * Shape::kClusterM + place_.m_rank;
    const uint32_t cta_n = tile.n * Shape::kClusterN + place_.n_rank;
    // Of a pair, each CTA holds its half of the columns of B.
    const uint32_t half =
        Shape::kCtaGroup == 2 ? place_.m_rank % 2 * Shape::B::kRows : 0;
    return {static_cast<int32_t>(cta_m * Shape::kTileM),
            static_cast<int32_t>(cta_n * Shape::kTileN + half),
            static_cast<int32_t>(tile.batch * p_.a_batch_step),
            static_cast<int32_t>(tile.batch * p_.b_batch_step)};
  }

  // Loads this CTA's share of the stage of `k` onwards.
  __device__ __forceinline__ void Fill(const TileOrigin& origin, int32_t k) {
    // On the first lap the barriers are fresh, and this returns at once.
    ptx::mbarrier_wait_parity(&storage_.stage_empty[at_.slot], at_.parity);
    if (ptx::elect_sync()) {
      if (place_.is_leader()) {
        ptx::mbarrier_arrive_expect_tx(&storage_.stage_full[at_.slot],
                                       Shape::kStageBytes * Shape::kCtaGroup);
      }
      const uint32_t barrier =
          full_ + at_.slot * static_cast<uint32_t>(sizeof(uint64_t));
      Load<typename Shape::A>(&p_.a_map, p_.a_is_k_major, storage_.a[at_.slot],
                              barrier, origin.a_row, k, origin.a_batch,
                              place_.n_rank, MaskOfA());
      Load<typename Shape::B>(&p_.b_map, p_.b_is_k_major, storage_.b[at_.slot],
                              barrier, origin.b_row, k, origin.b_batch,
                              place_.m_rank / Shape::kCtaGroup, MaskOfB());
    }
    __syncwarp();
    at_.Advance();
  }

  // Loads slice `slice` of the operand tile that starts at element `row` of M
  // or N. `cta_mask`: the CTAs that need it.
  template <class Operand>
  static __device__ __forceinline__ void Load(const CUtensorMap* map,
                                              uint32_t is_k_major,
                                              uint8_t* tile, uint32_t barrier,
                                              int32_t row, int32_t k,
                                              int32_t batch, uint32_t slice,
                                              uint16_t cta_mask) {
    if (is_k_major) {
      const uint32_t first = slice * Operand::kSliceRows;
      LoadBox<Operand>(tile + first * kSpanBytes, map, barrier, k,
                       row + static_cast<int32_t>(first), batch, cta_mask);
      return;
    }
    const uint32_t first_k = slice * Operand::kSliceK;
    constexpr int kBlockRows = Operand::kMnSpanBytes / Operand::kElementBytes;
#pragma unroll
    for (int block = 0; block < Operand::kMnBlocks; ++block) {
      LoadBox<Operand>(tile + block * Operand::kMnBlockBytes +
                           first_k * Operand::kMnSpanBytes,
                       map, barrier, row + block * kBlockRows,
                       k + static_cast<int32_t>(first_k), batch, cta_mask);
    }
  }

  template <class Operand>
  static __device__ __forceinline__ void LoadBox(uint8_t* destination,
                                                 const CUtensorMap* map,
                                                 uint32_t barrier, int32_t x,
                                                 int32_t y, int32_t z,
                                                 uint16_t cta_mask) {
    if constexpr (Operand::kSlices == 1) {
      ptx::cp_async_bulk_tensor_3d_load<Shape::kCtaGroup>(destination, map,
                                                          barrier, x, y, z);
    } else {
      ptx::cp_async_bulk_tensor_3d_load_multicast<Shape::kCtaGroup>(
          destination, map, barrier, x, y, z, cta_mask);
    }
  }

  // The CTAs with this one's m_rank: they compute the same rows.
  __device__ __forceinline__ uint16_t MaskOfA() const {
    uint32_t mask = 0;
#pragma unroll
    for (int n = 0; n < Shape::kClusterN; ++n)
      mask |= 1u << n * Shape::kClusterM;
    return static_cast<uint16_t>(mask << place_.m_rank);
  }

  // The CTAs with this one's n_rank and, of each pair, its half of B.
  __device__ __forceinline__ uint16_t MaskOfB() const {
    uint32_t mask = 0;
#pragma unroll
    for (int m = 0; m < Shape::kClusterM; m += Shape::kCtaGroup)
      mask |= 1u << m;
    return static_cast<uint16_t>(mask << (place_.n_rank * Shape::kClusterM +
                                          place_.m_rank % Shape::kCtaGroup));
  }

  Storage& storage_;
  const GemmParameters& p_;
  const Place place_;
  const uint32_t full_;  // shared::cluster address of the leader's stage_full
  RingPlace<Shape::kStages> at_{kFirstFree};
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_PRODUCER_CUH_
