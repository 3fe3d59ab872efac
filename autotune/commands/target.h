// The device that a command means: --device=auto, cuda:N or model:NAME turned
// into facts and, for silicon, into the worker that will run on it.
//
//   absl::StatusOr<Target> t = FindTarget("auto", WorkerLimits(options));
//   if (!t->note.empty()) puts(t->note.c_str());  // "No CUDA device here: ..."
//   if (t->bench != nullptr) Measure(t->bench.get(), t->facts);
#ifndef TILETUNE_AUTOTUNE_COMMANDS_TARGET_H_
#define TILETUNE_AUTOTUNE_COMMANDS_TARGET_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/worker/remote_bench.h"
#include "kernels/device.h"

namespace tiletune {

struct Target {
  DeviceFacts facts;
  // The worker; nullptr for a modelled device, on which nothing runs.
  std::unique_ptr<RemoteBench> bench;
  std::string lock_name;
  // Where "auto" found no GPU: that, without a full stop, and a sentence that
  // goes on with what is done instead.
  std::string no_gpu;
  std::string note;
};

// The device of "auto" where there is no CUDA device.
inline constexpr char kModelWithoutGpu[] = "model:b200";

// "auto" is the GPU of this process's local rank (as mpirun, srun and torchrun
// set it), else GPU 0, else the modelled device above. Other names than
// "auto" and "model:..." are for the worker to understand. NotFound or
// Unavailable when there is no such device.
absl::StatusOr<Target> FindTarget(const std::string& device,
                                  RemoteBench::Limits limits);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_TARGET_H_
