// What a launch pays for being tuned: the lookup, alone, at 20,000 rows.
//
//   bazel run -c opt //dispatch:lookup_benchmark
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "autotune/store/store_testing.h"
#include "dispatch/many_problems.h"
#include "dispatch/tuned_gemm.h"

namespace tiletune {
namespace {

absl::Status NoLaunch(const GemmProblem&, const GemmConfig&,
                      const GemmArguments&, const DeviceFacts&, void*, size_t,
                      GpuStream) {
  return absl::OkStatus();
}

absl::StatusOr<size_t> NoWorkspace(const GemmProblem&, const GemmConfig&,
                                   const DeviceFacts&) {
  return 0;
}

bool AllLinked(const KernelVariant&) { return true; }

constexpr GemmBackend kNoKernels = {&NoLaunch, &NoWorkspace, &AllLinked,
                                    &PreparedGemm::Prepare, &PrepareWorkspace};

// One database for all of them.
struct Fixture {
  TemporaryFolder folder;
  std::vector<GemmProblem> problems =
      TuneMany(folder.File("many.db"), 20000, TestDevice());
  std::unique_ptr<TunedGemm> gemm;

  TunedGemmOptions Options() const {
    TunedGemmOptions options;
    options.user_database = folder.File("many.db");
    options.system_database = "";
    options.shape_log = "";
    options.device = TestDevice();
    options.backend = &kNoKernels;
    return options;
  }

  Fixture() {
    gemm = *TunedGemm::Open(Options());
    if (gemm->tuned_problems() != problems.size()) std::abort();
    // Each lookup is then a jump to an unpredictable place.
    std::shuffle(problems.begin(), problems.end(), std::minstd_rand(1));
  }

  static Fixture& Get() {
    static auto* const fixture = new Fixture;
    return *fixture;
  }
};

void Hit(benchmark::State& state) {
  Fixture& fixture = Fixture::Get();
  size_t i = 0;
  for (auto _ : state) {
    absl::StatusOr<Choice> choice = fixture.gemm->Choose(fixture.problems[i]);
    benchmark::DoNotOptimize(choice);
    if (++i == fixture.problems.size()) i = 0;
  }
}
BENCHMARK(Hit);

// One problem again and again, as one layer does.
void HotHit(benchmark::State& state) {
  Fixture& fixture = Fixture::Get();
  for (auto _ : state) {
    absl::StatusOr<Choice> choice = fixture.gemm->Choose(fixture.problems[0]);
    benchmark::DoNotOptimize(choice);
  }
}
BENCHMARK(HotHit);

void RememberedMiss(benchmark::State& state) {
  Fixture& fixture = Fixture::Get();
  const GemmProblem untuned = TestProblem(3, 5, 7);
  for (auto _ : state) {
    absl::StatusOr<Choice> choice = fixture.gemm->Choose(untuned);
    benchmark::DoNotOptimize(choice);
  }
}
BENCHMARK(RememberedMiss);

// Everything Run adds to LaunchGemm.
void RunWithoutAKernel(benchmark::State& state) {
  Fixture& fixture = Fixture::Get();
  size_t i = 0;
  for (auto _ : state) {
    absl::Status status = fixture.gemm->Run(fixture.problems[i], {}, nullptr);
    benchmark::DoNotOptimize(status);
    if (++i == fixture.problems.size()) i = 0;
  }
}
BENCHMARK(RunWithoutAKernel);

void OpenWith20000Rows(benchmark::State& state) {
  Fixture& fixture = Fixture::Get();
  for (auto _ : state) {
    benchmark::DoNotOptimize(TunedGemm::Open(fixture.Options()));
  }
}
BENCHMARK(OpenWith20000Rows)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tiletune

BENCHMARK_MAIN();
