// Copies a matrix that TMA cannot describe (unaligned, or contiguous along the
// wrong index) into one that it can.
//
//   RepackParams params;
//   params.source = a; params.destination = workspace;
//   params.inner = k; params.outer = m; params.batches = 1;
//   params.source_ld = k; params.destination_ld = 8 * ((k + 7) / 8);
//   cudaError_t error = LaunchRepack(params, /*transpose=*/false, 2, stream);
#ifndef TILETUNE_KERNELS_HOPPER_REPACK_H_
#define TILETUNE_KERNELS_HOPPER_REPACK_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tiletune::hopper {

// Sizes and strides in elements. `inner` and `outer` are those of the
// destination, whose rows start at multiples of 16 bytes.
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
};

// destination[b][o][i] = source[b][o][i], or source[b][i][o] with `transpose`,
// for elements of 1 or 2 bytes. Padding of the destination is not written.
cudaError_t LaunchRepack(const RepackParams& params, bool transpose,
                         int element_bytes, cudaStream_t stream);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_REPACK_H_
