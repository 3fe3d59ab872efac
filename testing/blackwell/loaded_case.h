// LoadedCase: one KernelCase in emulated memory, to be launched as often as
// wanted.
//
// Use it through kernel_runner.h.
//
//   LoadedCase loaded(c, &device.memory());
//   testing::AssertionResult result = loaded.MakePlan();
//   loaded.Reset();
//   ... launch what loaded.plan() says ...
//   result = loaded.Judge();
#ifndef TILETUNE_TESTING_BLACKWELL_LOADED_CASE_H_
#define TILETUNE_TESTING_BLACKWELL_LOADED_CASE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/blackwell/plan.h"
#include "testing/blackwell/device_buffers.h"
#include "testing/blackwell/kernel_case.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {

class LoadedCase {
 public:
  // Makes the inputs and uploads them. Both arguments must outlive it.
  LoadedCase(const KernelCase& c, emulator::GlobalMemory* memory);

  // Makes A what `first` computes. Its D has the type and the shape of A, both
  // packed and K contiguous. Before MakePlan; `first` must outlive this.
  void TakeAFrom(LoadedCase* first);

  // The launcher's own plan, with the emulator's encoding of its maps. Fails
  // where CheckLegal does: the cover shows nothing about other cases.
  testing::AssertionResult MakePlan();

  // Before each launch: D as it was, and what the launcher would clear.
  void Reset();

  // Whether D, the gaps between its rows, amax and the workspace's counters
  // are as they should be, and D has the same bits after every launch; after
  // that of the case that A is taken from.
  testing::AssertionResult Judge();

  const blackwell::LaunchPlan& plan() const { return plan_; }
  size_t workspace_bytes() const { return workspace_bytes_; }
  int sms() const { return facts_.sm_count; }

 private:
  void ComputeWant();
  testing::AssertionResult JudgeAmax(const ErrorBound& bound);
  testing::AssertionResult JudgeCounters();
  testing::AssertionResult JudgeRepetition();

  const KernelCase& case_;
  DeviceBuffers buffers_;
  HostOperands operands_;
  const std::vector<uint8_t> initial_d_;
  GemmArguments arguments_;
  LoadedCase* first_ = nullptr;
  std::optional<ReferenceOutput> want_;
  std::optional<std::vector<uint8_t>> first_result_;  // D
  const DeviceFacts facts_;
  void* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
  blackwell::LaunchPlan plan_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_LOADED_CASE_H_
