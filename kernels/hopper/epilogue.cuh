// The epilogue: takes a warpgroup's sums to D.
//
// Two ways. Packed to 16 bits with alpha alone, the sums go by stmatrix into
// shared memory, in the orientation of D, and a TMA store carries them off
// while the next tile is multiplied; columns that fill no box of it go in
// vectors of 16 bytes, rows that TMA cannot write in words (box_rows.cuh), and
// few of them straight from registers. For all else the sums go to shared
// memory as fp32, in the orientation of D, and come back as whole rows, so that
// C is read and D is written contiguously whatever the type or the tail.
//
//   Epilogue<Shape> epilogue(params, staging, consumer);
//   epilogue.Run(first_row, first_column, batch, sum);   // all 128 threads
//   epilogue.Finish();                                   // after the last tile
#ifndef TILETUNE_KERNELS_HOPPER_EPILOGUE_CUH_
#define TILETUNE_KERNELS_HOPPER_EPILOGUE_CUH_

#include <cstdint>

#include "kernels/hopper/box_rows.cuh"
#include "kernels/hopper/box_staging.cuh"
#include "kernels/hopper/element.cuh"
#include "kernels/hopper/epilogue_row.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/shifted_rows.cuh"
#include "kernels/hopper/thread_index.cuh"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/named_barrier.h"
#include "kernels/ptx/tma.h"

namespace tiletune::hopper {

template <class Shape>
class Epilogue {
 public:
  using Accumulators = float[Shape::kRowBlocks][Shape::kShareRegisters];

  // `staging`: this warpgroup's 16 KiB, aligned to 1024 bytes.
  __device__ __forceinline__ Epilogue(const GemmParams& params,
                                      uint8_t* staging, int consumer)
      : params_(params),
        row_(params.epilogue),
        staging_(staging),
        barrier_(1 + consumer) {}

  // `row` and `column`: of this warpgroup's first element in the product.
  __device__ __forceinline__ void Run(int32_t row, int32_t column,
                                      int32_t batch, const Accumulators& sum) {
    FindThread();
    const bool by_tma = Shape::kMayTmaStore && params_.epilogue.tma_store;
    if constexpr (Shape::kSwapped) {
      if (by_tma) {
        StoreTransposedByTma(row, column, batch, sum);
      } else if (row_.IsPlain()) {
        StoreTransposedBoxes(row, column, batch, sum);
      } else {
        StoreTransposed(row, column, batch, sum);
      }
    } else if (Shape::kClusterK > 1 && row_.IsPlainInPairs()) {
#pragma unroll
      for (int block = 0; block < Shape::kRowBlocks; ++block) {
        StorePlain(row + block * 64, column, column + kColumns, batch,
                   sum[block]);
      }
    } else if (by_tma) {
      if constexpr (Shape::kMayTmaStore) StoreByTma(row, column, batch, sum);
    } else if (kMayStage && row_.IsPlain()) {
      if constexpr (kMayStage) StoreBoxes(row, column, batch, sum);
    } else {
      StoreRows(row, column, batch, sum);
    }
  }

  // `units` (at most kRegisters / 4) units of a part whose slices have been
  // added up, 8 columns of 64 rows each, the first at (row, column) of the
  // product.
  template <int kRegisters>
  __device__ __forceinline__ void RunUnits(int32_t row, int32_t column,
                                           int32_t batch, int32_t units,
                                           const float (&sum)[kRegisters]) {
    FindThread();
    // As it is whenever TMA uses the staging buffer.
    if (row_.IsPlainInPairs()) {
      const int32_t end = column + units * 8;
      if constexpr (Shape::kSwapped) {
        StorePlainTransposed(row, column, end, batch, sum);
      } else {
        StorePlain(row, column, end, batch, sum);
      }
      return;
    }
#pragma unroll 1
    for (int32_t unit = 0; unit < units; ++unit) {
      float one[4];
      Pick(sum, unit, one);
      RunUnit(row, column + unit * 8, batch, one);
    }
  }

