// Epilogue: the four warps that turn accumulators into D.
//
// Use it in warps 4 to 7; warp w reads lanes 32 (w % 4) onwards of tensor
// memory, the only ones it may. Each thread owns one row of the tile (or half
// of one, see KernelShape) and takes sixteen columns at a time: tensor memory,
// or the split-K partial sums, then registers, then D. Device code.
//
//   typename Supply::Reader reader(storage.supply, parameters.order.size());
//   Epilogue<Shape, Supply> epilogue(storage, parameters, place, tmem_address);
//   epilogue.Run(reader);
#ifndef TILETUNE_KERNELS_BLACKWELL_EPILOGUE_CUH_
#define TILETUNE_KERNELS_BLACKWELL_EPILOGUE_CUH_

#include <cstdint>

#include "kernels/blackwell/activation.cuh"
#include "kernels/blackwell/convert.cuh"
#include "kernels/blackwell/parameters.h"
#include "kernels/blackwell/row_access.cuh"
#include "kernels/blackwell/shared_storage.cuh"
#include "kernels/blackwell/split_k.cuh"
#include "kernels/blackwell/tile_store.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tcgen05.h"
#include "scheduler/supply.h"

namespace tiletune::blackwell {

template <class Shape, class Supply>
class Epilogue {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Place = ClusterPlace<Shape>;

  __device__ __forceinline__ Epilogue(Storage& storage,
                                      const GemmParameters& parameters,
                                      const Place& place, uint32_t tmem_address)
      : storage_(storage),
        p_(parameters),
        e_(parameters.epilogue),
        place_(place),
        warp_(threadIdx.x / 32 % kEpilogueWarps),
        lanes_(tmem_address + (warp_ * 32 << 16)),
        store_(storage.d[Shape::kStoreBuffers ? warp_ : 0], &parameters.d_map) {
    const uint32_t lane = threadIdx.x % 32;
    if constexpr (!Shape::kHalfRows) {
      first_row_ = warp_ * 32;
      row_ = first_row_ + lane;
      column_ = 0;
    } else if constexpr (Shape::kCtaGroup == 1) {
      first_row_ = warp_ * 16;
      row_ = first_row_ + lane % 16;
      column_ = lane / 16 * Shape::kThreadColumns;
    } else {
      first_row_ = warp_ % 2 * 32;
      row_ = first_row_ + lane;
      column_ = warp_ / 2 * Shape::kThreadColumns;
    }
  }

  // All 32 lanes. Returns when D is in global memory.
  __device__ __forceinline__ void Run(typename Supply::Reader& reader) {
    LoadScalars();
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      Finish(p_.order.At32(static_cast<uint32_t>(t.index())));
    }
    if constexpr (Shape::kStoreBuffers != 0) store_.Drain();
    if (e_.amax != nullptr) ReduceAmax();
  }

 private:
  // Where the sums of a tile come from.
  enum class Source { kZero, kTensorMemory, kPartials };

  __device__ __forceinline__ void LoadScalars() {
    alpha_ = e_.alpha_device != nullptr ? *e_.alpha_device : e_.alpha;
    beta_ = e_.beta_device != nullptr ? *e_.beta_device : e_.beta;
    if (e_.row_scale != nullptr && !e_.scales_are_vectors) {
      alpha_ *= *e_.row_scale;
    }
    if (e_.column_scale != nullptr && !e_.scales_are_vectors) {
      alpha_ *= *e_.column_scale;
    }
    d_scale_ = e_.d_scale != nullptr ? *e_.d_scale : 1.0f;
    reads_c_ = e_.c.base != nullptr && beta_ != 0.0f;
  }

  __device__ __forceinline__ void Finish(const TileCoord& tile) {
    const uint32_t k_tiles =
        KTilesOfSlice(p_.k_tiles, p_.order.k_slices, tile.k_slice).count;
    Source source = Source::kZero;
    if (k_tiles != 0) {
      source = Source::kTensorMemory;
      ptx::mbarrier_wait_parity(&storage_.accumulator_full[from_.slot],
                                from_.parity);
      ptx::tcgen05_fence_after_thread_sync();
    }
    const SplitK<Shape> split(p_, tile, place_.rank, warp_);
    if (p_.order.k_slices > 1) {
      for (uint32_t c = 0; c < Shape::kThreadColumns; c += 16) {
        uint32_t sums[16];
        LoadAccumulator(c, sums);
        ptx::tcgen05_wait_ld(sums);
        split.Write(c, sums);
      }
      Release();
      if (!split.IsLast()) return;
      source = Source::kPartials;
    }

    const RowView row = ViewOf(tile);
    uint32_t next[16];
    Fetch(source, split, 0, next);
#pragma unroll 1
    for (uint32_t c = 0; c < Shape::kThreadColumns; c += 16) {
      if (source == Source::kTensorMemory) ptx::tcgen05_wait_ld(next);
      float values[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) values[i] = __uint_as_float(next[i]);
      // The next sixteen columns are on their way while these are finished.
      if (c + 16 < Shape::kThreadColumns) {
        Fetch(source, split, c + 16, next);
      } else if (source == Source::kTensorMemory) {
        Release();
      }
      Compute(row, c, values);
      Write(row, c, values);
    }
  }

