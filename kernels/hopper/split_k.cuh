// Split-K: adds up the slices of one warpgroup's part of a tile.
//
// Every slice leaves its sum in the workspace and reports at the meeting of the
// part (split_meeting.cuh). Those who meet there share the work: each takes
// some units, some columns of 64 rows, adds up their slices in slice order, so
// that the result never depends on who came when, and takes them to D.
//
//   SplitK<Shape> split(params, &shared.meeting[consumer], consumer);
//   split.Run(item, position, sum, row, column, epilogue);   // all 128 threads
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/epilogue.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/split_meeting.cuh"
#include "kernels/hopper/thread_index.cuh"
#include "kernels/ptx/named_barrier.h"

namespace tiletune::hopper {

template <class Shape>
class SplitK {
 public:
  using Accumulators = float[Shape::kRowBlocks][Shape::kShareRegisters];

  // `word`: of this warpgroup, in shared memory.
  __device__ __forceinline__ SplitK(const GemmParams& params, uint32_t* word,
                                    int consumer)
      : params_(params), word_(word), consumer_(consumer) {}

  // Takes this slice's sum of a split tile to the workspace and, as far as
  // that falls to this warpgroup, the sums of all slices to D at (row, column).
  __device__ __forceinline__ void Run(const WorkItem& item,
                                      const ClusterPosition<Shape>& position,
                                      const Accumulators& sum, int32_t row,
                                      int32_t column,
                                      Epilogue<Shape>& epilogue) {
    const uint32_t thread = ThreadInWarpgroup();
    const uint64_t part = Part(item, position);
    float4* const first = reinterpret_cast<float4*>(params_.partials) +
                          part * item.slices * kSlot + thread;
    Write(first + item.tile.k_slice * kSlot, sum);

    const uint32_t barrier = 1 + consumer_;
    SplitMeeting meeting(&params_.tickets[part], item.slices, Sharers());
    ptx::barrier_cta_sync(barrier, 128);
    if (thread == 0) *word_ = meeting.Attend();
    ptx::barrier_cta_sync(barrier, 128);
    const uint32_t own = *word_;
    if (own == 0) return;
    if (thread == 0) meeting.Leave(own);
    AddUpUnits(item, first, own, meeting.sharers(), row, column, epilogue);
    if (thread == 0) meeting.Close();
  }

 private:
  static constexpr uint32_t kMaxSharers = SplitMeeting::kMaxSharers;
  // Vectors of four accumulators of one thread; the workspace keeps vector v of
  // thread t at [v][t], so that a warp's accesses are contiguous.
  static constexpr int kBlockVectors = Shape::kShareRegisters / 4;
  static constexpr int kVectors = Shape::kRowBlocks * kBlockVectors;
  static constexpr uint64_t kSlot = kVectors * 128;

  static constexpr int kUnitColumns = Shape::kUnitColumns;
  static constexpr int kUnitRegisters = kUnitColumns / 2;
  static constexpr int kUnitVectors = kUnitRegisters / 4;
  static constexpr uint32_t kUnitsPerBlock =
      Shape::kShareColumns / kUnitColumns;
  static constexpr uint32_t kUnits = Shape::kRowBlocks * kUnitsPerBlock;
  // Slices read at once, to cover the latency of L2 without spilling.
  static constexpr int kUnitSlices = kUnitVectors <= 4 ? 8 : 4;

  // Who has further slices to multiply must not wait for others.
  __device__ __forceinline__ uint32_t Sharers() const {
    if (!params_.work.slices_run_at_once) return 1;
    return kUnits < kMaxSharers ? kUnits : kMaxSharers;
  }

  // The number of this warpgroup's part of D among those that are split.
  __device__ __forceinline__ uint64_t
  Part(const WorkItem& item, const ClusterPosition<Shape>& position) const {
    const uint32_t rank = position.RankAtK(position.k);
    const uint64_t cta_tile = item.split_tile * Shape::kClusterSize + rank;
    return cta_tile * Shape::kConsumersPerTile +
           (Shape::kPingPong ? 0 : consumer_);
  }

  __device__ __forceinline__ static uint32_t Offset(uint32_t unit) {
    return (unit / kUnitsPerBlock * kBlockVectors +
            unit % kUnitsPerBlock * kUnitVectors) *
           128;
  }

  __device__ __forceinline__ static void Write(float4* out,
                                               const Accumulators& sum) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const float* s = &sum[v / kBlockVectors][v % kBlockVectors * 4];
      __stcg(out + v * 128, make_float4(s[0], s[1], s[2], s[3]));
    }
  }

  // Adds up the units of the sharers in `own`, one after another, and brings
  // them to D.
  __device__ __forceinline__ static void AddUpUnits(
      const WorkItem& item, const float4* first, uint32_t own, uint32_t sharers,
      int32_t row, int32_t column, Epilogue<Shape>& epilogue) {
#pragma unroll 1
    for (uint32_t unit = 0, sharer = 0; unit < kUnits; ++unit, ++sharer) {
      if (sharer == sharers) sharer = 0;
      if ((own >> sharer & 1) == 0) continue;
      float total[kUnitRegisters];
#pragma unroll
      for (int i = 0; i < kUnitRegisters; ++i) total[i] = 0.0f;
      const float4* const in = first + Offset(unit);
#pragma unroll 1
      for (uint32_t slice = 0; slice < item.slices; slice += kUnitSlices) {
        AddBatch<kUnitSlices>(in + slice * kSlot, item.slices - slice, total);
      }
      epilogue.RunUnit(row + unit / kUnitsPerBlock * 64,
                       column + unit % kUnitsPerBlock * kUnitColumns,
                       item.tile.batch, total);
    }
  }

  // At most kCount of `left` slices, in half as many loads if those do.
  template <int kCount>
  __device__ __forceinline__ static void AddBatch(
      const float4* first, uint32_t left, float (&total)[kUnitRegisters]) {
    if constexpr (kCount > 1) {
      if (left <= kCount / 2) return AddBatch<kCount / 2>(first, left, total);
    }
    float4 loaded[kCount][kUnitVectors];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      // Past the last it is read again, so that no load is conditional.
      const uint32_t slice = i < left ? i : left - 1;
      Load(first + slice * kSlot, loaded[i]);
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (i >= left) break;
#pragma unroll
      for (int v = 0; v < kUnitVectors; ++v) {
        AddVector(loaded[i][v], &total[4 * v]);
      }
    }
  }

  template <int kCount>
  __device__ __forceinline__ static void Load(const float4* from,
                                              float4 (&loaded)[kCount]) {
#pragma unroll
    for (int v = 0; v < kCount; ++v) loaded[v] = __ldcg(from + v * 128);
  }

  __device__ __forceinline__ static void AddVector(const float4& v,
                                                   float* sum) {
    sum[0] += v.x;
    sum[1] += v.y;
    sum[2] += v.z;
    sum[3] += v.w;
  }

  const GemmParams& params_;
  uint32_t* word_;
  int consumer_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
