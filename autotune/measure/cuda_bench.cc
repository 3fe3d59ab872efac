#include "autotune/measure/cuda_bench.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "autotune/measure/co_tenant.h"
#include "autotune/measure/failed_trial.h"
#include "autotune/measure/launch_probes.h"
#include "autotune/measure/sample_guard.h"
#include "autotune/measure/sm_holder.h"
#include "autotune/measure/steady_now.h"
#include "kernels/cuda_status.h"
#include "kernels/gemm.h"
#include "kernels/nvml.h"
#include "kernels/reference/checker.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/timing/launch_timer.h"
#include "kernels/timing/operands.h"

namespace tiletune {
namespace {

// Graphs kept for candidates that are timed in turn: all of a sweep's.
constexpr size_t kMostTimers = 2048;
// A screen only says who is far behind.
constexpr double kScreenSampleSeconds = 0.3e-3;
constexpr double kFinalSampleSeconds = 1e-3;
// Asking the driver for the state of the GPU takes about as long as a sample,
// and clock and heat change no faster than this.
constexpr absl::Duration kStateAge = absl::Milliseconds(20);
// A sample that the guard refuses is taken again so often.
constexpr int kMostRetries = 8;

Trial FailedBy(const absl::Status& status) {
  // Running out of memory leaves the context whole.
  if (absl::IsResourceExhausted(status)) cudaGetLastError();
  return FailedTrial(status);
}

std::string BusId(int ordinal) {
  char text[32] = {};
  const cudaError_t error = cudaDeviceGetPCIBusId(text, sizeof(text), ordinal);
  return error == cudaSuccess ? text : absl::StrCat("ordinal-", ordinal);
}

// Lists the GPUs; runs nothing.
class DeviceList : public Bench {
 public:
  absl::StatusOr<std::vector<BenchDevice>> Devices() override {
    const absl::StatusOr<int> count = DeviceCount();
    if (!count.ok()) return count.status();
    std::vector<BenchDevice> devices;
    for (int i = 0; i < *count; ++i) {
      const absl::StatusOr<DeviceFacts> facts = QueryDevice(i);
      if (facts.ok()) devices.push_back({*facts, BusId(i)});
    }
    return devices;
  }
  Trial Prepare(const GemmProblem&, const MeasurementPolicy&) override {
    return FailedTrial(Outcome::kRefused, "no GPU was chosen");
  }
  Trial Check(const GemmConfig&, int) override { return Prepare({}, {}); }
  Trial Time(const TimeRequest&) override { return Prepare({}, {}); }
};

class CudaBench : public Bench {
 public:
  static absl::StatusOr<std::unique_ptr<Bench>> Open(int ordinal) {
    const absl::StatusOr<DeviceFacts> device = QueryDevice(ordinal);
    if (!device.ok()) return device.status();
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaSetDevice(ordinal));
    auto bench = std::make_unique<CudaBench>();
    bench->device_ = *device;
    bench->bus_id_ = BusId(ordinal);
    TILETUNE_RETURN_IF_CUDA_ERROR(
        cudaStreamCreateWithFlags(&bench->stream_, cudaStreamNonBlocking));
    absl::StatusOr<NvmlDevice> nvml = NvmlDevice::Open(bench->bus_id_);
    if (nvml.ok()) {
      bench->power_limit_w_ = nvml->PowerLimitWatts();
      bench->max_clock_mhz_ = nvml->MaxSmClockMhz();
      bench->nvml_ = *std::move(nvml);
    }
    return std::unique_ptr<Bench>(std::move(bench));
  }

  absl::StatusOr<std::vector<BenchDevice>> Devices() override {
    return std::vector<BenchDevice>{{device_, bus_id_}};
  }

