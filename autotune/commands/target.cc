#include "autotune/commands/target.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

std::vector<std::string> WorkerCommand(const std::string& device) {
  return {"/proc/self/exe", "worker", device};
}

int LocalRank() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                           "SLURM_LOCALID", "LOCAL_RANK"}) {
    const char* text = std::getenv(name);
    int rank = 0;
    if (text != nullptr && absl::SimpleAtoi(text, &rank) && rank >= 0) {
      return rank;
    }
  }
  return 0;
}

absl::StatusOr<Target> Modelled(const std::string& name) {
  const absl::StatusOr<DeviceFacts> facts = ModelledDevice(name);
  if (!facts.ok()) return facts.status();
  Target target;
  target.facts = *facts;
  return target;
}

Target WithoutGpu(const std::string& reason) {
  const std::string model = kModelWithoutGpu;
  Target target = Modelled(model.substr(model.find(':') + 1)).value();
  target.no_gpu =
      absl::StrCat("No CUDA device here", reason.empty() ? "" : " (", reason,
                   reason.empty() ? "" : ")");
  target.note = absl::StrCat(target.no_gpu, ": tuning on the modelled device ",
                             model, "; its times are predictions.");
  return target;
}

}  // namespace

absl::StatusOr<Target> FindTarget(const std::string& device,
                                  RemoteBench::Limits limits) {
  if (device.rfind("model:", 0) == 0) return Modelled(device.substr(6));
  const bool any = device == "auto";
  auto bench = std::make_unique<RemoteBench>(WorkerCommand(device), limits);
  absl::StatusOr<std::vector<BenchDevice>> devices = bench->Devices();
  if (!devices.ok()) {
    if (any) return WithoutGpu(std::string(devices.status().message()));
    return devices.status();
  }
  if (devices->empty()) {
    if (any) return WithoutGpu("");
    return absl::NotFoundError(
        absl::StrCat("there is no device '", device, "'"));
  }
  const BenchDevice& chosen =
      (*devices)[any ? LocalRank() % devices->size() : 0];
  Target target;
  target.facts = chosen.facts;
  target.lock_name = chosen.lock_name;
  if (any) {
    const std::string name = absl::StrCat("cuda:", chosen.facts.ordinal);
    bench = std::make_unique<RemoteBench>(WorkerCommand(name), limits);
  }
  target.bench = std::move(bench);
  return target;
}

}  // namespace tiletune
