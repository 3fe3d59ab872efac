// The kernels as dispatch sees them: five functions. Tests put others in
// their place; everyone else takes LinkedBackend().
//
//   const GemmBackend& backend = LinkedBackend();
//   if (backend.is_linked(*config.variant))
//     backend.launch(problem, config, arguments, device, nullptr, 0, stream);
//   // The contracts are those of kernels/gemm.h, prepared_gemm.h and
//   // workspace.h.
#ifndef TILETUNE_DISPATCH_BACKEND_H_
#define TILETUNE_DISPATCH_BACKEND_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dispatch/workspace.h"
#include "kernels/gemm.h"
#include "kernels/prepared_gemm.h"

namespace tiletune {

struct GemmBackend {
  decltype(&LaunchGemm) launch;
  decltype(&WorkspaceBytes) workspace_bytes;
  decltype(&IsLinked) is_linked;
  decltype(&PreparedGemm::Prepare) prepare;
  decltype(&PrepareWorkspace) prepare_workspace;
};

const GemmBackend& LinkedBackend();

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_BACKEND_H_
