// Copies matrices that TMA cannot describe (unaligned, or contiguous along the
// wrong index) into ones that it can.
//
//   RepackParams a = {};
//   a.source = problem_a; a.destination = workspace; a.element_bytes = 2;
//   a.inner = k; a.outer = m; a.batches = 1;
//   a.source_ld = k; a.destination_ld = 8 * ((k + 7) / 8);
//   cudaError_t error = LaunchRepack(a, b, stream);
#ifndef TILETUNE_KERNELS_HOPPER_REPACK_H_
#define TILETUNE_KERNELS_HOPPER_REPACK_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tiletune::hopper {

// destination[b][o][i] = source[b][o][i], or source[b][i][o] with `transpose`.
// Sizes and strides in elements. `inner` and `outer` are those of the
// destination, whose rows start at multiples of 16 bytes; between them
// anything may be written.
struct RepackParams {
  const void* source;
  void* destination;
  int64_t inner;
  int64_t outer;
  int64_t batches;
  int64_t source_ld;
  int64_t source_batch_stride;
  int64_t destination_ld;
  int64_t destination_batch_stride;
  int32_t element_bytes;  // 1 or 2; 0: nothing to copy
  bool transpose;
  // In device memory, or null: at most so many blocks of the workspace remain
  // zero (gemm_params.h).
  uint32_t* clean;
  uint32_t clean_blocks;
  // Launched as a programmatic dependent: see LaunchRepack.
  bool is_dependent;
};

// Enqueues both copies, in one launch where it can. A kernel launched after
// them as a dependent one may start at once: it has to wait
// (griddepcontrol.wait) for the copies, but not for what was in the stream
// before them. No copy starts, or, if launched as a dependent itself, lets that
// kernel start, until that has completed and its writes are visible.
cudaError_t LaunchRepack(const RepackParams& a, const RepackParams& b,
                         cudaStream_t stream);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_REPACK_H_
