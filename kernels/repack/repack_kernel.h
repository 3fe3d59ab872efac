// The repack kernels and their parameters, for who launches them.
//
//   const void* function = RepackFunction(RepackKernel::kCopyRows);
//   RowCopies rows = ...;            // repack_launches.h makes them
//   void* parameters[] = {&rows};
//   cudaLaunchKernel(function, ctas, kRepackThreads, parameters, 0, stream);
#ifndef TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_
#define TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_

#include <cstdint>

namespace tiletune {

enum class RepackKernel {
  kCopyRows,        // of RowCopies
  kTransposeBytes,  // of RepackArguments, elements of 1 byte
  kTransposeWords,  // the same, of 2 bytes
};

inline constexpr int kRepackThreads = 256;  // that copy, per CTA

// kCopyRows: each warp copies a segment of a row. Of a dependent launch, one
// warp more than copies: it does the fence.
inline constexpr int kDependentThreads = kRepackThreads + 32;
inline constexpr int kCopyWarps = kRepackThreads / 32;
inline constexpr int kVectorsPerLane = 2;  // of 16 bytes
inline constexpr int kSegmentBytes = 32 * kVectorsPerLane * 16;

// The transposes: each CTA moves tiles of so many rows and columns.
inline constexpr int kTransposeTile = 64;

// One matrix of kCopyRows, in bytes.
struct RowCopy {
  const char* source;
  char* destination;
  int64_t row_bytes;
  int64_t outer;
  int64_t source_stride;
  int64_t source_batch_stride;
  int64_t source_bytes;  // from the first row's start to the last one's end
  int64_t destination_stride;
  int64_t destination_batch_stride;
  int64_t segments;  // of a row
  int64_t tasks;     // segments in all
};

struct RowCopies {
  RowCopy copies[2];
  uint32_t* clean;  // as in RepackArguments
  uint32_t clean_blocks;
  bool is_dependent;
};

// The __global__ function, whose entry in the PTX is RepackEntry().
const void* RepackFunction(RepackKernel kernel);

constexpr const char* RepackEntry(RepackKernel kernel) {
  switch (kernel) {
    case RepackKernel::kCopyRows:
      return "tiletune_copy_rows";
    case RepackKernel::kTransposeBytes:
      return "tiletune_transpose_bytes";
    case RepackKernel::kTransposeWords:
      return "tiletune_transpose_words";
  }
  return "";
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_KERNEL_H_
