// Split-K: adds up the slices of one warpgroup's part of a tile.
//
// Every slice leaves its sum in a slot of the workspace. Where all slices of a
// tile run at once, each takes a share of the units, 8 columns of 64 rows each,
// adds up their slices and takes them to D; else the last slice to arrive takes
// them all (split_meeting.cuh decides). Slices are added in slice order, so
// that the result never depends on who came when.
//
//   warp 2      Open()
//   producer    loads the slice ----------> Decide()
//   consumers   multiply it --> Leave() --> TakeShare() or TakeAll()
//
// Thread t of every slice holds the same elements of its part, so that threads
// of the same number exchange them. A slot is zero until its sum is there,
// whose zeros are written as -0, neutral when added: no fence orders an
// exchange, no atomic counts it, and it takes one trip to L2 and back. Whoever
// takes a sum leaves zeros behind. How much of the workspace is zero is kept
// there, in params.clean; where that is too little, the last to arrive adds up
// all, and what it leaves behind is zero for the launches to come.
//
//   SplitK<Shape, Supply> split(params, shared, consumer);
//   const bool is_shared = split.IsShared();   // all 128 threads
//   split.Leave(item, position, sum, is_shared);
//   if (is_shared) split.TakeShare(item, position, row, column, epilogue);
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_

#include <cstdint>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/epilogue.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/split_meeting.cuh"
#include "kernels/hopper/thread_index.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/named_barrier.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {

template <class Shape, class Supply>
class SplitK {
 public:
  using Storage = SharedStorage<Shape, Supply>;
  using Position = ClusterPosition<Shape>;
  using Accumulators = float[Shape::kRowBlocks][Shape::kShareRegisters];

  __device__ __forceinline__ SplitK(const GemmParams& params, Storage& shared,
                                    int consumer)
      : params_(params), shared_(shared), consumer_(consumer) {}

  // If this worker's last item is a slice that runs beside all others of its
  // tile: says so. One thread, when the grids before have completed. Consumers
  // wait for it, or it could come after the last arrival has cleared the word.
  __device__ __forceinline__ static void Open(const GemmParams& params,
                                              Storage& shared,
                                              const Position& position) {
    if (!HasSliceToShare(params)) return;
    MeetingOfCta(params, position).Open();
    ptx::mbarrier_arrive(&shared.sum_decided);
  }

  // Tells the consumers of this CTA how the slices of that tile are added up.
  // One thread, once its own slice needs nothing more of it.
  __device__ __forceinline__ static void Decide(const GemmParams& params,
                                                Storage& shared,
                                                const Position& position) {
    if (!HasSliceToShare(params)) return;
    SplitMeeting meeting = MeetingOfCta(params, position);
    const bool is_clean = Load(params.clean) >= params.partial_blocks;
    const bool share = is_clean && meeting.AllOpen();
    const WorkItem item = params.work.At(LastIndex(params.work));
    const uint32_t slice = item.tile.k_slice;
    shared.sum_is_shared = share;
    shared.first_unit = slice * kVectors / item.slices;
    shared.end_unit = (slice + 1) * kVectors / item.slices;
    shared.workspace_is_clean = is_clean;
    ptx::mbarrier_arrive(&shared.sum_decided);
    if (share) meeting.Close();
  }

  // Whether each slice takes a share of the item; this worker then has no item
  // after this one.
  __device__ __forceinline__ bool IsShared() {
    if (!kMayShare) return false;
    if (!params_.work.slices_run_at_once) return false;
    ptx::mbarrier_wait_parity(&shared_.sum_decided, 0);
    return shared_.sum_is_shared;
  }

  // Leaves this slice's sum in the workspace, but for what it keeps of its own
  // share.
  __device__ __forceinline__ void Leave(const WorkItem& item,
                                        const Position& position,
                                        const Accumulators& sum,
                                        bool is_shared) {
    float4* const out = SlotsOf(item, position) + item.tile.k_slice * kSlot;
    uint32_t first = kVectors;
    uint32_t end = kVectors;
    if (is_shared && KeepsOwn(item.slices)) {
      first = shared_.first_unit;
      end = shared_.end_unit;
      // The ring is empty once all warps of the CTA have multiplied.
      ptx::barrier_cta_sync(kRingBarrier, 128 * Shape::kConsumersPerTile);
    }
    const uint32_t kept = ptx::cvta_to_shared(Kept()) - first * 2048;
#pragma unroll
    for (uint32_t v = 0; v < kVectors; ++v) {
      const float* s = &sum[v / kBlockVectors][v % kBlockVectors * 4];
      const uint32_t x = __float_as_uint(s[0]);
      const uint4 vector =
          make_uint4(x == 0 ? kMinusZero : x, __float_as_uint(s[1]),
                     __float_as_uint(s[2]), __float_as_uint(s[3]));
      if constexpr (kMayKeep) {
        StoreOrKeep(out + v * 128, kept + v * 2048, v - first, end - first,
                    vector);
      } else {
        Store(out + v * 128, vector);
      }
    }
  }