  Trial Prepare(const GemmProblem& problem,
                const MeasurementPolicy& policy) override {
    Drop();
    problem_ = problem;
    policy_ = policy;
    absl::StatusOr<Operands*> operands = OperandsAt(0);
    if (!operands.ok()) return FailedBy(operands.status());
    operands_ = *operands;
    CheckerOptions check_options;
    check_options.gaps_are_poisoned = true;
    absl::StatusOr<std::unique_ptr<GemmChecker>> checker = GemmChecker::Create(
        problem, operands_->arguments(0), device_, check_options, stream_);
    if (!checker.ok()) return FailedBy(checker.status());
    checker_ = *std::move(checker);
    if (policy.busy_percent > 0) {
      absl::StatusOr<std::unique_ptr<CoTenant>> tenant =
          CoTenant::Create(device_, policy.busy_percent);
      if (!tenant.ok()) return FailedBy(tenant.status());
      tenant_ = *std::move(tenant);
    }
    // The reference kept it busy; a GPU that has rested so far is not warm yet.
    if (last_busy_ != absl::InfinitePast()) last_busy_ = SteadyNow();
    return Trial();
  }

  Trial Check(const GemmConfig& config, int repeats) override {
    if (checker_ == nullptr) {
      return FailedTrial(Outcome::kRefused, "no problem was prepared");
    }
    absl::Status status = Reserve(config);
    if (status.ok()) status = ResetWorkspace();
    for (int i = 0; i < repeats && status.ok(); ++i) {
      status = CheckOnce(config);
      if (status.ok() || !absl::IsDataLoss(status) || repeats == 1) continue;
      status = absl::DataLossError(absl::StrCat(
          "repeat ", i + 1, " of ", repeats, ": ", status.message()));
    }
    return status.ok() ? Trial() : FailedBy(status);
  }

  Trial Time(const TimeRequest& request) override {
    if (operands_ == nullptr) {
      return FailedTrial(Outcome::kRefused, "no problem was prepared");
    }
    const absl::StatusOr<LaunchTimer*> timer = TimerOf(request);
    if (!timer.ok()) return FailedBy(timer.status());
    absl::Status status = WarmUp(*timer);
    Trial trial;
    if (status.ok()) {
      status = TakeBeside(
          tenant_.get(), [&] { return Sample(*timer, request.count, &trial); });
    }
    last_busy_ = SteadyNow();
    return status.ok() ? trial : FailedBy(status);
  }

 private:
  // Frees what belongs to the last problem, in the order of its use.
  void Drop() {
    timers_.clear();
    checker_ = nullptr;
    operands_ = nullptr;
    placements_.clear();
    tenant_ = nullptr;
  }

  // The operands of a placement, made when they are first asked for. All of
  // them stay until the next problem, so each lies elsewhere.
  absl::StatusOr<Operands*> OperandsAt(int placement) {
    const auto found = placements_.find(placement);
    if (found != placements_.end()) return found->second.get();
    OperandOptions options;
    options.cold_l2 = policy_.l2 == L2State::kCold;
    absl::StatusOr<std::unique_ptr<Operands>> made =
        Operands::Create(problem_, device_, options, stream_);
    if (made.ok()) {
      Operands* const operands = made->get();
      placements_.emplace(placement, *std::move(made));
      return operands;
    }
    if (placement == 0 || !absl::IsResourceExhausted(made.status())) {
      return made.status();
    }
    cudaGetLastError();  // running out of memory leaves the context whole
    return operands_;
  }

  // Makes the workspace at least as large as `config` needs, and its counters
  // zero, as kernels/gemm.h asks.
  absl::Status Reserve(const GemmConfig& config) {
    const absl::StatusOr<size_t> bytes =
        WorkspaceBytes(problem_, config, device_);
    if (!bytes.ok()) return bytes.status();
    const size_t wanted = std::max(*bytes, kWorkspaceCounterBytes);
    if (workspace_.size() >= wanted) return absl::OkStatus();
    timers_.clear();  // they hold the old address
    workspace_ = DeviceBuffer();
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(wanted);
    if (!buffer.ok()) return buffer.status();
    workspace_ = *std::move(buffer);
    return ResetWorkspace();
  }

