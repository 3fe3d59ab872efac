// The compiled-in shape of a Hopper GEMM kernel, and its shared memory.
//
// Every role takes the shape as a template argument. Example:
//
//   using Shape = GemmShape<128, 256, 64, /*cluster=*/2, 1, 1, /*stages=*/4,
//                           /*consumers=*/2, Schedule::kCooperative,
//                           /*swapped=*/false, /*operand_bits=*/16,
//                           /*block_scaled=*/false>;
//   static_assert(sizeof(SharedStorage<Shape, StaticSupply>) <= 232448);
#ifndef TILETUNE_KERNELS_HOPPER_GEMM_SHAPE_CUH_
#define TILETUNE_KERNELS_HOPPER_GEMM_SHAPE_CUH_

#include <cstdint>
#include <type_traits>

#include "kernels/hopper/gemm_params.h"

namespace tiletune::hopper {

// How the consumer warpgroups share the tiles of a CTA: each computes some
// rows of every tile, or some columns (side by side), or every second tile
// whole, so that one's epilogue overlaps the other's mainloop.
enum class Schedule { kCooperative, kSideBySide, kPingPong };

template <int kTileM_, int kTileN_, int kTileK_, int kClusterM_, int kClusterN_,
          int kClusterK_, int kStages_, int kConsumers_, Schedule kSchedule_,
          bool kSwapped_, int kOperandBits_, bool kBlockScaled_ = false,
          bool kShiftedRows_ = false>
struct GemmShape {
  // The tile of the wgmma product: kTileM rows of A, kTileN rows of B. With
  // kSwapped it is a tile of D transposed.
  static constexpr int kTileM = kTileM_;
  static constexpr int kTileN = kTileN_;
  static constexpr int kTileK = kTileK_;  // elements of K in one stage
  static constexpr int kClusterM = kClusterM_;
  static constexpr int kClusterN = kClusterN_;
  // CTAs that share a tile, each multiplying a part of its K (cluster_sum.cuh).
  static constexpr int kClusterK = kClusterK_;
  static constexpr int kClusterSize = kClusterM * kClusterN * kClusterK;
  static constexpr int kStages = kStages_;
  static constexpr int kConsumers = kConsumers_;  // warpgroups
  static constexpr bool kPingPong = kSchedule_ == Schedule::kPingPong;
  static constexpr bool kSideBySide = kSchedule_ == Schedule::kSideBySide;
  static constexpr bool kSwapped = kSwapped_;
  static constexpr int kOperandBits = kOperandBits_;
  // A scale for every 128 of K: see mainloop_block_scaled.cuh.
  static constexpr bool kBlockScaled = kBlockScaled_;
  // A's rows may start at any element: see shifted_rows.cuh.
  static constexpr bool kShiftedRows = kShiftedRows_;

  static constexpr int kThreads = 128 * (1 + kConsumers);

  // A stage is cut along K into blocks of 128 bytes, the width of the swizzle.
  // A block of a K-major operand is rows of 128 bytes; of an MN-major one,
  // chunks of 64 of its rows, each 64 k of 128 bytes. Both take 128 bytes a
  // row of the tile, and a row that is a multiple of 64 starts at the same
  // place in both.
  static constexpr int kBlockK = 1024 / kOperandBits;
  static constexpr int kBlocks = kTileK / kBlockK;
  static constexpr int kChunkRows = 64;
  static constexpr int kChunkBytes = 64 * 128;
  static constexpr int kABlockBytes = kTileM * 128;
  static constexpr int kBBlockBytes = kTileN * 128;
  // Of shifted rows, which come in one block.
  static constexpr int kShiftedRowBytes = kTileK * 2 + 16;
  static constexpr int kABytes =
      kShiftedRows ? kTileM * kShiftedRowBytes : kBlocks * kABlockBytes;
  static constexpr int kBBytes = kBlocks * kBBlockBytes;

  // The CTAs of a cluster that need the same rows of A (there are kClusterN)
  // load a slice each and multicast it: some rows of a K-major operand, some k
  // of an MN-major one. B likewise.
  static constexpr int kABoxRows = kTileM / kClusterN;
  static constexpr int kABoxK = 64 / kClusterN;
  static constexpr int kBBoxRows = kTileN / kClusterM;
  static constexpr int kBBoxK = 64 / kClusterM;

  // One warpgroup's part of a tile, in wgmma of 64 x kColumnsPerConsumer.
  static constexpr int kConsumersPerTile = kPingPong ? 1 : kConsumers;
  static constexpr int kRowsPerConsumer =
      kSideBySide ? kTileM : kTileM / kConsumersPerTile;
  static constexpr int kColumnsPerConsumer =
      kSideBySide ? kTileN / kConsumersPerTile : kTileN;
  static constexpr int kRowBlocks = kRowsPerConsumer / 64;
  // fp32 of one wgmma
  static constexpr int kBlockRegisters = kColumnsPerConsumer / 2;

