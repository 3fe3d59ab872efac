// The TMA producer: one warp that keeps the ring of stages full.
//
//   Producer<Shape, Supply> producer(params, shared);
//   producer.Run();   // all 32 lanes; returns after the last tile
#ifndef TILETUNE_KERNELS_HOPPER_PRODUCER_CUH_
#define TILETUNE_KERNELS_HOPPER_PRODUCER_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tma.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class Producer {
 public:
  using Storage = SharedStorage<Shape, Supply>;

  __device__ __forceinline__ Producer(const GemmParams& params, Storage& shared)
      : params_(params), shared_(shared) {}

  __device__ __forceinline__ void Run() {
    const WorkList& work = params_.work;
    const bool elected = ptx::elect_sync();
    typename Supply::Reader reader(shared_.supply, work.size());
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      const WorkItem item = work.At(t.index());
      if (elected) LoadTile(item.tile, position_.OwnKTiles(item.k_tiles));
      __syncwarp();
    }
    if (Shape::kClusterSize > 1 && elected) Drain();
    __syncwarp();
  }

 private:
  // Waits until every stage has been released, so that no arrival from a peer
  // is on its way to this CTA when it exits.
  __device__ __forceinline__ void Drain() {
    for (int i = 0; i < Shape::kStages; ++i) {
      ptx::mbarrier_wait_parity(&shared_.empty[at_.stage], at_.parity ^ 1);
      at_.Advance();
    }
  }
  __device__ __forceinline__ void LoadTile(const TileCoord& tile,
                                           const KTileRange& range) {
    const int32_t row =
        (tile.m * Shape::kClusterM + position_.m) * Shape::kTileM;
    const int32_t column =
        (tile.n * Shape::kClusterN + position_.n) * Shape::kTileN;
    for (uint32_t i = 0; i < range.count; ++i) {
      ptx::mbarrier_wait_parity(&shared_.empty[at_.stage], at_.parity ^ 1);
      ptx::mbarrier_arrive_expect_tx(&shared_.full[at_.stage],
                                     Shape::kABytes + Shape::kBBytes);
      const int32_t k = (range.begin + i) * Shape::kTileK;
      LoadA(row, k, tile.batch * params_.a_batch);
      LoadB(column, k, tile.batch * params_.b_batch);
      at_.Advance();
    }
  }

  // This CTA's slice of the A stage, to every CTA that needs it.
  __device__ __forceinline__ void LoadA(int32_t row, int32_t k, int32_t batch) {
    uint8_t* stage = shared_.a[at_.stage];
    const uint16_t mask = position_.SameRowsMask();
#pragma unroll
    for (int block = 0; block < Shape::kBlocks; ++block) {
      LoadBlock<Shape::kClusterN, Shape::kTileM, Shape::kABoxRows,
                Shape::kABoxK>(params_.a_map, params_.a_is_k_major,
                               stage + block * Shape::kABlockBytes, row,
                               k + block * Shape::kBlockK, batch, position_.n,
                               mask);
    }
  }

  __device__ __forceinline__ void LoadB(int32_t row, int32_t k, int32_t batch) {
    uint8_t* stage = shared_.b[at_.stage];
    const uint16_t mask = position_.SameColumnsMask();
#pragma unroll
    for (int block = 0; block < Shape::kBlocks; ++block) {
      LoadBlock<Shape::kClusterM, Shape::kTileN, Shape::kBBoxRows,
                Shape::kBBoxK>(params_.b_map, params_.b_is_k_major,
                               stage + block * Shape::kBBlockBytes, row,
                               k + block * Shape::kBlockK, batch, position_.m,
                               mask);
    }
  }

  // Slice `slice` of kSlices of one 128-byte block of an operand.
  template <int kSlices, int kRows, int kBoxRows, int kBoxK>
  __device__ __forceinline__ void LoadBlock(const CUtensorMap& map,
                                            bool k_major, uint8_t* block,
                                            int32_t row, int32_t k,
                                            int32_t batch, uint32_t slice,
                                            uint16_t mask) {
    if (k_major) {
      const int32_t first = slice * kBoxRows;
      LoadBox<kSlices>(block + first * 128, map, k, row + first, batch, mask);
      return;
    }
    const int32_t first = slice * kBoxK;
#pragma unroll
    for (int chunk = 0; chunk < kRows / Shape::kChunkRows; ++chunk) {
      LoadBox<kSlices>(block + chunk * Shape::kChunkBytes + first * 128, map,
                       row + chunk * Shape::kChunkRows, k + first, batch, mask);
    }
  }

  template <int kSlices>
  __device__ __forceinline__ void LoadBox(uint8_t* destination,
                                          const CUtensorMap& map, int32_t x,
                                          int32_t y, int32_t z, uint16_t mask) {
    uint64_t* full = &shared_.full[at_.stage];
    if constexpr (kSlices > 1) {
      ptx::cp_async_bulk_tensor_3d_load_multicast(destination, &map, full, x, y,
                                                  z, mask);
    } else {
      ptx::cp_async_bulk_tensor_3d_load(destination, &map, full, x, y, z);
    }
  }

  const GemmParams& params_;
  Storage& shared_;
  ClusterPosition<Shape> position_;
  StageCursor<Shape::kStages> at_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_PRODUCER_CUH_
