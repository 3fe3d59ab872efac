#include "kernels/hopper/launcher.h"

#include "gtest/gtest.h"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/kernel_entry.h"
#include "testing/launch/launcher_contract.h"
#include "testing/launch/launcher_fixture.h"

namespace tiletune::hopper {
namespace {

int function;

void Describe(KernelVariant* variant) {
  variant->architecture = Architecture::kHopper;
  variant->cta_group = 1;
  variant->layout_mask = 0xf;
}

class LauncherTest : public LauncherFixture {
 public:
  static KernelEntry Entry() {
    return {"linked", &function, kKernelThreads, kKernelSharedBytes, nullptr};
  }

 protected:
  LauncherTest() : LauncherFixture(HopperLauncher()) { Describe(&variant_); }
};

KernelEntry entry = LauncherTest::Entry();
const bool registered = RegisterKernel(&entry);

INSTANTIATE_TEST_SUITE_P(Hopper, LauncherContract,
                         testing::Values(LauncherUnderTest{
                             &HopperLauncher(), &function, &Describe}));

TEST_F(LauncherTest, PreparesAgainWhatOtherOperandsChange) {
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.a = memory_ + 768;
  arguments_.alpha = 3;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 3);
  EXPECT_EQ(CallsOf("cuTensorMapReplaceAddress"), 1);
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), memory_ + 768);
  EXPECT_EQ(AddressIn(params->b_map), memory_ + 256);
  EXPECT_EQ(AddressIn(params->d_map), memory_ + 512);
  EXPECT_EQ(params->epilogue.alpha, 3);
}

// Its D may no longer leave by TMA, and then may again.
TEST_F(LauncherTest, MapsThatWereNotNeededAreRightWhenTheyAreAgain) {
  problem_.epilogue.reads_c = true;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.c = arguments_.d;
  arguments_.beta = 1;
  ASSERT_TRUE(Prepare(&prepared).ok());
  arguments_.d = memory_ + 768;
  arguments_.beta = 0;
  ASSERT_TRUE(Prepare(&prepared).ok());
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_TRUE(params->epilogue.tma_store);
  EXPECT_EQ(AddressIn(params->d_map), memory_ + 768);
}

TEST_F(LauncherTest, ShiftedRowsHaveEightMapsThatFollowTheirOperand) {
  variant_.shifted_rows = true;
  variant_.cluster_m = 1;
  problem_.lda = 257;
  PreparedLaunch prepared;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 8 + 1);  // and that of B
  arguments_.a = memory_ + 768;
  ASSERT_TRUE(Prepare(&prepared).ok());
  EXPECT_EQ(CallsOf("cuTensorMapEncodeTiled"), 8 + 1);  // and that of B
  EXPECT_EQ(CallsOf("cuTensorMapReplaceAddress"), 8);
  ASSERT_TRUE(prepared.enqueue(prepared, stream_).ok());
  EXPECT_EQ(CallsOf("cudaLaunchKernelExC"), 1);  // nothing to repack
  const auto* params =
      static_cast<const ShiftedRowsParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(params->a_row_shift, 1u);
  for (int box = 0; box < 8; ++box) {
    EXPECT_EQ(AddressIn(params->a_rows[box]), memory_ + 768 + 512 * box);
  }
  EXPECT_EQ(AddressIn(params->b_map), memory_ + 256);
}

TEST_F(LauncherTest, FillsUpLaunchClusters) {
  variant_.cluster_m = 1;
  problem_.m = 9 * 128;
  problem_.n = 128;
  for (uint32_t cluster : {1u, 4u, 8u, 16u}) {
    config_.launch_cluster = cluster;
    ASSERT_TRUE(Launch().ok());
    const RecordedCall& call = cuda_.calls().back();
    EXPECT_EQ(call.grid.x, cluster == 1 ? 9u : cluster == 4 ? 12u : 16u);
    ASSERT_EQ(call.attributes.size(), cluster == 1 ? 0u : 1u);
    if (cluster == 1) continue;
    EXPECT_EQ(call.attributes[0].id, cudaLaunchAttributeClusterDimension);
    EXPECT_EQ(call.attributes[0].val.clusterDim.x, cluster);
  }
}

TEST_F(LauncherTest, ReadsTheCopyOfWhatIsRepacked) {
  problem_.lda = 257;
  ASSERT_TRUE(Launch().ok());
  const auto* params =
      static_cast<const GemmParams*>(cuda_.calls().back().argument);
  EXPECT_EQ(AddressIn(params->a_map), workspace_ + kWorkspaceCounterBytes);
}

TEST_F(LauncherTest, OverlapsTheRepackOnlyWhereTheKernelLoadsMeanwhile) {
  config_.dependent_launch = true;
  variant_.cluster_m = 1;
  problem_.ldb = 257;
  ASSERT_TRUE(Launch().ok());
  EXPECT_TRUE(cuda_.calls()[cuda_.calls().size() - 2].attributes.empty());
  problem_.lda = 257;
  variant_.shifted_rows = true;
  ASSERT_TRUE(Launch().ok());
  const RecordedCall& repack = cuda_.calls()[cuda_.calls().size() - 2];
  ASSERT_EQ(repack.attributes.size(), 1u);
  EXPECT_EQ(repack.attributes[0].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(repack.attributes[0].val.programmaticStreamSerializationAllowed, 1);
}

TEST_F(LauncherTest, TellsTheKernelThatShiftedRowsWereThereBeforeTheRepack) {
  variant_.shifted_rows = true;
  variant_.cluster_m = 1;
  problem_.lda = problem_.ldb = 257;
  ASSERT_TRUE(Launch().ok());
  EXPECT_TRUE(
      static_cast<const ShiftedRowsParams*>(cuda_.calls().back().argument)
          ->a_is_ready);
}

}  // namespace
}  // namespace tiletune::hopper
