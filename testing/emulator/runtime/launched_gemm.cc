#include "testing/emulator/runtime/launched_gemm.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "testing/emulator/runtime/session.h"
#include "testing/reference/host_operands.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

// Null for nothing, and when CUDA fails: the launcher will say so.
void* Upload(const std::vector<uint8_t>& host) {
  void* device = nullptr;
  if (host.empty() || cudaMalloc(&device, host.size()) != cudaSuccess ||
      cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice) !=
          cudaSuccess) {
    return nullptr;
  }
  return device;
}

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
  const HostArguments host = operands.arguments();
  GemmArguments arguments;
  arguments.a = Upload(operands.a());
  arguments.b = Upload(operands.b());
  arguments.c = Upload(operands.c());
  arguments.d = Upload(operands.d());
  arguments.alpha = host.alpha;
  arguments.beta = host.beta;
  const size_t bytes = launcher.workspace_bytes(problem, config, *facts);
  void* const workspace = Upload(std::vector<uint8_t>(bytes, 0));

  const absl::Status status =
      launcher.launch(problem, config, arguments, *facts, workspace, nullptr);
  if (!status.ok()) return testing::AssertionFailure() << status;
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaSuccess) {
    error = cudaMemcpy(operands.d().data(), arguments.d, operands.d().size(),
                       cudaMemcpyDeviceToHost);
  }
  if (error != cudaSuccess) {
    return testing::AssertionFailure() << cudaGetErrorName(error);
  }
  const int findings = emulator::runtime::Session::Get().findings();
  if (findings != 0) return testing::AssertionFailure() << findings;
  return MatchesReference(problem, ComputeReference(problem, host),
                          operands.d().data(), ErrorBound::Exact(problem));
}

}  // namespace tiletune