  // If so: takes this slice's share of the part at (row, column) to D. As many
  // vectors are read at once as cover the latency of L2.
  __device__ __forceinline__ void TakeShare(const WorkItem& item,
                                            const Position& position,
                                            int32_t row, int32_t column,
                                            Epilogue<Shape>& epilogue) {
    float4* const slots = SlotsOf(item, position);
    const uint32_t slices = item.slices;
    const uint32_t own = KeepsOwn(slices) ? item.tile.k_slice : kNone;
    const uint4* kept = Kept();
    const uint32_t end = shared_.end_unit;
    uint32_t units = 0;
#pragma unroll 1
    for (uint32_t unit = shared_.first_unit; unit < end;
         unit += units, kept += units * 128) {
      // All of the same rows.
      const uint32_t block = unit / kBlockVectors;
      const uint32_t in_block = unit - block * kBlockVectors;
      units = min(min(slices <= 4   ? kUnitsAtOnce
                      : slices <= 8 ? 2
                                    : 1,
                      end - unit),
                  kBlockVectors - in_block);
      float4* const from = slots + unit * 128;
      Totals total = {};
      if (slices <= 4) {
        Take<4, kUnitsAtOnce>(from, slices, units, own, kept, total);
      } else if (slices <= 8) {
        if (units == 1) {
          Take<8, 1>(from, slices, 1, kNone, nullptr, total);
        } else {
          Take<8, 2>(from, slices, 2, kNone, nullptr, total);
        }
      } else {
#pragma unroll 1
        for (uint32_t slice = 0; slice < slices; slice += 16) {
          Take<16, 1>(from + slice * kSlot, slices - slice, 1, kNone, nullptr,
                      total);
        }
      }
      epilogue.RunUnits(row + block * 64, column + in_block * 8,
                        item.tile.batch, units, total);
    }
  }

  // If not: true for the last slice to arrive, whose `sum` becomes that of all.
  __device__ __forceinline__ bool TakeAll(const WorkItem& item,
                                          const Position& position,
                                          Accumulators& sum) {
    if (!ArriveLast(item, position)) return false;
#pragma unroll
    for (uint32_t v = 0; v < kVectors; ++v) {
#pragma unroll
      for (uint32_t i = 0; i < 4; ++i) {
        sum[v / kBlockVectors][v % kBlockVectors * 4 + i] = 0.0f;
      }
    }
    float4* slot = SlotsOf(item, position);
#pragma unroll 1
    for (uint32_t slice = 0; slice < item.slices; ++slice, slot += kSlot) {
#pragma unroll
      for (uint32_t v = 0; v < kVectors; ++v) {
        Add(Load(slot + v * 128),
            &sum[v / kBlockVectors][v % kBlockVectors * 4]);
        Store(slot + v * 128, make_uint4(0, 0, 0, 0));
      }
    }
    const bool runs_at_once = kMayShare && params_.work.slices_run_at_once;
    if (runs_at_once && !shared_.workspace_is_clean) CountClean();
    return true;
  }

 private:
  // Vectors of four accumulators of one thread, a unit each; the workspace
  // keeps vector v of thread t at [v][t], so that a warp's accesses are
  // contiguous.
  static constexpr uint32_t kBlockVectors = Shape::kShareRegisters / 4;
  static constexpr uint32_t kVectors = Shape::kRowBlocks * kBlockVectors;
  static constexpr uint64_t kSlot = kVectors * 128;

  static constexpr uint32_t kUnitsAtOnce = 4;
  static constexpr uint32_t kNone = ~0u;
  // With more accumulators it would cost the mainloop registers.
  static constexpr bool kMayKeep = !Shape::kPingPong && kVectors <= 32;
  static constexpr uint32_t kRingBarrier = 1 + Shape::kConsumers;
  // At most, of a share that is kept, and so of two slices.
  static constexpr uint32_t kMostKept = (kVectors + 1) / 2;
  static_assert(!kMayKeep ||
                kMostKept * 2048 * Shape::kConsumers <=
                    Shape::kStages * (Shape::kABytes + Shape::kBBytes));
  using Totals = float[kUnitsAtOnce * 4];

