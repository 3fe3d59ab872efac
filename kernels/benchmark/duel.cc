#include "kernels/benchmark/duel.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/cuda_status.h"
#include "kernels/gemm.h"
#include "kernels/reference/checker.h"
#include "kernels/registry.h"
#include "kernels/timing/launch_timer.h"

namespace tiletune {
namespace {

// How many of cuBLASLt's algorithms go on to the interleaved rounds, besides
// its first.
constexpr size_t kTheirFinalists = 3;

// Indices of `seconds` that are positive, fastest first.
std::vector<size_t> FastestFirst(const std::vector<double>& seconds) {
  std::vector<size_t> order;
  for (size_t i = 0; i < seconds.size(); ++i) {
    if (seconds[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&seconds](size_t x, size_t y) {
    return seconds[x] < seconds[y];
  });
  return order;
}

Timing TimingOf(const Samples& samples) {
  return {Median(samples), Spread(samples)};
}

// The first failure, in place of a chain of ifs.
template <typename T>
absl::Status Assign(absl::StatusOr<T> from, T* to) {
  if (!from.ok()) return from.status();
  *to = *std::move(from);
  return absl::OkStatus();
}

}  // namespace

ReportRow Duel::Run(const WorkloadRow& workload) {
  ReportRow row;
  row.group = workload.group;
  row.problem = Normalized(workload.problem);
  const absl::Status status = RunInto(workload, &row);
  if (!status.ok()) row.note = std::string(status.message());
  return row;
}

absl::Status Duel::Prepare(const GemmProblem& problem) {
  cublaslt_ = nullptr;
  operands_ = nullptr;  // frees the last problem's memory first
  absl::Status status =
      Assign(Operands::Create(problem, device_, {}, stream_), &operands_);
  if (!status.ok()) return status;
  if (their_workspace_.size() == 0) {
    status = Assign(DeviceBuffer::Allocate(options_.workspace_bytes),
                    &their_workspace_);
  }
  if (!status.ok() || !options_.cublaslt) return status;
  return Assign(CublasLtMatmul::Create(problem, options_.workspace_bytes),
                &cublaslt_);
}

absl::StatusOr<std::vector<GemmConfig>> Duel::Configs(
    const WorkloadRow& workload) {
  const std::string& wanted =
      workload.config.empty() ? options_.config : workload.config;
  const absl::StatusOr<GemmConfig> fallback =
      DefaultConfig(workload.problem, device_);
  if (!fallback.ok()) return fallback.status();
  if (wanted == "default") return std::vector<GemmConfig>{*fallback};
  if (wanted.rfind("top:", 0) != 0) {
    const absl::StatusOr<GemmConfig> config = ParseConfig(wanted);
    if (!config.ok()) return config.status();
    return std::vector<GemmConfig>{*config};
  }
  int count = 0;
  if (!absl::SimpleAtoi(wanted.substr(4), &count) || count < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", wanted, "\" is not top:N"));
  }
  CandidateOptions candidates;
  candidates.kernels = options_.kernels;
  std::vector<GemmConfig> configs =
      LegalConfigs(workload.problem, device_, candidates);
  std::vector<double> predicted;
  for (const GemmConfig& config : configs) {
    predicted.push_back(Predict(workload.problem, config, device_).seconds);
  }
  // One order each: the choice of a kernel matters more.
  std::vector<GemmConfig> best = {*fallback};
  std::set<std::pair<const KernelVariant*, uint32_t>> taken = {
      {fallback->variant, fallback->split_k}};
  for (size_t i : FastestFirst(predicted)) {
    if (best.size() > static_cast<size_t>(count)) break;
    const GemmConfig& config = configs[i];
    if (!taken.emplace(config.variant, config.split_k).second) continue;
    best.push_back(config);
  }
  return best;
}

Contender Duel::OurContender(const GemmConfig& wanted) const {
  const GemmConfig config = AsTimed(wanted, options_.dependent_launch);
  return {ConfigKey(config), [this, config](int64_t i, GpuStream stream) {
            return LaunchGemm(
                operands_->problem(), config, operands_->arguments(i), device_,
                our_workspace_.data(), our_workspace_.size(), stream);
          }};
}

Contender Duel::TheirContender(int algorithm) const {
  return {absl::StrCat("cublaslt:", algorithm),
          [this, algorithm](int64_t i, GpuStream stream) {
            return cublaslt_->Launch(algorithm, operands_->arguments(i),
                                     their_workspace_.data(), stream);
          }};
}

absl::Status Duel::CheckRight(const GemmConfig& config) {
  const GemmArguments args = operands_->arguments(0);
  absl::StatusOr<std::unique_ptr<GemmChecker>> checker =
      GemmChecker::Create(operands_->problem(), args, device_, {}, stream_);
  if (!checker.ok()) return checker.status();
  absl::Status status = operands_->PoisonD(0, stream_);
  if (status.ok()) status = OurContender(config).launch(0, stream_);
  if (!status.ok()) return status;
  const absl::StatusOr<GemmCheck> check = (*checker)->Check(args, stream_);
  if (!check.ok()) return check.status();
  if (check->ok()) return operands_->CheckGuards(0, stream_);
  return absl::DataLossError(
      absl::StrCat(ConfigKey(config), " is wrong: ", check->ToString()));
}