  __device__ __forceinline__ void Fetch(Source source,
                                        const SplitK<Shape>& split, uint32_t c,
                                        uint32_t (&sums)[16]) const {
    if (source == Source::kTensorMemory) {
      LoadAccumulator(c, sums);
    } else if (source == Source::kPartials) {
      split.Sum(c, sums);
    } else {
#pragma unroll
      for (uint32_t& s : sums) s = 0;
    }
  }

  // Sixteen columns from this thread's column `c` on; complete after
  // tcgen05_wait_ld.
  __device__ __forceinline__ void LoadAccumulator(uint32_t c,
                                                  uint32_t (&sums)[16]) const {
    const uint32_t address =
        lanes_ + from_.slot * Shape::kAccumulatorColumns + c;
    if constexpr (Shape::kHalfRows && Shape::kCtaGroup == 1) {
      ptx::tcgen05_ld_16x32bx2_x16<Shape::kThreadColumns>(address, sums);
    } else {
      ptx::tcgen05_ld_32x32b_x16(address, sums);
    }
  }

  // Gives the accumulator back to the MMA; nothing reads it any more.
  __device__ __forceinline__ void Release() {
    ptx::tcgen05_fence_before_thread_sync();
    __syncwarp();
    if (ptx::elect_sync()) {
      uint64_t* empty = &storage_.accumulator_empty[from_.slot];
      if constexpr (Shape::kCtaGroup == 1) {
        ptx::mbarrier_arrive(empty);
      } else {
        ptx::mbarrier_arrive_shared_cluster(ptx::mapa_shared_cluster(
            ptx::cvta_to_shared(empty), place_.leader));
      }
    }
    __syncwarp();
    from_.Advance();
  }

  // This thread's part of one tile: a row of D and the columns from `n` on.
  struct RowView {
    uint32_t m;
    uint32_t n;
    uint32_t first_m;  // row of the warp's first lane
    uint32_t batch;
    bool exists;
    float alpha;
    float bias;  // along the rows
    uint8_t* d;  // element (m, n)
    const uint8_t* c;
  };

  __device__ __forceinline__ RowView ViewOf(const TileCoord& tile) const {
    RowView row;
    const uint32_t tile_m =
        (tile.m * Shape::kClusterM + place_.m_rank) * Shape::kTileM;
    row.m = tile_m + row_;
    row.first_m = tile_m + first_row_;
    row.n =
        (tile.n * Shape::kClusterN + place_.n_rank) * Shape::kTileN + column_;
    row.batch = tile.batch;
    row.exists = row.m < p_.m;
    row.alpha = alpha_;
    row.bias = 0;
    if (row.exists && e_.row_scale != nullptr && e_.scales_are_vectors) {
      row.alpha *= e_.row_scale[row.m];
    }
    if (row.exists && e_.bias_kind == BiasKind::kPerRow) {
      row.bias = LoadOne(e_.bias_type, ElementOf(e_.bias, e_.bias_type, row.m));
    }
    row.d = static_cast<uint8_t*>(e_.d.base) + OffsetIn(e_.d, row);
    row.c = static_cast<const uint8_t*>(e_.c.base) +
            (reads_c_ ? OffsetIn(e_.c, row) : 0);
    return row;
  }

  static __device__ __forceinline__ int64_t OffsetIn(const MatrixView& view,
                                                     const RowView& row) {
    return (row.batch * view.batch_stride + row.m * view.row_stride +
            row.n * view.column_stride) *
           BytesOf(view.type);
  }

  static __device__ __forceinline__ const void* ElementOf(const void* base,
                                                          ElementType type,
                                                          uint32_t index) {
    return static_cast<const uint8_t*>(base) +
           static_cast<uint64_t>(index) * BytesOf(type);
  }

