// Repack: copies a matrix that TMA cannot describe (strides or pointers that
// are no multiples of 16 bytes) to one that it can, transposing if need be.
//
// Use it in a launcher, on the stream of the GEMM and ahead of it; the copy
// lives in the workspace.
//
//   RepackArguments r;
//   r.source = a; r.destination = workspace; r.element_bytes = 2;
//   r.rows = m; r.columns = k; r.source_row_stride = lda;
//   r.destination_row_stride = PackedRowStride(k, 2);
//   absl::Status s = LaunchRepack(r, stream);
#ifndef TILETUNE_KERNELS_REPACK_REPACK_H_
#define TILETUNE_KERNELS_REPACK_REPACK_H_

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/repack/repack_arguments.h"

namespace tiletune {

// Enqueues the copy. Internal when a CUDA call fails. Nothing is enqueued for
// a matrix without elements.
absl::Status LaunchRepack(const RepackArguments& arguments, GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_H_
