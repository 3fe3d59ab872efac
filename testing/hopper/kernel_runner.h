// KernelRunner: one Hopper GEMM on one kernel's PTX in the emulator, launched
// as kernels/hopper/launcher.cc would on the GPU, and D judged.
//
// Use it in tests.
//
//   KernelRunner runner(variant, ReadFile(ptx_path));
//   KernelTrial trial;
//   trial.problem.m = trial.problem.n = trial.problem.k = 200;
//   EXPECT_TRUE(runner.Run(trial));
#ifndef TILETUNE_TESTING_HOPPER_KERNEL_RUNNER_H_
#define TILETUNE_TESTING_HOPPER_KERNEL_RUNNER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "scheduler/order.h"
#include "testing/reference/host_operands.h"

namespace tiletune {

struct KernelTrial {
  GemmProblem problem;  // one that needs no repack
  uint32_t offset = 2;
  SwizzleDirection direction = SwizzleDirection::kZn;
  uint32_t split_k = 1;
  float alpha = 1;
  float beta = 0;
  bool alpha_is_on_device = false;
  int64_t d_offset = 0;  // elements by which D starts after an aligned address
  // What is to become of the inputs, before they go to the device.
  std::function<void(HostOperands&)> edit;
  int resident_clusters = 2;
  // Of those, how many the GPU has room for: others hold the rest of its SMs.
  // 0: all.
  int free_clusters = 0;
  int starved_warp = -1;  // of each CTA: RunOptions::starved_warp
  // The workspace is as launches before would have left it: the slots of
  // split-K are zero, and said to be. Else they hold anything.
  bool workspace_is_clean = false;
  uint64_t seed = 1;  // of inputs, completions and interleavings
};

class KernelRunner {
 public:
  KernelRunner(const KernelVariant& variant, const std::string& ptx);
  ~KernelRunner();

  // Success if the emulator's strict checks find nothing, D is exact, and
  // nothing else was written.
  testing::AssertionResult Run(const KernelTrial& trial);

 private:
  struct Loaded;

  const KernelVariant& variant_;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_HOPPER_KERNEL_RUNNER_H_