  // Zero counters; what else the last candidate left there is poisoned.
  absl::Status ResetWorkspace() {
    const absl::Status status = workspace_.Fill(0xff, stream_);
    if (!status.ok()) return status;
    return CudaStatus(
        cudaMemsetAsync(workspace_.data(), 0, kWorkspaceCounterBytes, stream_),
        "cudaMemsetAsync");
  }

  absl::Status Launch(const GemmConfig& config, const Operands& operands,
                      int64_t i, GpuStream stream) {
    return LaunchGemm(problem_, config, operands.arguments(i), device_,
                      workspace_.data(), workspace_.size(), stream);
  }

  absl::Status CheckOnce(const GemmConfig& config) {
    absl::Status status = operands_->PoisonD(0, stream_);
    if (status.ok()) status = Launch(config, *operands_, 0, stream_);
    if (status.ok()) {
      status = CudaStatus(cudaStreamSynchronize(stream_), "the kernel");
    }
    if (!status.ok()) return status;
    const absl::StatusOr<GemmCheck> check =
        checker_->Check(operands_->arguments(0), stream_);
    if (!check.ok()) return check.status();
    if (!check->ok()) return absl::DataLossError(check->ToString());
    return operands_->CheckGuards(0, stream_);
  }

  // The timer of a request. The first of a config has been replayed once, so
  // that the kernel is loaded.
  absl::StatusOr<LaunchTimer*> TimerOf(const TimeRequest& request) {
    const GemmConfig& config = request.config;
    const bool screen = request.stage == Stage::kScreen;
    const std::string key =
        absl::StrCat(ConfigKey(config), screen ? "#s" : "#f", request.instance,
                     "@", request.placement);
    const auto found = timers_.find(key);
    if (found != timers_.end()) return found->second.get();
    // A new worker times finalists that an earlier one checked.
    const absl::Status reserved = Reserve(config);
    if (!reserved.ok()) return reserved;
    if (timers_.size() >= kMostTimers) timers_.clear();
    const absl::StatusOr<Operands*> operands = OperandsAt(request.placement);
    if (!operands.ok()) return operands.status();
    const auto launch = [this, config, operands = *operands](int64_t i,
                                                             GpuStream stream) {
      return Launch(config, *operands, i, stream);
    };
    const absl::StatusOr<LaunchProbes::Probe> probe =
        probes_.Of(problem_, policy_, config, [&] { return Probe(launch); });
    if (!probe.ok()) return probe.status();
    const double sample = screen ? kScreenSampleSeconds : kFinalSampleSeconds;
    const TimerOptions options = {
        policy_.launch,
        LaunchesPerReplay((*operands)->copies(), probe->seconds, sample)};
    absl::StatusOr<std::unique_ptr<LaunchTimer>> timer =
        LaunchTimer::Create(launch, options, stream_);
    if (!timer.ok()) return timer.status();
    if (probe->is_new) {
      const absl::StatusOr<double> first = (*timer)->Replay();
      if (!first.ok()) return first.status();
    }
    return timers_.emplace(key, *std::move(timer)).first->second.get();
  }

  // Seconds of a launch as a stream makes them: a first look, which says how
  // many launches make a sample.
  absl::StatusOr<double> Probe(const LaunchTimer::Launch& launch) {
    absl::StatusOr<std::unique_ptr<LaunchTimer>> timer =
        LaunchTimer::Create(launch, {LaunchMode::kStream, 2}, stream_);
    if (!timer.ok()) return timer.status();
    // Again, as the first loads the kernel.
    const absl::StatusOr<double> first = (*timer)->Replay();
    if (!first.ok()) return first.status();
    return (*timer)->Replay();
  }

