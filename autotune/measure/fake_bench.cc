#include "autotune/measure/fake_bench.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "autotune/measure/fake_noise.h"

namespace tiletune {
namespace {

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

DeviceFacts FakeDevice() {
  DeviceFacts facts;
  facts.capability_major = 9;
  facts.capability_minor = 0;
  facts.sm_count = 132;
  facts.l2_bytes = 7 << 20;
  facts.bandwidth_class = 100;
  facts.shared_bytes_per_cta = 227 << 10;
  facts.max_clock_mhz = 1000;
  facts.memory_bytes_per_second = 1e11;
  facts.dense_16bit_flops = 1e14;
  facts.ordinal = 0;
  facts.name = "fake";
  facts.driver = "fake";
  return facts;
}

absl::StatusOr<std::vector<FakeFault>> ParseFaults(std::string_view text) {
  using Kind = FakeFault::Kind;
  constexpr std::pair<const char*, Kind> kKinds[] = {
      {"hang", Kind::kHang}, {"crash", Kind::kCrash},   {"abort", Kind::kAbort},
      {"exit", Kind::kExit}, {"sticky", Kind::kSticky}, {"wrong", Kind::kWrong},
      {"rare", Kind::kRare}, {"oom", Kind::kOom},       {"slow", Kind::kSlow},
      {"hot", Kind::kHot}};
  std::vector<FakeFault> faults;
  const std::string copy(text);
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(copy, ',', absl::SkipEmpty()))) {
    const size_t colon = part.find(':');
    const auto kind = std::find_if(
        std::begin(kKinds), std::end(kKinds),
        [&](const auto& k) { return part.substr(0, colon) == k.first; });
    if (colon == std::string::npos || kind == std::end(kKinds)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part, "' is not KIND:GLOB"));
    }
    faults.push_back({kind->second, part.substr(colon + 1)});
  }
  return faults;
}

bool FakeBench::Matches(const FakeFault& fault,
                        const GemmConfig& config) const {
  return fnmatch(fault.configs.c_str(), ConfigKey(config).c_str(), 0) == 0;
}

bool FakeBench::Fails(const GemmConfig& config, int repeats, Trial* trial) {
  using Kind = FakeFault::Kind;
  for (const FakeFault& fault : faults_) {
    if (!Matches(fault, config)) continue;
    switch (fault.kind) {
      case Kind::kHang:
        while (true) pause();
      case Kind::kCrash:
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
        break;
      case Kind::kAbort:
        std::abort();
      case Kind::kExit:
        _exit(0);
      case Kind::kSticky:
        trial->outcome = Outcome::kCrashed;
        trial->detail = "an illegal memory access was encountered";
        return true;
      case Kind::kWrong:
      case Kind::kRare:
        if (fault.kind == Kind::kRare && repeats < 40) break;
        if (repeats == 0) break;  // timing does not look at the result
        trial->outcome = Outcome::kWrong;
        trial->detail = "element (0, 0) is 1, expected 2";
        return true;
      case Kind::kOom:
        trial->outcome = Outcome::kOutOfMemory;
        trial->detail = "the workspace does not fit";
        return true;
      case Kind::kSlow:
      case Kind::kHot:
        break;
    }
  }
  return false;
}

absl::StatusOr<std::vector<BenchDevice>> FakeBench::Devices() {
  // One a folder: tests that run side by side have GPUs of their own, and leave
  // nothing behind.
  const std::filesystem::path folder = std::filesystem::current_path();
  return std::vector<BenchDevice>{{FakeDevice(), folder / "fake-gpu.lock"}};
}

Trial FakeBench::Prepare(const GemmProblem& problem,
                         const MeasurementPolicy& policy) {
  problem_ = problem;
  policy_ = policy;
  return Trial();
}

Trial FakeBench::Check(const GemmConfig& config, int repeats) {
  absl::SleepFor(delay_);
  Trial trial;
  Fails(config, repeats, &trial);
  return trial;
}

double FakeBench::TrueTime(const GemmProblem& problem,
                           const MeasurementPolicy& policy,
                           const GemmConfig& config) const {
  const KernelVariant& v = *config.variant;
  const std::string where =
      absl::StrCat(ProblemKey(problem), PolicyKey(policy));
  const std::string tile =
      absl::StrCat(v.tile_m, "x", v.tile_n, "x", v.tile_k, "c", v.cluster_m,
                   "x", v.cluster_n, "s", v.stages, "k", config.split_k);
  const std::string order = absl::StrCat(
      config.swizzle_offset, "d", static_cast<int>(config.swizzle_direction));
  // The tile decides most, its order some, its supply little: as on silicon.
  double ns = 1000 + Flops(problem) / 1e5;
  ns *= 1 + 0.8 * UnitOf(seed_, absl::StrCat(where, tile));
  ns *= 1 + 0.06 * UnitOf(seed_, absl::StrCat(where, tile, order));
  ns *= 1 + 0.03 * UnitOf(seed_, absl::StrCat(where, v.name));
  for (const FakeFault& fault : faults_) {
    if (!Matches(fault, config)) continue;
    if (fault.kind == FakeFault::Kind::kSlow) ns *= 10;
    if (fault.kind == FakeFault::Kind::kHot) ns *= 1.15;
  }
  return ns;
}

Trial FakeBench::Time(const TimeRequest& request) {
  absl::SleepFor(delay_);
  Trial trial;
  if (Fails(request.config, /*repeats=*/0, &trial)) return trial;
  const std::string name = absl::StrCat(
      ProblemKey(problem_), PolicyKey(policy_), ConfigKey(request.config));
  double ns = TrueTime(problem_, policy_, request.config);
  if (request.placement != 0) {
    ns *= 1 + placement_noise_ *
                  NormalOf(seed_, absl::StrCat(name, "p", request.placement));
  }
  const std::string key = absl::StrCat(name, static_cast<int>(request.stage),
                                       "i", request.instance);
  for (int i = 0; i < request.count; ++i) {
    const double noise = NormalOf(seed_, absl::StrCat(key, request.first + i));
    trial.samples_ns.push_back(ns * (1 + noise_ * noise));
  }
  samples_ += request.count;
  if (!log_.empty()) {
    std::ofstream(log_, std::ios::app)
        << Name(request.stage) << " " << request.first << " "
        << PolicyKey(policy_) << " " << ProblemKey(problem_) << " | "
        << ConfigKey(request.config)
        << (request.instance == 0 ? "" : absl::StrCat(" #", request.instance))
        << std::endl;
  }
  trial.conditions.sm_clock_mhz = 1000;
  return trial;
}

absl::StatusOr<std::unique_ptr<Bench>> OpenFakeBench(
    const std::string& device) {
  uint64_t seed = 0;
  if (device.rfind("fake:", 0) != 0 ||
      !absl::SimpleAtoi(device.substr(5), &seed)) {
    return absl::UnavailableError(
        absl::StrCat("'", device, "' is no fake device"));
  }
  const absl::StatusOr<std::vector<FakeFault>> faults =
      ParseFaults(Variable("TILETUNE_FAKE_FAULTS"));
  if (!faults.ok()) return faults.status();
  auto bench = std::make_unique<FakeBench>(seed, *faults);
  int64_t microseconds = 0;
  if (absl::SimpleAtoi(Variable("TILETUNE_FAKE_DELAY_US"), &microseconds)) {
    bench->set_delay(absl::Microseconds(microseconds));
  }
  bench->set_log(Variable("TILETUNE_FAKE_LOG"));
  return std::unique_ptr<Bench>(std::move(bench));
}

}  // namespace tiletune