absl::StatusOr<GemmConfig> Duel::PickOurs(
    const std::vector<GemmConfig>& configs) {
  size_t workspace = options_.workspace_bytes;
  for (const GemmConfig& config : configs) {
    const absl::StatusOr<size_t> needed =
        WorkspaceBytes(operands_->problem(), config, device_);
    if (needed.ok()) workspace = std::max(workspace, *needed);
  }
  if (our_workspace_.size() < workspace) {
    our_workspace_ = DeviceBuffer();
    absl::Status status =
        Assign(DeviceBuffer::Allocate(workspace), &our_workspace_);
    if (status.ok()) status = our_workspace_.Fill(0, stream_);
    if (!status.ok()) return status;
  }
  if (configs.size() == 1) return configs.front();
  std::vector<Contender> contenders;
  for (const GemmConfig& config : configs) {
    contenders.push_back(OurContender(config));
  }
  const std::vector<double> rough =
      RoughTimes(contenders, operands_->copies(), stream_);
  if (options_.rough != nullptr) {
    for (size_t i = 0; i < configs.size(); ++i) {
      *options_.rough << ProblemKey(operands_->problem()) << ","
                      << contenders[i].name << "," << rough[i] * 1e6 << "\n";
    }
  }
  const std::vector<size_t> order = FastestFirst(rough);
  if (order.empty()) return absl::InternalError("none of our configs launches");
  return configs[order.front()];
}

std::vector<int> Duel::PickTheirs() const {
  std::vector<int> picks;
  if (cublaslt_ == nullptr) return picks;
  std::vector<Contender> contenders;
  for (int i = 0; i < cublaslt_->algorithms(); ++i) {
    contenders.push_back(TheirContender(i));
  }
  picks.push_back(0);
  for (size_t i :
       FastestFirst(RoughTimes(contenders, operands_->copies(), stream_))) {
    if (picks.size() > kTheirFinalists) break;
    if (i != 0) picks.push_back(static_cast<int>(i));
  }
  return picks;
}

absl::Status Duel::LaunchOnce(const GemmConfig& ours) {
  std::vector<Contender> contenders = {OurContender(ours)};
  if (cublaslt_ != nullptr) contenders.push_back(TheirContender(0));
  absl::Status status;
  for (const Contender& contender : contenders) {
    if (status.ok()) status = contender.launch(0, stream_);
  }
  if (!status.ok()) return status;
  return CudaStatus(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_)),
                    "cudaStreamSynchronize");
}

absl::Status Duel::RunInto(const WorkloadRow& workload, ReportRow* row) {
  absl::Status status = Prepare(workload.problem);
  // Without an opponent there is still something to time.
  if (absl::IsUnimplemented(status) || absl::IsUnavailable(status)) {
    row->note = std::string(status.message());
  } else if (!status.ok()) {
    return status;
  }
  row->cold = operands_->is_cold();
  const absl::StatusOr<std::vector<GemmConfig>> configs = Configs(workload);
  if (!configs.ok()) return configs.status();
  const absl::StatusOr<GemmConfig> ours = PickOurs(*configs);
  if (!ours.ok()) return ours.status();
  row->config = ConfigKey(*ours);
  if (options_.once) return LaunchOnce(*ours);
  if (options_.check) status = CheckRight(*ours);
  if (options_.check && !status.ok()) return status;

  std::vector<Contender> contenders = {OurContender(*ours)};
  for (int algorithm : PickTheirs()) {
    contenders.push_back(TheirContender(algorithm));
  }
  row->algorithms = cublaslt_ == nullptr ? 0 : cublaslt_->algorithms();
  ContestOptions contest;
  contest.copies = operands_->copies();
  contest.rounds = options_.rounds;
  const absl::StatusOr<std::vector<Samples>> samples =
      RunContest(contenders, contest, stream_);
  if (!samples.ok()) return samples.status();
  row->ours = TimingOf((*samples)[0]);
  for (size_t i = 1; i < samples->size(); ++i) {
    const Timing timing = TimingOf((*samples)[i]);
    if (i == 1) row->first = timing;
    if (i == 1 || timing.seconds < row->best.seconds) row->best = timing;
  }
  return absl::OkStatus();
}

absl::StatusOr<Roofline> MeasureRoofline(const DeviceFacts& device,
                                         const DuelOptions& options,
                                         GpuStream stream) {
  Roofline roofline;
  {
    constexpr size_t kBytes = size_t{1} << 30;
    absl::StatusOr<DeviceBuffer> from = DeviceBuffer::Allocate(kBytes);
    absl::StatusOr<DeviceBuffer> to = DeviceBuffer::Allocate(kBytes);
    if (!from.ok()) return from.status();
    if (!to.ok()) return to.status();
    const absl::StatusOr<std::vector<Samples>> copies = RunContest(
        {{"copy",
          [&](int64_t, GpuStream s) {
            return CudaStatus(cudaMemcpyAsync(to->data(), from->data(), kBytes,
                                              cudaMemcpyDeviceToDevice, s),
                              "cudaMemcpyAsync");
          }}},
        // A graph's memcpy node takes another path, 2.8 and not 4.2 TB/s on an
        // H200.
        {/*copies=*/4, /*rounds=*/9, /*warm_up_seconds=*/0.05,
         LaunchMode::kStream},
        stream);
    if (!copies.ok()) return copies.status();
    roofline.copy_bytes_per_second = 2.0 * kBytes / Median(copies->front());
  }
  Duel duel(device, options, stream);
  for (int64_t size : {4096, 8192}) {
    WorkloadRow workload;
    workload.problem.m = workload.problem.n = workload.problem.k = size;
    const ReportRow row = duel.Run(workload);
    for (const Timing& timing : {row.ours, row.best}) {
      if (timing.seconds <= 0) continue;
      roofline.flops_per_second = std::max(
          roofline.flops_per_second, Flops(workload.problem) / timing.seconds);
    }
  }
  return roofline;
}

}  // namespace tiletune
