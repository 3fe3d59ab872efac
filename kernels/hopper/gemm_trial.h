// Test only: one GEMM on the GPU with chosen operands, and what was wrong with
// its result.
//
//   GemmTrial trial;
//   trial.problem = problem; trial.config = config; trial.beta = 2;
//   EXPECT_EQ(RunTrial(trial), "");
#ifndef TILETUNE_KERNELS_HOPPER_GEMM_TRIAL_H_
#define TILETUNE_KERNELS_HOPPER_GEMM_TRIAL_H_

#include <cuda_runtime_api.h>

#include <string>

#include "kernels/config.h"
#include "kernels/problem.h"

namespace tiletune::hopper {

struct GemmTrial {
  GemmProblem problem;
  GemmConfig config;
  float alpha = 1;
  float beta = 0;
  bool in_place = false;
  bool c_is_nan = false;
  bool scalars_on_device = false;
  float tolerance = 0;
  int magnitude = 2;
};

// Launches on `stream`, directly or as a graph that is replayed twice. Empty if
// D is as the oracle says and nothing else was written.
std::string RunTrial(const GemmTrial& trial, cudaStream_t stream = nullptr,
                     bool as_graph = false);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_GEMM_TRIAL_H_