  // Of a static worker all items are known. Shifted rows are left out, as the
  // small problems that they are for seldom have a K worth cutting.
  static constexpr bool kMayShare =
      Supply::kKind == SupplyKind::kStatic && !Shape::kShiftedRows;

  // Whoever has further slices to multiply must not wait for others.
  __device__ __forceinline__ static bool HasSliceToShare(
      const GemmParams& params) {
    if (!kMayShare) return false;
    // CTAs that fill up a launch cluster have no item.
    return params.work.slices_run_at_once &&
           (Shape::kClusterSize > 1 || blockIdx.x < params.work.size()) &&
           LastIndex(params.work) >= params.work.whole;
  }

  __device__ __forceinline__ static uint32_t LastIndex(const WorkList& work) {
    if constexpr (Shape::kClusterSize == 1) {
      return work.LastOf(blockIdx.x, gridDim.x);
    } else {
      return work.LastOf(ptx::clusterid_x(), ptx::nclusterid_x());
    }
  }

  // All consumers of a CTA open together, at the word of the first.
  __device__ __forceinline__ static SplitMeeting MeetingOfCta(
      const GemmParams& params, const Position& position) {
    const WorkItem item = params.work.At(LastIndex(params.work));
    return SplitMeeting(Word(params, item, position, 0), item.slices);
  }

  // Few slices leave much: then a CTA keeps its own share in its ring, which is
  // empty but for ping-pong. The more slices, the less would be saved.
  __device__ __forceinline__ static bool KeepsOwn(uint32_t slices) {
    return kMayKeep && slices <= 4;
  }

  // This thread's vector 0 of what is kept.
  __device__ __forceinline__ uint4* Kept() const {
    return reinterpret_cast<uint4*>(shared_.a) +
           (kMayKeep ? consumer_ : 0) * kMostKept * 128 + ThreadInWarpgroup();
  }

  // The number of a warpgroup's part of D among those that are split.
  __device__ __forceinline__ static uint64_t Part(const WorkItem& item,
                                                  const Position& position,
                                                  int consumer) {
    const uint32_t rank = position.RankAtK(position.k);
    const uint64_t cta_tile = item.split_tile * Shape::kClusterSize + rank;
    return cta_tile * Shape::kConsumersPerTile +
           (Shape::kPingPong ? 0 : consumer);
  }

  __device__ __forceinline__ static uint32_t* Word(const GemmParams& params,
                                                   const WorkItem& item,
                                                   const Position& position,
                                                   int consumer) {
    return &params.tickets[Part(item, position, consumer)];
  }

  // This thread's vector 0 of slice 0.
  __device__ __forceinline__ float4* SlotsOf(const WorkItem& item,
                                             const Position& position) const {
    return reinterpret_cast<float4*>(params_.partials) +
           Part(item, position, consumer_) * item.slices * kSlot +
           ThreadInWarpgroup();
  }

  __device__ __forceinline__ bool ArriveLast(const WorkItem& item,
                                             const Position& position) {
    const uint32_t barrier = 1 + consumer_;
    ptx::barrier_cta_sync(barrier, 128);
    if (ThreadInWarpgroup() == 0) {
      SplitMeeting meeting(Word(params_, item, position, consumer_),
                           item.slices);
      shared_.is_last[consumer_] = meeting.ArriveLast();
    }
    ptx::barrier_cta_sync(barrier, 128);
    return shared_.is_last[consumer_];
  }

  // One thread of a part whose slots are zero again says so. The last of all
  // parts tells the launches to come.
  __device__ __forceinline__ void CountClean() {
    if (ThreadInWarpgroup() != 0) return;
    const uint32_t parts = static_cast<uint32_t>(params_.work.split_tiles()) *
                           Shape::kClusterSize * Shape::kConsumersPerTile;
    if (atomicAdd(params_.clean + 1, 1) != parts - 1) return;
    atomicExch(params_.clean + 1, 0);
    atomicExch(params_.clean, params_.partial_blocks);
  }

