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
#include "kernels/hopper/shifted_rows.cuh"
#include "kernels/hopper/split_k.cuh"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/grid_dependency.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tma.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class Producer {
 public:
  using Storage = SharedStorage<Shape, Supply>;

  using Params = ParamsOf<Shape>;

  __device__ __forceinline__ Producer(const Params& params, Storage& shared)
      : params_(params), shared_(shared) {}

  // All 32 lanes. Loads nothing until the grids that this one depends on have
  // completed, but what was complete before them; all that needs no operand is
  // done by then.
  __device__ __forceinline__ void Run() {
    const WorkList& work = params_.work;
    const bool elected = ptx::elect_sync();
    bool is_first = true;
    typename Supply::Reader reader(shared_.supply, work.size());
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      const WorkItem item = work.At(t.index());
      if constexpr (Shape::kShiftedRows) {
        if (is_first && params_.a_is_ready && elected) {
          LoadAAhead(item.tile, item.k_tiles);
        }
        is_first = false;
      }
      ptx::griddepcontrol_wait();  // returns at once but for the first time
      if (elected) LoadTile(item.tile, position_.OwnKTiles(item.k_tiles));
      __syncwarp();
    }
    // The next grid's prologue may take the SMs that this one leaves.
    ptx::griddepcontrol_launch_dependents();
    if (elected) SplitK<Shape, Supply>::Decide(params_, shared_, position_);
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

  // A loop for each combination, so that none of them decides it stage by
  // stage: the stages of a small tile last no longer than their loads take to
  // issue.
  __device__ __forceinline__ void LoadTile(const TileCoord& tile,
                                           const KTileRange& range) {
    constexpr bool kMnA = Shape::kAMayBeMnMajor;
    constexpr bool kMnB = Shape::kBMayBeMnMajor;
    if (!kMnA || params_.a_is_k_major) {
      if (!kMnB || params_.b_is_k_major) {
        LoadStages<true, true>(tile, range);
      } else {
        LoadStages<true, !kMnB>(tile, range);
      }
    } else {
      if (!kMnB || params_.b_is_k_major) {
        LoadStages<!kMnA, true>(tile, range);
      } else {
        LoadStages<!kMnA, !kMnB>(tile, range);
      }
    }
  }

  template <bool kAIsKMajor, bool kBIsKMajor>
  __device__ __forceinline__ void LoadStages(const TileCoord& tile,
                                             const KTileRange& range) {
    const int32_t row =
        (tile.m * Shape::kClusterM + position_.m) * Shape::kTileM;
    const int32_t column =
        (tile.n * Shape::kClusterN + position_.n) * Shape::kTileN;
    const int32_t a_batch = tile.batch * params_.a_batch;
    const int32_t b_batch = tile.batch * params_.b_batch;
    int32_t k = range.begin * Shape::kTileK;
    const int32_t k_end = k + range.count * Shape::kTileK;
#pragma unroll 1
    for (; k != k_end; k += Shape::kTileK) {
      if (Shape::kShiftedRows && stages_ahead_ != 0) {
        --stages_ahead_;
      } else {
        ptx::mbarrier_wait_parity(&shared_.empty[at_.stage], at_.parity ^ 1);
        // Consumers have read A through registers, and TMA overwrites it.
        if (Shape::kShiftedRows) ptx::fence_proxy_async_shared_cta();
        ExpectStage();
        if constexpr (Shape::kShiftedRows) {
          LoadShiftedRows(row, k, a_batch);
        } else {
          LoadOperand<kAIsKMajor, Shape::kClusterN, Shape::kTileM>(
              params_.a_map, shared_.a[at_.stage], row, k, a_batch, position_.n,
              position_.SameRowsMask());
        }
      }
      LoadOperand<kBIsKMajor, Shape::kClusterM, Shape::kTileN>(
          params_.b_map, shared_.b[at_.stage], column, k, b_batch, position_.m,
          position_.SameColumnsMask());
      at_.Advance();
    }
  }

  // Slice `slice` of kSlices of a stage of kRows rows, to all CTAs in `mask`.
  template <bool kIsKMajor, int kSlices, int kRows>
  __device__ __forceinline__ void LoadOperand(const CUtensorMap& map,
                                              uint8_t* stage, int32_t row,
                                              int32_t k, int32_t batch,
                                              uint32_t slice, uint16_t mask) {
#pragma unroll
    for (int block = 0; block < Shape::kBlocks; ++block) {
      uint8_t* const to = stage + block * kRows * 128;
      const int32_t block_k = k + block * Shape::kBlockK;
      if constexpr (kIsKMajor) {
        const int32_t first = slice * (kRows / kSlices);
        LoadBox<kSlices>(to + first * 128, map, block_k, row + first, batch,
                         mask);
      } else {
        const int32_t first = slice * (64 / kSlices);
#pragma unroll
        for (int chunk = 0; chunk < kRows / Shape::kChunkRows; ++chunk) {
          LoadBox<kSlices>(to + chunk * Shape::kChunkBytes + first * 128, map,
                           row + chunk * Shape::kChunkRows, block_k + first,
                           batch, mask);
        }
      }
    }
  }

  // A of the first stages, which are all empty: of all of a tile's, if they are
  // no more than that.
  __device__ __forceinline__ void LoadAAhead(const TileCoord& tile,
                                             const KTileRange& range) {
    constexpr uint32_t kStages = Shape::kStages;
    stages_ahead_ = range.count < kStages ? range.count : kStages;
    int32_t k = range.begin * Shape::kTileK;
    for (uint32_t i = 0; i < stages_ahead_; ++i) {
      ExpectStage();
      LoadShiftedRows(tile.m * Shape::kTileM, k, tile.batch * params_.a_batch);
      k += Shape::kTileK;
      at_.Advance();
    }
    at_ = {};
  }

  __device__ __forceinline__ void ExpectStage() {
    ptx::mbarrier_arrive_expect_tx(&shared_.full[at_.stage],
                                   Shape::kABytes + Shape::kBBytes);
  }

  __device__ __forceinline__ void LoadShiftedRows(int32_t row, int32_t k,
                                                  int32_t batch) {
    using Rows = ShiftedRows<Shape>;
    uint8_t* const stage = shared_.a[at_.stage];
#pragma unroll
    for (int box = 0; box < Rows::kBoxes; ++box) {
      LoadBox<1>(stage + box * Rows::kBoxRows * Shape::kShiftedRowBytes,
                 params_.a_rows[box], k, row / Rows::kBoxes, batch, /*mask=*/0);
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

  const Params& params_;
  Storage& shared_;
  ClusterPosition<Shape> position_;
  StageCursor<Shape::kStages> at_;
  uint32_t stages_ahead_ = 0;  // of which A has been loaded
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_PRODUCER_CUH_
