#include "kernels/cost_model/cost_counts.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

class CostCountsTest : public ::testing::Test {
 protected:
  CostCountsTest() : h200_(*ModelledDevice("h200")) {
    variant_.architecture = Architecture::kHopper;
    variant_.tile_m = variant_.tile_n = 128;
    variant_.tile_k = 64;
    variant_.cluster_m = variant_.cluster_n = variant_.cta_group = 1;
    variant_.ctas_per_sm = 1;
    variant_.layout_mask = 0xf;
    config_.variant = &variant_;
  }

  std::optional<CostCounts> Of(int64_t m, int64_t n, int64_t k,
                               GemmProblem p = {}) {
    p.m = m;
    p.n = n;
    p.k = k;
    return CountCosts(Normalized(p), config_, h200_);
  }

  KernelVariant variant_ = {};
  DeviceFacts h200_;
  GemmConfig config_;
};

TEST_F(CostCountsTest, CountsTilesAndBytes) {
  const CostCounts c = *Of(256, 384, 640);
  EXPECT_EQ(c.tiles, 6);
  EXPECT_EQ(c.items(), 6);
  EXPECT_EQ(c.resident, 132);
  EXPECT_EQ(c.k_tiles, 10);
  EXPECT_EQ(c.flops(), 2.0 * 256 * 384 * 640);
  EXPECT_EQ(c.tile_efficiency(), 1);
  EXPECT_EQ(c.requested_bytes, 6 * 256 * 640 * 2);
  EXPECT_EQ(c.fetched_bytes, (256 + 384) * 640 * 2);
  EXPECT_EQ(c.d_bytes_per_element, 2);
}

TEST_F(CostCountsTest, AMulticastIsRequestedOnceAndReceivedByAll) {
  const CostCounts alone = *Of(256, 384, 640);
  variant_.cluster_m = 2;
  const CostCounts pair = *Of(256, 384, 640);
  EXPECT_LT(pair.requested_bytes, alone.requested_bytes);
  EXPECT_EQ(pair.received_bytes, alone.received_bytes);
}

TEST_F(CostCountsTest, HopperCutsOnlyTheLastWave) {
  config_.split_k = 8;
  const CostCounts c = *Of(1536, 1536, 8192);  // 132 + 12 tiles
  EXPECT_EQ(c.whole, 132);
  EXPECT_EQ(c.split, 12);
  EXPECT_EQ(c.items(), 132 + 12 * 8);
}

TEST_F(CostCountsTest, RowsOffTheirLinesAreNoticed) {
  EXPECT_FALSE(Of(128, 128, 1024)->misaligned_load);
  EXPECT_TRUE(Of(128, 128, 1000)->misaligned_load);   // 2000 bytes
  EXPECT_FALSE(Of(128, 128, 1001)->misaligned_load);  // copied to whole lines
  EXPECT_EQ(Of(128, 128, 1000)->repack_bytes, 0);
  EXPECT_GT(Of(128, 128, 1001)->repack_bytes, 0);  // 2002 bytes
  variant_.shifted_rows = true;
  EXPECT_EQ(Of(128, 64, 1001)->repack_bytes, 2. * 1001 * 64 * 2);
  EXPECT_TRUE(Of(128, 64, 1001)->misaligned_load);  // where they lie
}

TEST_F(CostCountsTest, EachOperandIsCopiedOrReadWhereItLies) {
  GemmProblem p;
  p.layout = Layout::kNN;  // rows of A are M long, those of B K
  const auto copies = [&](double rows) { return 2. * 1001 * rows * 2; };
  EXPECT_EQ(Of(128, 64, 1001, p)->repack_bytes, copies(64));
  EXPECT_FALSE(Of(128, 64, 1001, p)->misaligned_load);
  EXPECT_TRUE(Of(136, 64, 1001, p)->misaligned_load);
  variant_.layout_mask = 1;  // TN: A is transposed on its way
  EXPECT_EQ(Of(128, 64, 1001, p)->repack_bytes, copies(128 + 64));
  EXPECT_FALSE(Of(136, 64, 1001, p)->misaligned_load);
  variant_.layout_mask = 0xf;
  p = {};
  p.pointer_alignment = 2;
  EXPECT_EQ(Of(128, 64, 1001, p)->repack_bytes, copies(128 + 64));
  variant_.shifted_rows = true;  // but no starts
  EXPECT_EQ(Of(128, 64, 1001, p)->repack_bytes, copies(128 + 64));
  p.pointer_alignment = 16;
  variant_.swaps_operands = true;  // B may be shifted, A is copied
  EXPECT_EQ(Of(128, 64, 1001, p)->repack_bytes, copies(128));
}

TEST_F(CostCountsTest, OddRowsOfDLeaveByTheElementUnlessItIsPlainAndHoppers) {
  GemmProblem biased;
  biased.epilogue.bias = Bias::kPerColumn;
  EXPECT_FALSE(Of(128, 128, 64, biased)->scalar_store);
  EXPECT_TRUE(Of(128, 129, 64, biased)->scalar_store);
  EXPECT_FALSE(Of(128, 129, 64)->scalar_store);
  GemmProblem fp32;
  fp32.d_type = DataType::kFp32;
  EXPECT_TRUE(Of(128, 129, 64, fp32)->scalar_store);
  variant_.cluster_k = 16;  // eight columns of 128 each
  EXPECT_TRUE(Of(128, 129, 64)->scalar_store);
  variant_.cluster_k = 8;
  EXPECT_FALSE(Of(128, 129, 64)->scalar_store);
  variant_.architecture = Architecture::kBlackwell;
  EXPECT_TRUE(Of(128, 129, 64)->scalar_store);
}

TEST_F(CostCountsTest, WithoutWorkThereIsNothingToCount) {
  EXPECT_FALSE(Of(0, 128, 64).has_value());
}

}  // namespace
}  // namespace tiletune