  // After a pause, brings the clock to where it stays under load; replays of
  // the candidate itself are the load.
  absl::Status WarmUp(LaunchTimer* timer) {
    const absl::Time start = SteadyNow();
    if (start - last_busy_ <= absl::Seconds(1)) return absl::OkStatus();
    int32_t clock = 0;
    while (true) {
      const absl::StatusOr<double> replayed = timer->Replay();
      if (!replayed.ok()) return replayed.status();
      const int32_t before = clock;
      if (nvml_.has_value()) clock = nvml_->Sample().sm_clock_mhz;
      const absl::Duration passed = SteadyNow() - start;
      const bool steady = std::abs(clock - before) * 100 <= clock;
      if (passed >= absl::Seconds(2) ||
          (passed >= absl::Milliseconds(300) && steady)) {
        return absl::OkStatus();
      }
    }
  }

  // At most kStateAge old.
  const NvmlState& State() {
    const absl::Time now = SteadyNow();
    if (now - state_time_ > kStateAge) {
      state_ = nvml_->Sample();
      state_time_ = now;
    }
    return state_;
  }

  absl::Status Sample(LaunchTimer* timer, int count, Trial* trial) {
    Conditions& conditions = trial->conditions;
    if (nvml_.has_value()) conditions.power_limit_w = power_limit_w_;
    int retries = 0;
    absl::Duration rest = absl::Milliseconds(20);
    while (static_cast<int>(trial->samples_ns.size()) < count) {
      const absl::StatusOr<double> seconds = timer->Replay();
      if (!seconds.ok()) return seconds.status();
      if (nvml_.has_value()) {
        const NvmlState& state = State();
        if (Judge(state, max_clock_mhz_) == Verdict::kSlowedDown) {
          if (++retries > kMostRetries) {
            trial->outcome = Outcome::kUnstable;
            trial->detail =
                absl::StrCat("the GPU is slowed down: ", state.sm_clock_mhz,
                             " MHz, ", state.temperature_celsius,
                             " C, reasons ", absl::Hex(state.throttle_reasons));
            return absl::OkStatus();
          }
          absl::SleepFor(rest);
          rest *= 2;
          continue;
        }
        conditions.sm_clock_mhz = state.sm_clock_mhz;
        conditions.memory_clock_mhz = state.memory_clock_mhz;
        conditions.temperature_c = state.temperature_celsius;
        conditions.power_capped |=
            (state.throttle_reasons & kThrottlePowerCap) != 0;
      }
      trial->samples_ns.push_back(*seconds * 1e9);
    }
    return absl::OkStatus();
  }

  DeviceFacts device_;
  std::string bus_id_;
  std::optional<NvmlDevice> nvml_;
  int32_t power_limit_w_ = 0;
  int32_t max_clock_mhz_ = 0;
  NvmlState state_;
  absl::Time state_time_ = absl::InfinitePast();
  GpuStream stream_ = nullptr;

  GemmProblem problem_;
  MeasurementPolicy policy_;
  std::map<int, std::unique_ptr<Operands>> placements_;
  Operands* operands_ = nullptr;  // of placement 0: what is checked
  std::unique_ptr<GemmChecker> checker_;
  std::unique_ptr<CoTenant> tenant_;
  DeviceBuffer workspace_;
  std::map<std::string, std::unique_ptr<LaunchTimer>> timers_;
  LaunchProbes probes_;
  absl::Time last_busy_ = absl::InfinitePast();
};

}  // namespace

absl::StatusOr<std::unique_ptr<Bench>> OpenCudaBench(
    const std::string& device) {
  if (device == "auto") return std::unique_ptr<Bench>(new DeviceList);
  int ordinal = 0;
  if (device.rfind("cuda:", 0) != 0 ||
      !absl::SimpleAtoi(device.substr(5), &ordinal)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", device, "' is no device: write auto, cuda:N or model:NAME"));
  }
  return CudaBench::Open(ordinal);
}

}  // namespace tiletune
