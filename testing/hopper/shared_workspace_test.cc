// One workspace for any sequence of problems and configs: what split-K leaves
// there, and takes for granted the next time, survives whatever runs between.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/hopper/launcher.h"
#include "kernels/hopper/plan.h"
#include "kernels/problem.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

constexpr char kKernel[] = "sm90_16b_64x64x64_c1x1_s12_coop_static o1zn";

class SharedWorkspace : public testing::Test {
 protected:
  SharedWorkspace() : facts_(QueryDevice(0).value()) {
    EXPECT_EQ(cudaMalloc(&workspace_, kBytes), cudaSuccess);
    cudaMemset(workspace_, 0xa5, kBytes);
    cudaMemset(workspace_, 0, kWorkspaceCounterBytes);
  }
  ~SharedWorkspace() override { cudaFree(workspace_); }

  static GemmProblem Problem(int64_t k) {
    GemmProblem p;
    p.m = p.n = 64;
    p.k = k;
    return p;
  }

  testing::AssertionResult Run(const GemmProblem& problem, uint32_t split_k) {
    const GemmProblem p = Normalized(problem);
    GemmConfig config = ParseConfig(std::string(kKernel) + " k1").value();
    config.split_k = split_k;
    config.launch_cluster = launch_cluster_;
    HostOperands host(p);
    host.FillSmallIntegers(++seed_);
    if (a_is_zero_) std::fill(host.a().begin(), host.a().end(), 0);
    const auto gpu = GpuOperands::Upload(host, host.arguments());
    if (!gpu.ok()) return testing::AssertionFailure() << gpu.status();
    const absl::Status launched = HopperLauncher().launch(
        p, config, (*gpu)->arguments(), facts_, workspace_, /*stream=*/nullptr);
    if (!launched.ok()) return testing::AssertionFailure() << launched;
    return (*gpu)->DIsExact(&host);
  }

  // Blocks from the slots on that are said to be zero.
  uint32_t CleanBlocks() {
    uint32_t blocks = 0;
    const hopper::GemmPlan plan = hopper::MakePlan(
        Normalized(Problem(64)),
        ParseConfig(std::string(kKernel) + " k1").value(), facts_);
    cudaMemcpy(&blocks, static_cast<char*>(workspace_) + plan.clean_offset,
               sizeof(blocks), cudaMemcpyDeviceToHost);
    return blocks;
  }

  static constexpr size_t kBytes = 4 << 20;

  DeviceFacts facts_;
  void* workspace_ = nullptr;
  uint64_t seed_ = 0;
  bool a_is_zero_ = false;
  uint32_t launch_cluster_ = 1;
};

constexpr uint32_t kBlocksOfASlice = 64 * 64 * 4 / 256;

TEST_F(SharedWorkspace, SlotsStayCleanForTheNextLaunch) {
  EXPECT_EQ(CleanBlocks(), 0u);
  EXPECT_TRUE(Run(Problem(640), 3));
  EXPECT_EQ(CleanBlocks(), 3 * kBlocksOfASlice);
  EXPECT_TRUE(Run(Problem(640), 3));
  // More slots than are known to be clean, then fewer.
  EXPECT_TRUE(Run(Problem(640), 5));
  EXPECT_EQ(CleanBlocks(), 5 * kBlocksOfASlice);
  EXPECT_TRUE(Run(Problem(640), 2));
  EXPECT_EQ(CleanBlocks(), 5 * kBlocksOfASlice);
}

TEST_F(SharedWorkspace, ACopyOfAnOperandEndsWhatIsClean) {
  EXPECT_TRUE(Run(Problem(640), 4));
  EXPECT_EQ(CleanBlocks(), 4 * kBlocksOfASlice);
  GemmProblem unaligned = Problem(640);
  unaligned.lda = 641;
  EXPECT_TRUE(Run(unaligned, 2));  // the copy comes after two slots
  EXPECT_EQ(CleanBlocks(), 2 * kBlocksOfASlice);
  EXPECT_TRUE(Run(Problem(640), 4));
  EXPECT_TRUE(Run(unaligned, 1));
  EXPECT_EQ(CleanBlocks(), 0u);
  for (uint32_t slices : {4, 4, 2}) EXPECT_TRUE(Run(Problem(640), slices));
}

// CTAs that only fill up a launch cluster find no work, and open no slice.
TEST_F(SharedWorkspace, LaunchClustersLeaveItAsTheyFoundIt) {
  GemmProblem tiles = Problem(640);
  tiles.m = 300;
  for (uint32_t cluster : {4, 8, 16, 1}) {
    launch_cluster_ = cluster;
    EXPECT_TRUE(Run(Problem(640), 5)) << cluster;
    EXPECT_TRUE(Run(Problem(640), 1)) << cluster;
    EXPECT_TRUE(Run(tiles, 3)) << cluster;
    EXPECT_TRUE(Run(tiles, 1)) << cluster;
  }
  EXPECT_EQ(CleanBlocks(), 15 * kBlocksOfASlice);
}

TEST_F(SharedWorkspace, SumsThatAreZeroArrive) {
  a_is_zero_ = true;
  for (int launch = 0; launch < 3; ++launch) EXPECT_TRUE(Run(Problem(640), 4));
}

}  // namespace
}  // namespace tiletune