  // Waits until TMA has read the staging buffer; D itself is written by the end
  // of the grid.
  __device__ __forceinline__ void Finish() {
    ptx::cp_async_bulk_wait_group_read<0>();
  }

 private:
  static constexpr int kColumns = Shape::kShareColumns;
  // Columns pass through the staging buffer 64 at a time; then the rest.
  static constexpr int kChunkColumns = 64;
  static constexpr int kChunks = kColumns / kChunkColumns;
  static constexpr int kRestColumns = kColumns % kChunkColumns;
  static constexpr bool kMayStage = !Shape::kShiftedRows && kColumns % 16 == 0;
  static constexpr int kBoxes = kChunks + (kRestColumns != 0 ? 1 : 0);

  // Unit `which`, as registers have no run-time index.
  template <int kRegisters>
  __device__ __forceinline__ static void Pick(const float (&sum)[kRegisters],
                                              int which, float (&one)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      one[i] = sum[i];
#pragma unroll
      for (int u = 1; u < kRegisters / 4; ++u) {
        if (which == u) one[i] = sum[4 * u + i];
      }
    }
  }

  // One unit, through the staging buffer.
  __device__ __forceinline__ void RunUnit(int32_t row, int32_t column,
                                          int32_t batch,
                                          const float (&sum)[4]) {
    constexpr int kWidth = 8;
    if constexpr (Shape::kSwapped) {
      ptx::barrier_cta_sync(barrier_, 128);
      StageTransposed<0, kWidth>(sum);
      ptx::barrier_cta_sync(barrier_, 128);
      WriteRows<64>(staging_, /*first=*/warp_, /*group=*/4, kWidth, row, batch,
                    [column](int r) { return column + r; });
    } else {
      uint8_t* const own = staging_ + warp_ * Shape::kStagingBytesPerWarp;
      __syncwarp();
      StageChunk<0, kWidth>(own, sum);
      __syncwarp();
      WriteOwnRows<kWidth>(own, row, column, batch);
    }
  }

  __device__ __forceinline__ void FindThread() {
    const int thread = ThreadInWarpgroup();
    warp_ = thread / 32;
    lane_ = thread % 32;
  }

  __device__ __forceinline__ BoxStaging<Shape> Stager() const {
    return {params_.epilogue.d_type, row_.Alpha(), warp_, lane_};
  }

