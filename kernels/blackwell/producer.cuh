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
      : storage_(storage), p_(parameters), place_(place) {}

  // All 32 lanes. Returns after the last stage it filled has been read.
  __device__ __forceinline__ void Run(typename Supply::Reader& reader) {
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      const TileCoord tile = p_.order.At(t.index());
      const KTileRange k =
          KTilesOfSlice(p_.k_tiles, p_.order.k_slices, tile.k_slice);
      for (uint32_t i = 0; i < k.count; ++i) Fill(tile, k.begin + i);
    }
    // Commits of this and of other CTAs still arrive here: stay for them.
    for (int i = 0; i < Shape::kStages; ++i) {
      Wait<Shape>(&storage_.stage_empty[at_.slot], at_.parity ^ 1);
      at_.Advance();
    }
  }

 private:
  // Loads this CTA's share of stage `k_tile` of `tile`.
  __device__ __forceinline__ void Fill(const TileCoord& tile, uint32_t k_tile) {
    // On the first lap the barriers are fresh, and this returns at once.
    Wait<Shape>(&storage_.stage_empty[at_.slot], at_.parity ^ 1);
    if (ptx::elect_sync()) {
      uint64_t* full = &storage_.stage_full[at_.slot];
      if (place_.is_leader) {
        ptx::mbarrier_arrive_expect_tx(full,
                                       Shape::kStageBytes * Shape::kCtaGroup);
      }
      uint32_t barrier = ptx::cvta_to_shared(full);
      if constexpr (Shape::kCtaGroup == 2) {
        barrier = ptx::mapa_shared_cluster(barrier, place_.leader);
      }
      const uint32_t cta_m = tile.m * Shape::kClusterM + place_.m_rank;
      const uint32_t cta_n = tile.n * Shape::kClusterN + place_.n_rank;
      Load<typename Shape::A>(&p_.a_map, p_.a_is_k_major, storage_.a[at_.slot],
                              barrier, cta_m * Shape::kTileM, k_tile,
                              tile.batch * p_.a_batch_step, place_.n_rank,
                              MaskOfA());
      // Of a pair, each CTA holds its half of the columns of B.
      const uint32_t half =
          Shape::kCtaGroup == 2 ? place_.m_rank % 2 * Shape::B::kRows : 0;
      Load<typename Shape::B>(&p_.b_map, p_.b_is_k_major, storage_.b[at_.slot],
                              barrier, cta_n * Shape::kTileN + half, k_tile,
                              tile.batch * p_.b_batch_step,
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
                                              uint32_t row, uint32_t k_tile,
                                              uint32_t batch, uint32_t slice,
                                              uint16_t cta_mask) {
    const int32_t k = static_cast<int32_t>(k_tile * Operand::kTileK);
    if (is_k_major) {
      const uint32_t first = slice * Operand::kSliceRows;
      LoadBox<Operand>(tile + first * kSpanBytes, map, barrier, k,
                       static_cast<int32_t>(row + first), batch, cta_mask);
      return;
    }
    const uint32_t first_k = slice * Operand::kSliceK;
    constexpr int kBlockRows = Operand::kMnSpanBytes / Operand::kElementBytes;
#pragma unroll
    for (int block = 0; block < Operand::kMnBlocks; ++block) {
      LoadBox<Operand>(tile + block * Operand::kMnBlockBytes +
                           first_k * Operand::kMnSpanBytes,
                       map, barrier,
                       static_cast<int32_t>(row + block * kBlockRows),
                       k + static_cast<int32_t>(first_k), batch, cta_mask);
    }
  }

  template <class Operand>
  static __device__ __forceinline__ void LoadBox(uint8_t* destination,
                                                 const CUtensorMap* map,
                                                 uint32_t barrier, int32_t x,
                                                 int32_t y, uint32_t batch,
                                                 uint16_t cta_mask) {
    const int32_t z = static_cast<int32_t>(batch);
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
  RingPlace<Shape::kStages> at_;
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_PRODUCER_CUH_
