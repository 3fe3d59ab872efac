// Runs a few GEMMs of a language model with whatever tiletune knows of them,
// and says which kernel ran and why.
//
//   bazel run //examples:tuned_gemm
//
// Tune the shapes first and see the answers change:
//
//   bazel run autotune -- --shape=4096x4096x4096
//
// Without a GPU it prints what would be chosen on a modelled B200.
#include "dispatch/tuned_gemm.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "examples/device_memory.h"

namespace {

using tiletune::Choice;
using tiletune::GemmProblem;
using tiletune::TunedGemm;

GemmProblem Problem(int64_t m, int64_t n, int64_t k) {
  GemmProblem problem;  // bf16, A row-major, B column-major, packed
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

std::vector<GemmProblem> Problems() {
  return {Problem(4096, 4096, 4096), Problem(16, 4096, 4096),
          Problem(64, 14336, 4096), Problem(2048, 4096, 14336)};
}

std::string Text(const Choice& choice) {
  return ConfigKey(choice.config) + " (" + Name(choice.why) + ")";
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

// What a model does: open once, then run.
int RunOnGpu(TunedGemm* gemm) {
  for (const GemmProblem& problem : Problems()) {
    absl::StatusOr<size_t> bytes = gemm->WorkspaceBytes(problem);
    if (!bytes.ok()) return Fail(bytes.status());
    DeviceMemory a(2 * problem.m * problem.k), b(2 * problem.k * problem.n);
    DeviceMemory d(2 * problem.m * problem.n), workspace(*bytes);
    absl::Status status =
        gemm->PrepareWorkspace(workspace.data(), *bytes, /*stream=*/nullptr);
    if (!status.ok()) return Fail(status);
    tiletune::GemmArguments arguments;
    arguments.a = a.data();
    arguments.b = b.data();
    arguments.d = d.data();
    Choice ran;
    status = gemm->Run(problem, arguments, workspace.data(), *bytes,
                       /*stream=*/nullptr, &ran);
    if (status.ok()) status = WaitForDevice();
    if (!status.ok()) return Fail(status);
    std::printf("%-32s ran %s\n", ProblemKey(problem).c_str(),
                Text(ran).c_str());
  }
  return 0;
}

int ShowChoices(TunedGemm* gemm) {
  for (const GemmProblem& problem : Problems()) {
    absl::StatusOr<Choice> choice = gemm->Choose(problem);
    if (!choice.ok()) return Fail(choice.status());
    std::printf("%-32s would run %s\n", ProblemKey(problem).c_str(),
                Text(*choice).c_str());
  }
  return 0;
}

}  // namespace

int main() {
  absl::StatusOr<std::unique_ptr<TunedGemm>> gemm = TunedGemm::Open({});
  if (gemm.ok()) {
    std::printf("on %s\n", (*gemm)->device().name.c_str());
    return RunOnGpu(gemm->get());
  }
  std::printf("no GPU (%s); on a modelled B200:\n",
              std::string(gemm.status().message()).c_str());
  tiletune::TunedGemmOptions options;
  options.device = *tiletune::ModelledDevice("b200");
  gemm = TunedGemm::Open(options);
  if (!gemm.ok()) return Fail(gemm.status());
  return ShowChoices(gemm->get());
}