  // Boxes of 16 rows x 64 columns; two per warp, so that one is written while
  // TMA reads the other.
  __device__ __forceinline__ void StoreByTma(int32_t row, int32_t column,
                                             int32_t batch,
                                             const Accumulators& sum) {
    constexpr int kBoxBytes = Shape::kStagingBytesPerWarp / 2;
    const BoxStaging<Shape> stager = Stager();
    const bool elected = ptx::elect_sync();
    uint8_t* const own = staging_ + warp_ * Shape::kStagingBytesPerWarp;
    if constexpr (kRestColumns != 0) {
      // These fill no box. The staging buffer must be free of the last ones.
      if (elected) ptx::cp_async_bulk_wait_group_read<0>();
      StoreRestVectors(own, row + warp_ * 16, column, batch, sum, stager);
    }
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
      const int32_t m = row + block * 64 + warp_ * 16;
#pragma unroll
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        uint8_t* const box = own + next_box_ * kBoxBytes;
        next_box_ ^= 1;
        if (elected) ptx::cp_async_bulk_wait_group_read<1>();
        __syncwarp();
#pragma unroll
        for (int pair = 0; pair < 4; ++pair) {
          stager.StoreColumns(box, pair, &sum[block][chunk * 32 + pair * 8]);
        }
        ptx::fence_proxy_async_shared_cta();
        __syncwarp();
        if (elected) {
          const int32_t n = column + chunk * Shape::kStoreColumns;
          if (m < params_.epilogue.m && n < params_.epilogue.n) {
            ptx::cp_async_bulk_tensor_3d_store(&params_.d_map, box, n, m,
                                               batch);
          }
          ptx::cp_async_bulk_commit_group();
        }
      }
    }
  }

  // The columns after the last whole chunk, of this warp's 16 rows of each
  // block: through the staging buffer, as it turns fragments into vectors of a
  // row, which go to D a few rows at a time.
  __device__ __forceinline__ void StoreRestVectors(
      uint8_t* own, int32_t row, int32_t column, int32_t batch,
      const Accumulators& sum, const BoxStaging<Shape>& stager) const {
    constexpr int kRowVectors = kRestColumns / 8;
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
      __syncwarp();
#pragma unroll
      for (int pair = 0; pair < kRestColumns / 16; ++pair) {
        stager.StoreColumns(own, pair, &sum[block][kChunks * 32 + pair * 8]);
      }
      __syncwarp();
#pragma unroll
      for (int i = 0; i < kRestColumns / 16; ++i) {
        const int32_t r = (i * 32 + lane_) / kRowVectors;
        const int32_t v = (i * 32 + lane_) % kRowVectors;
        WriteVector(
            *reinterpret_cast<const uint4*>(own + r * 128 + (v ^ r % 8) * 16),
            row + block * 64 + r, column + kChunks * 64 + v * 8, batch);
      }
    }
    __syncwarp();
  }

  // Eight elements of D, which is made of vectors of 16 bytes.
  __device__ __forceinline__ void WriteVector(const uint4& v, int32_t m,
                                              int32_t n, int32_t batch) const {
    if (m < params_.epilogue.m && n < params_.epilogue.n) {
      *reinterpret_cast<uint4*>(ElementOfD(m, n, batch)) = v;
    }
  }

  // The boxes of StoreByTma where TMA cannot write D: each warp writes the rows
  // of its own.
  __device__ __forceinline__ void StoreBoxes(int32_t row, int32_t column,
                                             int32_t batch,
                                             const Accumulators& sum) const {
    uint8_t* const own = staging_ + warp_ * Shape::kStagingBytesPerWarp;
    const BoxRows rows(params_.epilogue, lane_);
    const BoxStaging<Shape> stager = Stager();
#pragma unroll 1
    for (int which = 0; which < Shape::kRowBlocks * kBoxes; ++which) {
      const int box = which % kBoxes;
      __syncwarp();
      StageBoxOf<0>(own, which, sum, stager);
      __syncwarp();
      rows.Write(own, /*first=*/0, /*step=*/1, /*rows=*/16,
                 row + which / kBoxes * 64 + warp_ * 16,
                 column + box * kChunkColumns, batch,
                 min(kChunkColumns, kColumns - box * kChunkColumns));
    }
  }

  // Box `which`, counted over all row blocks, of kIndex and those after:
  // registers have no run-time index.
  template <int kIndex>
  __device__ __forceinline__ void StageBoxOf(
      uint8_t* own, int which, const Accumulators& sum,
      const BoxStaging<Shape>& stager) const {
    if constexpr (kIndex < Shape::kRowBlocks * kBoxes) {
      if (which == kIndex) {
        constexpr int kBox = kIndex % kBoxes;
        constexpr int kPairs =
            (kBox < kChunks ? kChunkColumns : kRestColumns) / 16;
#pragma unroll
        for (int pair = 0; pair < kPairs; ++pair) {
          stager.StoreColumns(own, pair,
                              &sum[kIndex / kBoxes][kBox * 32 + pair * 8]);
        }
      }
      StageBoxOf<kIndex + 1>(own, which, sum, stager);
    }
  }

  // fp32 rows of D, some columns at a time: each warp its own 16 rows.
  __device__ __forceinline__ void StoreRows(int32_t row, int32_t column,
                                            int32_t batch,
                                            const Accumulators& sum) {
    uint8_t* const own = staging_ + warp_ * Shape::kStagingBytesPerWarp;
    if constexpr (kChunks != 0) StoreChunks(own, row, column, batch, sum);
    if constexpr (kRestColumns != 0) StoreRest(own, row, column, batch, sum);
  }

  // Registers have no run-time index, so that each chunk has instructions of
  // its own up to the staging buffer. From there on all share the same: they
  // are many, and instructions must be fetched.
  __device__ __forceinline__ void StoreChunks(uint8_t* own, int32_t row,
                                              int32_t column, int32_t batch,
                                              const Accumulators& sum) {
#pragma unroll 1
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
#pragma unroll 1
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        __syncwarp();
        StageChunkOf<0>(own, block * kChunks + chunk, sum);
        __syncwarp();
        WriteOwnRows<kChunkColumns>(own, row + block * 64,
                                    column + chunk * kChunkColumns, batch);
      }
    }
  }

  // The columns after the last whole chunk.
  __device__ __forceinline__ void StoreRest(uint8_t* own, int32_t row,
                                            int32_t column, int32_t batch,
                                            const Accumulators& sum) {
    constexpr int kFirst = kChunks * kChunkColumns;
#pragma unroll 1
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
      __syncwarp();
      StageRestOf<0>(own, block, sum);
      __syncwarp();
      WriteOwnRows<kRestColumns>(own, row + block * 64, column + kFirst, batch);
    }
  }

  // Whole chunk `which`, counted over all row blocks, of kIndex and those
  // after.
  template <int kIndex>
  __device__ __forceinline__ void StageChunkOf(uint8_t* own, int which,
                                               const Accumulators& sum) {
    if constexpr (kIndex < Shape::kRowBlocks * kChunks) {
      if (which == kIndex) {
        StageChunk<kIndex % kChunks * kChunkColumns, kChunkColumns>(
            own, sum[kIndex / kChunks]);
      }
      StageChunkOf<kIndex + 1>(own, which, sum);
    }
  }

  template <int kIndex>
  __device__ __forceinline__ void StageRestOf(uint8_t* own, int which,
                                              const Accumulators& sum) {
    if constexpr (kIndex < Shape::kRowBlocks) {
      if (which == kIndex) {
        StageChunk<kChunks * kChunkColumns, kRestColumns>(own, sum[kIndex]);
      }
      StageRestOf<kIndex + 1>(own, which, sum);
    }
  }

  // Columns kFirst .. + kWidth - 1 of 16 rows into the staging buffer.
  template <int kFirst, int kWidth, int kRegisters>
  __device__ __forceinline__ void StageChunk(uint8_t* own,
                                             const float (&sum)[kRegisters]) {
#pragma unroll
    for (int j = 0; j < kWidth / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float* v = &sum[(kFirst / 8 + j) * 4 + i * 2];
        const int r = lane_ / 4 + 8 * i;
        *reinterpret_cast<float2*>(StagingAt(own, r, 8 * j + lane_ % 4 * 2)) =
            make_float2(v[0], v[1]);
      }
    }
  }

  // Units of a plain epilogue, and the few columns of a cluster's share, go
  // straight from registers to D: they are not worth a detour, and all the code
  // is there at once. Columns from `end` on are not written.
  template <int kRegisters>
  __device__ __forceinline__ void StorePlain(
      int32_t row, int32_t column, int32_t end, int32_t batch,
      const float (&sum)[kRegisters]) const {
    const EpilogueParams& e = params_.epilogue;
    const float alpha = row_.Alpha();
    const int32_t n = column + lane_ % 4 * 2;
    const int32_t n_end = end < e.n ? end : e.n;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int32_t m = row + RowOfProduct<Shape>(warp_, i, lane_ / 4);
      uint16_t* const d = ElementOfD(m, n, batch);
#pragma unroll
      for (int j = 0; j < kRegisters / 4; ++j) {
        const float* v = &sum[4 * j + 2 * i];
        const uint32_t two = PackTwo(e.d_type, alpha * v[0], alpha * v[1]);
        if (m < e.m && n + 8 * j + 1 < n_end) {
          *reinterpret_cast<uint32_t*>(d + 8 * j) = two;
        } else if (m < e.m && n + 8 * j < n_end) {
          d[8 * j] = static_cast<uint16_t>(two);
        }
      }
    }
  }

  template <int kRegisters>
  __device__ __forceinline__ void StorePlainTransposed(
      int32_t row, int32_t column, int32_t end, int32_t batch,
      const float (&sum)[kRegisters]) const {
    const EpilogueParams& e = params_.epilogue;
    const float alpha = row_.Alpha();
    const int32_t m_end = end < e.m ? end : e.m;
#pragma unroll
    for (int i = 0; i < kRegisters; ++i) {
      const int32_t m = column + i / 4 * 8 + lane_ % 4 * 2 + i % 2;
      const int32_t n = row + RowOfProduct<Shape>(warp_, i % 4 / 2, lane_ / 4);
      if (m < m_end && n < e.n) {
        *ElementOfD(m, n, batch) =
            static_cast<uint16_t>(PackTwo(e.d_type, alpha * sum[i], 0.0f));
      }
    }
  }

  // Of 16 bits.
  __device__ __forceinline__ uint16_t* ElementOfD(int32_t m, int32_t n,
                                                  int32_t batch) const {
    const EpilogueParams& e = params_.epilogue;
    return static_cast<uint16_t*>(e.d) + batch * e.batch_stride_d + m * e.ldd +
           n;
  }

  // The product is D transposed: 64 columns of D, up to 64 rows at a time, from
  // the whole warpgroup.
  __device__ __forceinline__ void StoreTransposed(int32_t row, int32_t column,
                                                  int32_t batch,
                                                  const Accumulators& sum) {
    constexpr int kRows = kColumns < 64 ? kColumns : 64;
    constexpr int kParts = kColumns / kRows;
#pragma unroll 1
    for (int part = 0; part < Shape::kRowBlocks * kParts; ++part) {
      ptx::barrier_cta_sync(barrier_, 128);
      StageTransposedOf<0, kRows>(part, sum);
      ptx::barrier_cta_sync(barrier_, 128);
      const int32_t m = column + part % kParts * kRows;
      WriteRows<64>(staging_, /*first=*/warp_, /*group=*/4, kRows,
                    row + part / kParts * 64, batch,
                    [m](int r) { return m + r; });
    }
  }

  // The same through TMA: a box of kStoreRows rows of D and 64 columns, of
  // which each warp writes 16. Two boxes, so that one is written while TMA
  // reads the other; one thread issues all the stores, and waits for them.
  __device__ __forceinline__ void StoreTransposedByTma(
      int32_t row, int32_t column, int32_t batch, const Accumulators& sum) {
    constexpr int kRows = Shape::kStoreRows;
    const BoxStaging<Shape> stager = Stager();
    const bool leads = warp_ == 0 && lane_ == 0;
#pragma unroll
    for (int block = 0; block < Shape::kRowBlocks; ++block) {
#pragma unroll
      for (int part = 0; part < kColumns / kRows; ++part) {
        uint8_t* const box = staging_ + next_box_ * 64 * 128;
        next_box_ ^= 1;
        if (leads) ptx::cp_async_bulk_wait_group_read<1>();
        ptx::barrier_cta_sync(barrier_, 128);
        stager.StoreTransposed(box, &sum[block][part * kRows / 2]);
        ptx::fence_proxy_async_shared_cta();
        ptx::barrier_cta_sync(barrier_, 128);
        if (leads) {
          const int32_t m = column + part * kRows;
          const int32_t n = row + block * 64;
          if (m < params_.epilogue.m && n < params_.epilogue.n) {
            ptx::cp_async_bulk_tensor_3d_store(&params_.d_map, box, n, m,
                                               batch);
          }
          ptx::cp_async_bulk_commit_group();
        }
      }
    }
  }

  // The same boxes where TMA cannot write D: the warps take its rows in turn.
  __device__ __forceinline__ void StoreTransposedBoxes(
      int32_t row, int32_t column, int32_t batch,
      const Accumulators& sum) const {
    constexpr int kParts = kColumns / Shape::kStoreRows;
    const BoxRows rows(params_.epilogue, lane_);
    const BoxStaging<Shape> stager = Stager();
#pragma unroll 1
    for (int which = 0; which < Shape::kRowBlocks * kParts; ++which) {
      ptx::barrier_cta_sync(barrier_, 128);
      StageTransposedBoxOf<0>(which, sum, stager);
      ptx::barrier_cta_sync(barrier_, 128);
      rows.Write(staging_, /*first=*/warp_, /*step=*/4, Shape::kStoreRows,
                 column + which % kParts * Shape::kStoreRows,
                 row + which / kParts * 64, batch, /*width=*/64);
    }
  }

  // Box `which` of kIndex and those after.
  template <int kIndex>
  __device__ __forceinline__ void StageTransposedBoxOf(
      int which, const Accumulators& sum,
      const BoxStaging<Shape>& stager) const {
    constexpr int kParts = kColumns / Shape::kStoreRows;
    if constexpr (kIndex < Shape::kRowBlocks * kParts) {
      if (which == kIndex) {
        stager.StoreTransposed(
            staging_,
            &sum[kIndex / kParts][kIndex % kParts * Shape::kStoreRows / 2]);
      }
      StageTransposedBoxOf<kIndex + 1>(which, sum, stager);
    }
  }

  // Part `which` of kIndex and those after: kRows rows of D.
  template <int kIndex, int kRows>
  __device__ __forceinline__ void StageTransposedOf(int which,
                                                    const Accumulators& sum) {
    constexpr int kParts = kColumns / kRows;
    if constexpr (kIndex < Shape::kRowBlocks * kParts) {
      if (which == kIndex) {
        StageTransposed<kIndex % kParts * kRows, kRows>(sum[kIndex / kParts]);
      }
      StageTransposedOf<kIndex + 1, kRows>(which, sum);
    }
  }

  template <int kFirst, int kRows, int kRegisters>
  __device__ __forceinline__ void StageTransposed(
      const float (&sum)[kRegisters]) {
#pragma unroll
    for (int j = 0; j < kRows / 8; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int r = 8 * j + lane_ % 4 * 2 + i % 2;
        const int c = RowOfProduct<Shape>(warp_, i / 2, lane_ / 4);
        *StagingAt(staging_, r, c) = sum[(kFirst / 8 + j) * 4 + i];
      }
    }
  }

  // Element (r, c) of a staging tile of 64 fp32 columns. The 16-byte vectors of
  // a row are permuted so that neither columns nor rows meet in one bank.
  __device__ __forceinline__ static float* StagingAt(uint8_t* tile, int r,
                                                     int c) {
    const int vector = c / 4 ^ (r % 8 * 2);
    return reinterpret_cast<float*>(tile + r * 256 + vector * 16) + c % 4;
  }

  // Sends the 16 rows of this warp, of the 64 from row m on.
  template <int kWidth>
  __device__ __forceinline__ void WriteOwnRows(uint8_t* tile, int32_t m,
                                               int32_t n, int32_t batch) const {
    WriteRows<kWidth>(tile, /*first=*/0, /*group=*/1, /*rows=*/16, n, batch,
                      [this, m](int r) {
                        return m + RowOfProduct<Shape>(warp_, r / 8, r % 8);
                      });
  }

  // Sends the rows of a staging tile of kWidth columns to D from column n on,
  // row r to row_of_d(r), four columns a lane, as many rows at a time as the
  // warp has lanes for. This warp is number `first` of the `group` that share
  // the rows.
  template <int kWidth, class RowOfD>
  __device__ __forceinline__ void WriteRows(uint8_t* tile, int first, int group,
                                            int rows, int32_t n, int32_t batch,
                                            RowOfD row_of_d) const {
    constexpr int kLanes = kWidth / 4;
    constexpr int kRowsAtOnce = 32 / kLanes;
    const int c = lane_ % kLanes * 4;
    if (32 % kLanes != 0 && lane_ >= kRowsAtOnce * kLanes) return;
#pragma unroll 1
    for (int r = first * kRowsAtOnce + lane_ / kLanes; r < rows;
         r += group * kRowsAtOnce) {
      const float4 v = *reinterpret_cast<float4*>(StagingAt(tile, r, c));
      row_.Write(row_of_d(r), n + c, batch, v);
    }
  }

  const GemmParams& params_;
  EpilogueRow row_;
  uint8_t* staging_;
  uint32_t barrier_;
  int warp_ = 0;
  int lane_ = 0;
  int next_box_ = 0;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_EPILOGUE_CUH_
