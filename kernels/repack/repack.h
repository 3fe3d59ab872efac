// Repack: copies operands that TMA cannot describe to ones that it can.
//
// Use it in a launcher, on the stream of the GEMM and ahead of it; the copies
// live in the workspace.
//
//   RepackArguments a = ...;   // repack_arguments.h
//   RepackArguments b;         // nothing to copy
//   absl::Status s = LaunchRepack(a, b, stream);
#ifndef TILETUNE_KERNELS_REPACK_REPACK_H_
#define TILETUNE_KERNELS_REPACK_REPACK_H_

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/repack/repack_arguments.h"

namespace tiletune {

// Enqueues both copies, in one launch where it can. A kernel launched after
// them as a dependent one may start at once: it has to wait
// (griddepcontrol.wait) for the copies, but not for what was in the stream
// before them. No copy starts, or, if launched as a dependent itself, lets that
// kernel start, until that has completed and its writes are visible. Internal
// when a CUDA call fails. Nothing is enqueued for matrices without elements.
absl::Status LaunchRepack(const RepackArguments& a, const RepackArguments& b,
                          GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_H_