  // An MN-major operand comes in chunks of 64 rows of 16-bit elements.
  static constexpr bool kAMayBeMnMajor =
      kOperandBits == 16 && kTileM % kChunkRows == 0 && !kShiftedRows;
  static constexpr bool kBMayBeMnMajor =
      kOperandBits == 16 && kColumnsPerConsumer % kChunkRows == 0 &&
      !kShiftedRows;

  // The columns of which a warpgroup writes D, and what it is sent of them.
  static constexpr int kShareColumns = kColumnsPerConsumer / kClusterK;
  static constexpr int kShareRegisters = kBlockRegisters / kClusterK;
  static constexpr int kInboxBytes =
      kClusterK > 1 ? kRowsPerConsumer* kColumnsPerConsumer * 4 : 0;

  // D may leave by TMA in boxes of 64 columns and 16 rows, a warp's, or, if the
  // product is D transposed, the rows that a warpgroup stages at once. Columns
  // that fill no box are stored row by row.
  static constexpr bool kMayTmaStore =
      kSwapped || (kClusterK == 1 && !kShiftedRows);
  static constexpr int kStoreRows =
      !kSwapped ? 16 : (kShareColumns < 64 ? kShareColumns : 64);
  static constexpr int kStoreColumns = 64;
  static constexpr int kStagingBytesPerWarp = 16 * 64 * sizeof(float);

  static_assert(kTileK % kBlockK == 0 && kBlocks >= 1);
  static_assert(kRowsPerConsumer % 64 == 0);
  static_assert(!kSideBySide || (kClusterK == 1 && !kSwapped));
  static_assert(kTileN % 8 == 0 && kTileN <= 256);
  static_assert(kABoxRows % 8 == 0 && kABoxRows <= 256);
  static_assert(kBBoxRows % 8 == 0 && kBBoxRows <= 256);
  static_assert(kABoxK % 8 == 0 && kBBoxK % 8 == 0);
  static_assert(kSwapped || kColumnsPerConsumer % 16 == 0);
  static_assert(!kPingPong || kConsumers == 2);
  static_assert(kShareColumns % 8 == 0);
  static_assert(!kShiftedRows || (kOperandBits == 16 && kClusterSize == 1 &&
                                  !kPingPong && !kSideBySide));
};

template <class Shape>
using ParamsOf =
    std::conditional_t<Shape::kShiftedRows, ShiftedRowsParams, GemmParams>;

// One stage's place in the ring and the parity of the lap.
template <int kStages>
struct StageCursor {
  uint32_t stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void Advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }

  // Steps over `count` stages at once.
  __device__ __forceinline__ void Advance(uint32_t count) {
    const uint32_t sum = stage + count;
    parity ^= (sum / kStages) & 1;
    stage = sum % kStages;
  }
};

// Dynamic shared memory, at the same offsets in every CTA of a cluster.
template <class Shape, class Supply>
struct SharedStorage {
  alignas(1024) uint8_t a[Shape::kStages][Shape::kABytes];
  alignas(1024) uint8_t b[Shape::kStages][Shape::kBBytes];
  // Accumulators on their way to D: 4 KiB for each consumer warp.
  alignas(
      1024) uint8_t staging[Shape::kConsumers * 4][Shape::kStagingBytesPerWarp];
  // full: one arrival and the bytes of a stage, in this CTA. empty: one
  // arrival from each warp, in any CTA, that read what this CTA loaded.
  alignas(16) uint64_t full[Shape::kStages];
  uint64_t empty[Shape::kStages];
  // Ping-pong: whose turn it is to multiply; one arrival from each warp of the
  // other consumer warpgroup.
  uint64_t turn[2];
  typename Supply::SharedStorage supply;
  // Split-K (split_k.cuh). sum_decided: two arrivals, this slice has opened and
  // what follows is known.
  uint64_t sum_decided;
  uint32_t sum_is_shared;
  uint32_t first_unit;
  uint32_t end_unit;
  uint32_t workspace_is_clean;
  uint32_t is_last[Shape::kConsumers];
  // kClusterK > 1: one arrival from each warp of each sender (full), and of
  // each owner (empty); sums on their way to this CTA.
  uint64_t inbox_full[Shape::kConsumers];
  uint64_t inbox_empty[Shape::kConsumers];
  alignas(16) uint8_t inbox[Shape::kConsumers * Shape::kInboxBytes + 16];
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_GEMM_SHAPE_CUH_
