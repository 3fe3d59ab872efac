// A program of another project that asks tiletune which kernel it would run.
#include <cstdio>
#include <memory>
#include <utility>

#include "dispatch/tuned_gemm.h"

int main() {
  tiletune::TunedGemmOptions options;
  options.device = *tiletune::ModelledDevice("b200");
  std::unique_ptr<tiletune::TunedGemm> gemm =
      *tiletune::TunedGemm::Open(std::move(options));
  tiletune::GemmProblem problem;
  problem.m = problem.n = problem.k = 8192;
  const absl::StatusOr<tiletune::Choice> choice = gemm->Choose(problem);
  if (!choice.ok()) {
    std::fprintf(stderr, "%s\n", choice.status().ToString().c_str());
    return 1;
  }
  std::printf("%s: %s (%s)\n", ProblemKey(problem).c_str(),
              ConfigKey(choice->config).c_str(), Name(choice->why));
  return 0;
}