  // How many of the sixteen columns from `c` on exist.
  __device__ __forceinline__ uint32_t ValidColumns(const RowView& row,
                                                   uint32_t c) const {
    const uint32_t first = row.n + c;
    if (first >= p_.n) return 0;
    return p_.n - first < 16 ? p_.n - first : 16;
  }

  // From sums to what D holds before its scale and its rounding.
  __device__ __forceinline__ void Compute(const RowView& row, uint32_t c,
                                          float (&values)[16]) {
    const uint32_t valid = row.exists ? ValidColumns(row, c) : 0;
#pragma unroll
    for (float& v : values) v *= row.alpha;
    float operand[16];
    if (e_.column_scale != nullptr && e_.scales_are_vectors) {
      LoadSixteen(ElementType::kFp32, e_.column_scale + row.n + c, 1, valid,
                  IsAlignedForVectors(e_.column_scale), operand);
#pragma unroll
      for (int i = 0; i < 16; ++i) values[i] *= operand[i];
    }
    if (reads_c_) {
      LoadSixteen(e_.c.type,
                  row.c + c * e_.c.column_stride * BytesOf(e_.c.type),
                  e_.c.column_stride, valid, e_.c.is_vectorizable, operand);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        values[i] = fmaf(beta_, operand[i], values[i]);
      }
    }
    if (e_.bias_kind == BiasKind::kPerColumn) {
      LoadSixteen(e_.bias_type, ElementOf(e_.bias, e_.bias_type, row.n + c), 1,
                  valid, IsAlignedForVectors(e_.bias), operand);
#pragma unroll
      for (int i = 0; i < 16; ++i) values[i] += operand[i];
    } else if (e_.bias_kind == BiasKind::kPerRow) {
#pragma unroll
      for (float& v : values) v += row.bias;
    }
    Activate(e_.activation, values);
    if (e_.amax != nullptr) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        if (i < valid) amax_ = fmaxf(amax_, fabsf(values[i]));
      }
    }
    if (e_.d_scale != nullptr) {
#pragma unroll
      for (float& v : values) v *= d_scale_;
    }
  }

  __device__ __forceinline__ void Write(const RowView& row, uint32_t c,
                                        const float (&values)[16]) {
    uint32_t words[16];
    PackSixteen(e_.d.type, values, words);
    const uint32_t bytes = BytesOf(e_.d.type);
    if constexpr (Shape::kStoreBuffers != 0) {
      if (e_.stores_by_tma) {
        const uint32_t byte_in_row = c * bytes % kSpanBytes;
        store_.Put(byte_in_row, words, bytes);
        if (byte_in_row + 16 * bytes == kSpanBytes) {
          // The first column of these 128 bytes, for lane 0.
          const uint32_t x =
              row.n - FirstLaneOffset() + c + 16 - kSpanBytes / bytes;
          // C, which the warp has read, may be D.
          if (reads_c_) ptx::fence_proxy_async_global();
          store_.Flush(x, row.first_m, row.batch, p_.m, p_.n);
        }
        return;
      }
    }
    if (!row.exists) return;
    StoreSixteen(e_.d.type, row.d + c * e_.d.column_stride * bytes,
                 e_.d.column_stride, ValidColumns(row, c), e_.d.is_vectorizable,
                 words);
  }

  // How far this thread's columns begin behind those of lane 0.
  __device__ __forceinline__ uint32_t FirstLaneOffset() const {
    return Shape::kStoreRows == 16 ? column_ : 0;
  }

  __device__ __forceinline__ void ReduceAmax() {
    // Non-negative floats order as their bits do.
    const uint32_t bits =
        __reduce_max_sync(0xffffffffu, __float_as_uint(amax_));
    if (threadIdx.x % 32 == 0) {
      atomicMax(reinterpret_cast<uint32_t*>(e_.amax), bits);
    }
  }

  Storage& storage_;
  const GemmParameters& p_;
  const EpilogueParameters& e_;
  const Place place_;
  const uint32_t warp_;   // 0 to 3
  const uint32_t lanes_;  // tensor memory address of this warp's lanes
  uint32_t first_row_;    // in the tile: the warp's first lane
  uint32_t row_;          // in the tile: this thread
  uint32_t column_;       // in the tile: this thread's first column

  TileStore<Shape> store_;
  RingPlace<Shape::kAccumulators> from_{kFirstFilled};
  float alpha_ = 1;
  float beta_ = 0;
  float d_scale_ = 1;
  float amax_ = 0;
  bool reads_c_ = false;
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_EPILOGUE_CUH_
