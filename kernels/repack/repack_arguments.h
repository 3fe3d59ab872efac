// RepackArguments: a matrix that TMA cannot describe (unaligned, or contiguous
// along the wrong index), and where its copy goes, which TMA can.
//
// Use it to plan a repack; repack.h launches it. Sizes and strides are in
// elements.
//
//   RepackArguments r;
//   r.source = a; r.destination = workspace; r.element_bytes = 2;
//   r.inner = k; r.outer = m; r.source_stride = lda;
//   r.destination_stride = PackedRowStride(k, 2);
#ifndef TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_
#define TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_

#include <cstdint>

namespace tiletune {

// destination[b][o][i] = source[b][o][i], or source[b][i][o] with `transposes`.
// The last index is the contiguous one; `inner` and `outer` are the extents of
// the destination's i and o. Its rows start at multiples of 16 bytes; what
// remains of a row's last 16 may be written too.
struct RepackArguments {
  const void* source = nullptr;
  void* destination = nullptr;
  int64_t inner = 0;
  int64_t outer = 0;
  int64_t batches = 1;
  int64_t source_stride = 0;  // between the contiguous runs
  int64_t source_batch_stride = 0;
  int64_t destination_stride = 0;
  int64_t destination_batch_stride = 0;
  int32_t element_bytes = 0;  // 1 or 2; 0: nothing to copy
  bool transposes = false;
  // For a family that keeps track of how much of its workspace is still zero: a
  // number in device memory, lowered to `clean_blocks` as the copy overwrites
  // the rest. Null: none.
  uint32_t* clean = nullptr;
  uint32_t clean_blocks = 0;
  // Launched as a programmatic dependent: see LaunchRepack.
  bool is_dependent = false;
};

// The row stride, in elements, of a copy that is to be read fast: rows start at
// multiples of 128 bytes, or, shorter ones, do not reach over one. A box of TMA
// whose rows reach over lines of L2 asks for each of them twice, which made
// GEMMs up to a third slower (docs/results/h200.md).
constexpr int64_t PackedRowStride(int64_t columns, int32_t element_bytes) {
  const int64_t line = 128 / element_bytes;
  if (columns > line / 2) return (columns + line - 1) / line * line;
  int64_t stride = 16 / element_bytes;
  while (stride < columns) stride *= 2;
  return stride;
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_ARGUMENTS_H_
