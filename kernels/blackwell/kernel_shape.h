// KernelShape: everything about a Blackwell kernel that is compiled in, and
// the sizes that follow from it. Host and device agree through this header.
//
// Use it as the one template argument, beside the supply, of every warp role:
//
//   using Shape = KernelShape<128, 256, 2, 1, 2, 6, 2, 16, false>;
//   static_assert(Shape::kStageBytes == 128 * 128 + 128 * 128);
//   GemmKernel<Shape, StaticSupply>(parameters);
//
// Names: the tile is the block of D of one CTA; rank = m_rank + kClusterM *
// n_rank; a pair (kCtaGroup 2) is two CTAs next to each other along M whose
// MMA is one instruction, issued by the even one, the leader.
#ifndef TILETUNE_KERNELS_BLACKWELL_KERNEL_SHAPE_H_
#define TILETUNE_KERNELS_BLACKWELL_KERNEL_SHAPE_H_

#include <cstdint>

namespace tiletune::blackwell {

inline constexpr int kThreads = 256;  // 8 warps, see gemm_kernel.cuh
inline constexpr int kEpilogueWarps = 4;
// Warps of a CTA that read tiles from the supply: TMA, MMA, epilogue.
inline constexpr int kReadingWarps = 2 + kEpilogueWarps;

// One stage of K is one 128-byte swizzle span, four MMA steps of 32 bytes.
inline constexpr int kSpanBytes = 128;
inline constexpr int kMmaBytes = 32;
inline constexpr int kMmasPerStage = kSpanBytes / kMmaBytes;

// MN-major operands: the widest swizzle that divides a row of the tile, which
// is `row_bytes` long. None below 32 bytes is built.
constexpr bool CanBeMnMajor(int row_bytes) { return row_bytes % 32 == 0; }
constexpr int MnSpanBytes(int row_bytes) {
  return row_bytes % 128 == 0 ? 128 : row_bytes % 64 == 0 ? 64 : 32;
}

// How one operand lies in shared memory: kRows of M or N by one stage of K,
// loaded by kSlices CTAs, each of which multicasts its slice to all of them.
template <int kRows_, int kSlices_, int kOperandBits>
struct OperandShape {
  static constexpr int kRows = kRows_;
  static constexpr int kSlices = kSlices_;
  static constexpr int kElementBytes = kOperandBits / 8;
  static constexpr int kTileK = kSpanBytes / kElementBytes;
  static constexpr int kBytes = kRows * kSpanBytes;

  // K-major: rows of 128 bytes, one box a slice. A slice is whole swizzle
  // patterns of 8 rows.
  static constexpr int kSliceRows = kRows / kSlices;
  static_assert(kRows % (8 * kSlices) == 0, "A slice is whole patterns.");

  // MN-major: kTileK rows of one span of M or N, as many such blocks as it
  // takes.
  static constexpr int kRowBytes = kRows * kElementBytes;
  static constexpr int kMnSpanBytes = MnSpanBytes(kRowBytes);
  static constexpr int kMnBlocks =
      CanBeMnMajor(kRowBytes) ? kRowBytes / kMnSpanBytes : 0;
  static constexpr int kMnBlockBytes = kMnSpanBytes * kTileK;
  static constexpr int kSliceK = kTileK / kSlices;
  static_assert(kSliceK % 8 == 0, "A slice is whole patterns.");
};

constexpr int PowerOfTwoAtLeast(int value) {
  int power = 1;
  while (power < value) power *= 2;
  return power;
}

template <int kTileM_, int kTileN_, int kClusterM_, int kClusterN_,
          int kCtaGroup_, int kStages_, int kAccumulators_, int kOperandBits_,
          bool kSwapsOperands_>
struct KernelShape {
  static constexpr int kTileM = kTileM_;
  static constexpr int kTileN = kTileN_;
  static constexpr int kClusterM = kClusterM_;
  static constexpr int kClusterN = kClusterN_;
  static constexpr int kClusterSize = kClusterM * kClusterN;
  static constexpr int kCtaGroup = kCtaGroup_;
  static constexpr int kStages = kStages_;
  static constexpr int kAccumulators = kAccumulators_;
  static constexpr int kOperandBits = kOperandBits_;
  static constexpr bool kSwapsOperands = kSwapsOperands_;
  static constexpr int kTileK = kSpanBytes * 8 / kOperandBits;

  // The MMA: M and N of the instruction (PTX ISA Table 39).
  static constexpr int kMmaM = kTileM * kCtaGroup;
  static constexpr int kMmaN = kTileN;
  static_assert(kCtaGroup == 1 || kCtaGroup == 2);
  static_assert(kTileM == 64 || kTileM == 128);
  static_assert(kTileN >= 16 * kCtaGroup && kTileN <= 256 &&
                kTileN % (16 * kCtaGroup) == 0);
  static_assert(kClusterM % kCtaGroup == 0, "A pair lies along M.");
  static_assert(kClusterSize <= 4, "Larger clusters are not built.");

  // A is shared by the CTAs along N. B is shared by those along M; of a pair,
  // each CTA holds one half of the columns of B.
  using A = OperandShape<kTileM, kClusterN, kOperandBits>;
  using B =
      OperandShape<kTileN / kCtaGroup, kClusterM / kCtaGroup, kOperandBits>;
  static constexpr int kStageBytes = A::kBytes + B::kBytes;

  // D in tensor memory, per CTA (PTX ISA 9.7.16.10.5):
  //   M 128 per CTA (layouts A and D): lane m, column n.
  //   M 64, one SM (layout F): lane 32 (m / 16) + m % 16, column n.
  //   M 64, pair (layout B): lane m + 64 (n / (N / 2)), column n % (N / 2).
  // With M 64 the threads of the epilogue share a row in twos, a half of the
  // columns each.
  static constexpr bool kHalfRows = kTileM == 64;
  static constexpr int kThreadColumns = kHalfRows ? kTileN / 2 : kTileN;
  static constexpr int kAccumulatorColumns =
      kHalfRows && kCtaGroup == 2 ? kTileN / 2 : kTileN;
  static constexpr int kTmemColumns =
      PowerOfTwoAtLeast(kAccumulators * kAccumulatorColumns < 32
                            ? 32
                            : kAccumulators * kAccumulatorColumns);
  static_assert(kThreadColumns % 16 == 0, "The epilogue takes 16 columns.");
  static_assert(kAccumulators >= 2 && kTmemColumns <= 512);

  // Staging of D for TMA stores: per epilogue warp two buffers of 32 lanes x
  // 128 bytes. A swapped kernel stores directly: its D has the rows of the
  // tile contiguous, which 32 lanes write side by side.
  static constexpr int kStoreRows = kHalfRows && kCtaGroup == 1 ? 16 : 32;
  static constexpr int kStoreBufferBytes = 32 * kSpanBytes;
  static constexpr int kStoreBuffers = kSwapsOperands ? 0 : 2;

  // Arrivals that free a stage: one commit from every MMA that reads what this
  // CTA loads, that is the pairs (or CTAs) of its row and of its column.
  static constexpr int kStageReaders = kClusterM / kCtaGroup + kClusterN - 1;
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_KERNEL_SHAPE_H_
