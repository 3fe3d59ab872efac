// The product's own host code and Blackwell kernels, from tensor maps to the
// launch, on a machine with no GPU: the objects that a real program links, with
// the emulated runtime in the place of NVIDIA's.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/blackwell/launcher.h"
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

void* Upload(const std::vector<uint8_t>& host) {
  void* device = nullptr;
  if (host.empty()) return device;
  EXPECT_EQ(cudaMalloc(&device, host.size()), cudaSuccess);
  EXPECT_EQ(
      cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice),
      cudaSuccess);
  return device;
}

class BlackwellGemm : public testing::TestWithParam<const char*> {};

TEST_P(BlackwellGemm, IsExactOnTheEmulatedRuntime) {
  GemmConfig config;
  config.variant = FindVariant(GetParam());
  ASSERT_NE(config.variant, nullptr);
  const FamilyLauncher& launcher = BlackwellLauncher();
  ASSERT_TRUE(launcher.is_linked(*config.variant));
  absl::StatusOr<DeviceFacts> facts = QueryDevice(0);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->capability_major, 10);
  EXPECT_EQ(facts->sm_count, 4);

  GemmProblem problem;
  problem.m = 300;  // 3 x 4 tiles, the last of each row and column cut off
  problem.n = 424;
  problem.k = 136;
  problem.epilogue.reads_c = true;
  problem = Normalized(problem);
  HostOperands operands(problem);
  operands.FillSmallIntegers(1);
  GemmArguments arguments;
  arguments.a = Upload(operands.a());
  arguments.b = Upload(operands.b());
  arguments.c = Upload(operands.c());
  arguments.d = Upload(operands.d());
  const HostArguments host = operands.arguments();
  arguments.alpha = host.alpha;
  arguments.beta = host.beta;
  const size_t bytes = launcher.workspace_bytes(problem, config, *facts);
  void* const workspace = Upload(std::vector<uint8_t>(bytes, 0));

  const absl::Status status =
      launcher.launch(problem, config, arguments, *facts, workspace, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(operands.d().data(), arguments.d, operands.d().size(),
                       cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_TRUE(MatchesReference(problem, ComputeReference(problem, host),
                               operands.d().data(),
                               ErrorBound::Exact(problem)));
  EXPECT_EQ(emulator::runtime::Session::Get().findings(), 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, BlackwellGemm,
                         testing::Values("sm100_16b_128x128x64_c1x1_s6_static",
                                         "sm100_16b_128x128x64_c1x1_s6_clc2"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace tiletune