  // Waits for up to kUnits of `units` of up to kSlices of `slices`, adds them
  // to `total` and leaves zeros. Those of slice `own` are in `kept`.
  template <int kSlices, int kUnits>
  __device__ __forceinline__ static void Take(float4* from, uint32_t slices,
                                              uint32_t units, uint32_t own,
                                              const uint4* kept,
                                              Totals& total) {
    uint4 sums[kSlices][kUnits];
#pragma unroll
    for (int s = 0; s < kSlices; ++s) {
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
        if (s >= slices || u >= units) {
          sums[s][u] = MinusZeros();
        } else if (s == own) {
          sums[s][u] = kept[u * 128];
        } else {
          sums[s][u] = Load(from + s * kSlot + u * 128);
        }
      }
    }
    // Asks again only for what has not come, as others still multiply.
    while (!__all_sync(0xffffffffu, AreThere(sums))) {
#pragma unroll
      for (int s = 0; s < kSlices; ++s) {
#pragma unroll
        for (int u = 0; u < kUnits; ++u) {
          if (IsThere(sums[s][u])) continue;
          sums[s][u] = Load(from + s * kSlot + u * 128);
        }
      }
    }
#pragma unroll
    for (int s = 0; s < kSlices; ++s) {
#pragma unroll
      for (int u = 0; u < kUnits; ++u) {
        Add(sums[s][u], &total[4 * u]);
        if (s < slices && u < units && s != own) {
          Store(from + s * kSlot + u * 128, make_uint4(0, 0, 0, 0));
        }
      }
    }
  }

  template <int kSlices, int kUnits>
  __device__ __forceinline__ static bool AreThere(
      const uint4 (&sums)[kSlices][kUnits]) {
    bool all = true;
#pragma unroll
    for (int s = 0; s < kSlices; ++s) {
#pragma unroll
      for (int u = 0; u < kUnits; ++u) all = all && IsThere(sums[s][u]);
    }
    return all;
  }

  __device__ __forceinline__ static bool IsThere(const uint4& v) {
    return v.x != 0;
  }

  __device__ __forceinline__ static uint4 MinusZeros() {
    return make_uint4(kMinusZero, kMinusZero, kMinusZero, kMinusZero);
  }

  __device__ __forceinline__ static void Add(const uint4& v, float* sum) {
    sum[0] += __uint_as_float(v.x);
    sum[1] += __uint_as_float(v.y);
    sum[2] += __uint_as_float(v.z);
    sum[3] += __uint_as_float(v.w);
  }

  // Vectors come and go whole, so that one of their floats tells whether they
  // are there: .b128 with a scope is what libcu++ makes its 128-bit atomics of
  // (NVIDIA/cccl 3440), though PTX ISA 8.2.4 still speaks of 64 bits.
  __device__ __forceinline__ static uint4 Load(const float4* from) {
    uint4 v;
    asm volatile(
        "{\n"
        ".reg .b128 v;\n"
        ".reg .b64 low, high;\n"
        "ld.relaxed.gpu.global.b128 v, [%4];\n"
        "mov.b128 {low, high}, v;\n"
        "mov.b64 {%0, %1}, low;\n"
        "mov.b64 {%2, %3}, high;\n"
        "}\n"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(from)
        : "memory");
    return v;
  }

  __device__ __forceinline__ static void Store(float4* to, const uint4& v) {
    asm volatile(
        "{\n"
        ".reg .b128 v;\n"
        ".reg .b64 low, high;\n"
        "mov.b64 low, {%1, %2};\n"
        "mov.b64 high, {%3, %4};\n"
        "mov.b128 v, {low, high};\n"
        "st.relaxed.gpu.global.b128 [%0], v;\n"
        "}\n" ::"l"(to),
        "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
        : "memory");
  }

  // Store(), or, if `unit` is less than `units`, to shared memory. Not by an
  // if, which would be a branch for each of many vectors.
  __device__ __forceinline__ static void StoreOrKeep(float4* to, uint32_t kept,
                                                     uint32_t unit,
                                                     uint32_t units,
                                                     const uint4& v) {
    asm volatile(
        "{\n"
        ".reg .pred own;\n"
        ".reg .b128 v;\n"
        ".reg .b64 low, high;\n"
        "setp.lt.u32 own, %2, %3;\n"
        "mov.b64 low, {%4, %5};\n"
        "mov.b64 high, {%6, %7};\n"
        "mov.b128 v, {low, high};\n"
        "@own st.shared.v4.b32 [%1], {%4, %5, %6, %7};\n"
        "@!own st.relaxed.gpu.global.b128 [%0], v;\n"
        "}\n" ::"l"(to),
        "r"(kept), "r"(unit), "r"(units), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
        : "memory");
  }

  __device__ __forceinline__ static uint32_t Load(const uint32_t* from) {
    uint32_t v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(v)
                 : "l"(from)
                 : "memory");
    return v;
  }

  static constexpr uint32_t kMinusZero = 0x80000000;

  const GemmParams& params_;
  Storage& shared_;
  int consumer_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_K_CUH_
