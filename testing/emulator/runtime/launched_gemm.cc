#include "testing/emulator/runtime/launched_gemm.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/variant.h"
#include "testing/emulator/runtime/session.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

GemmProblem Problem(int m, int n) {
  GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = 136;
  problem.epilogue.reads_c = true;
  return Normalized(problem);
}

}  // namespace

testing::AssertionResult LaunchedGemmIsExact(const FamilyLauncher& launcher,
                                             const char* variant, int m,
                                             int n) {
  GemmConfig config;
  config.variant = FindVariant(variant);
  if (config.variant == nullptr || !launcher.is_linked(*config.variant)) {
    return testing::AssertionFailure() << variant << " is not linked";
  }
  const absl::StatusOr<DeviceFacts> facts = QueryDevice(0);
  if (!facts.ok()) return testing::AssertionFailure() << facts.status();

  const GemmProblem problem = Problem(m, n);
  HostOperands operands(problem);
  operands.FillSmallIntegers(1);
  const auto gpu = GpuOperands::Upload(operands, operands.arguments());
  if (!gpu.ok()) return testing::AssertionFailure() << gpu.status();
  absl::StatusOr<DeviceBuffer> workspace =
      DeviceBuffer::Allocate(launcher.workspace_bytes(problem, config, *facts));
  if (!workspace.ok()) return testing::AssertionFailure() << workspace.status();
  absl::Status status = workspace->Fill(0, /*stream=*/nullptr);
  if (status.ok()) {
    status = launcher.launch(problem, config, (*gpu)->arguments(), *facts,
                             workspace->data(), /*stream=*/nullptr);
  }
  if (!status.ok()) return testing::AssertionFailure() << status;
  const testing::AssertionResult right = (*gpu)->DIsExact(&operands);
  const int findings = emulator::runtime::Session::Get().findings();
  if (findings != 0)
    return testing::AssertionFailure() << findings << " findings";
  return right;
}

}  // namespace tiletune
