// Duel: one problem, our config against cuBLASLt, on one GPU.
//
//   Duel duel(device, options, stream);
//   ReportRow row = duel.Run({"decode", problem, ""});
//   Roofline roof = MeasureRoofline(device, stream);
#ifndef TILETUNE_KERNELS_BENCHMARK_DUEL_H_
#define TILETUNE_KERNELS_BENCHMARK_DUEL_H_

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/benchmark/contest.h"
#include "kernels/benchmark/report.h"
#include "kernels/benchmark/workload.h"
#include "kernels/config.h"
#include "kernels/cublaslt/cublaslt.h"
#include "kernels/device.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/timing/operands.h"

namespace tiletune {

struct DuelOptions {
  // What runs where a row names no config: "default", a ConfigKey, or "top:N",
  // the fastest of the cost model's best N (and the default), each of another
  // kernel or split-K.
  std::string config = "default";
  std::string kernels = "*";  // of top:N
  int rounds = 15;
  bool check = true;  // against the reference, before anything is timed
  bool cublaslt = true;
  bool dependent_launch = true;  // of ours, where the config has it
  // Launches our config and cuBLASLt's first once each, and times nothing.
  bool once = false;
  size_t workspace_bytes = size_t{32} << 20;  // for either side
  // Where to write "problem,config,us" of all rough looks; null: nowhere.
  std::ostream* rough = nullptr;
};

class Duel {
 public:
  Duel(const DeviceFacts& device, const DuelOptions& options, GpuStream stream)
      : device_(device), options_(options), stream_(stream) {}

  // Never fails: what went wrong is the row's note.
  ReportRow Run(const WorkloadRow& workload);

 private:
  struct Candidate {
    GemmConfig config;
    double seconds = 0;  // rough
  };

  absl::Status RunInto(const WorkloadRow& workload, ReportRow* row);
  absl::Status Prepare(const GemmProblem& problem);
  // Our configs to try, best guess first.
  absl::StatusOr<std::vector<GemmConfig>> Configs(const WorkloadRow& workload);
  absl::Status CheckRight(const GemmConfig& config);
  absl::Status LaunchOnce(const GemmConfig& ours);
  Contender OurContender(const GemmConfig& wanted) const;
  Contender TheirContender(int algorithm) const;
  // The config of ours that a rough look finds fastest.
  absl::StatusOr<GemmConfig> PickOurs(const std::vector<GemmConfig>& configs);
  // Their first heuristic and the few that a rough look finds fastest.
  std::vector<int> PickTheirs() const;

  DeviceFacts device_;
  DuelOptions options_;
  GpuStream stream_;

  // Of the problem at hand.
  std::unique_ptr<Operands> operands_;
  std::unique_ptr<CublasLtMatmul> cublaslt_;
  DeviceBuffer our_workspace_, their_workspace_;
};

// The device-to-device copy bandwidth (1 GiB, read plus written), and the best
// of a few large bf16 GEMMs by whoever is faster, cuBLASLt or our default.
absl::StatusOr<Roofline> MeasureRoofline(const DeviceFacts& device,
                                         const DuelOptions& options,
                                         GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BENCHMARK_DUEL_H_
