// Device memory made ready to be the workspace of GEMMs. Whoever brings memory
// to LaunchGemm or TunedGemm::Run calls this once, before its first use.
//
//   size_t bytes = *gemm->WorkspaceBytes(problem);
//   void* workspace = Allocate(bytes);           // any cudaMalloc will do
//   absl::Status s = PrepareWorkspace(workspace, bytes, stream);
//   if (s.ok()) s = gemm->Run(problem, arguments, workspace, bytes, stream);
#ifndef TILETUNE_DISPATCH_WORKSPACE_H_
#define TILETUNE_DISPATCH_WORKSPACE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "kernels/gemm.h"

namespace tiletune {

// Enqueues on `stream` the zeroing of the counters that a workspace begins with
// (the first kWorkspaceCounterBytes): kernels leave behind what the next one
// needs, so that once is enough, until something else writes to the workspace.
// Without it a GEMM with a queue or a split K may silently give wrong results.
//
// OK and nothing done for 0 bytes. InvalidArgument when `workspace` is null or
// not aligned to kWorkspaceAlignment; Internal when CUDA fails; Unimplemented
// without the CUDA Toolkit.
absl::Status PrepareWorkspace(void* workspace, size_t bytes, GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_WORKSPACE_H_
