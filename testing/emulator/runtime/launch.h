// Kernel launches and occupancy, for the runtime's and the driver's calls.
//
//   LaunchRequest request{kernel, grid, block, dynamic_shared, stream};
//   cudaError_t error = ApplyAttributes(attributes, count, &request);
//   error = LaunchKernel(session, request, arguments);
//   int ctas = MaxActiveCtas(*program, threads, dynamic_shared);
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCH_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCH_H_

#include <driver_types.h>

#include <cstddef>

#include "testing/emulator/machine/program.h"
#include "testing/emulator/runtime/session.h"

namespace tiletune::emulator::runtime {

struct LaunchRequest {
  Kernel* kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  size_t dynamic_shared = 0;  // bytes
  Stream* stream = nullptr;
  Dim3 cluster;  // in CTAs
  bool has_cluster = false;
  bool cooperative = false;
  // May start before the launch before it in the stream has ended.
  bool programmatic = false;
};

// Takes over the cluster shape and whether the launch is cooperative or a
// programmatic dependent one. Priorities, memory domains and the other
// attributes only allow or advise; running everything in order honours them.
void ApplyAttributes(const cudaLaunchAttribute* attributes, unsigned count,
                     LaunchRequest* request);

// `arguments` points to one value for each parameter of the kernel; they are
// copied before it returns. cudaErrorLaunchFailure when the emulator found
// something wrong, which is also printed, in this launch or in those that
// waited for it (Session::Launch); other errors as CUDA gives them.
cudaError_t LaunchKernel(Session& session, const LaunchRequest& request,
                         void** arguments);

// CTAs of a kernel that fit on one SM: by threads, shared memory and the
// number of CTAs. Registers are not modelled.
int MaxActiveCtas(const Program& program, int threads, size_t dynamic_shared);

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_LAUNCH_H_
