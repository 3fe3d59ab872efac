#include "kernels/hopper/plan.h"

#include "gtest/gtest.h"
#include "kernels/gemm.h"

namespace tiletune::hopper {
namespace {

KernelVariant Variant() {
  KernelVariant v = {};
  v.name = "test";
  v.architecture = Architecture::kHopper;
  v.tile_m = v.tile_n = 128;
  v.tile_k = 64;
  v.cluster_m = v.cluster_n = v.cta_group = 1;
  v.operand_bits = 16;
  v.layout_mask = 0xf;
  v.ctas_per_sm = 1;
  return v;
}

GemmProblem Problem(int64_t m, int64_t n, int64_t k,
                    Layout layout = Layout::kTN) {
  GemmProblem p;
  p.layout = layout;
  p.m = m;
  p.n = n;
  p.k = k;
  return Normalized(p);
}

DeviceFacts Device() {
  DeviceFacts facts;
  facts.sm_count = 132;
  return facts;
}

GemmConfig Config(const KernelVariant& v, uint32_t split_k = 1) {
  GemmConfig config;
  config.variant = &v;
  config.split_k = split_k;
  return config;
}

TEST(Plan, AlignedProblemNeedsNoWorkspace) {
  const KernelVariant v = Variant();
  const GemmPlan plan = MakePlan(Problem(1000, 504, 72), Config(v), Device());
  EXPECT_EQ(plan.workspace_bytes, 0u);
  EXPECT_EQ(plan.work.size(), 8u * 4u);
  EXPECT_EQ(plan.work.k_tiles, 2u);
  EXPECT_TRUE(plan.a.is_problem_a);
  EXPECT_TRUE(plan.a.is_k_major);
  EXPECT_EQ(plan.a.view.inner, 72);
  EXPECT_EQ(plan.a.view.outer, 1000);
}

TEST(Plan, MoreSmsThanThereAreAreAll) {
  const KernelVariant v = Variant();
  const GemmProblem p = Problem(4096, 4096, 64);
  for (uint32_t max_sms : {132u, 1000u, 0x7fffffffu, 0x80000000u, ~0u}) {
    GemmConfig config = Config(v);
    config.max_sms = max_sms;
    EXPECT_EQ(MakePlan(p, config, Device()).clusters, 132u) << max_sms;
  }
}

TEST(Plan, UnalignedOperandIsCopiedWithoutTurningIt) {
  const KernelVariant v = Variant();
  // B is N-contiguous, and its rows of 128 are aligned.
  const GemmPlan plan =
      MakePlan(Problem(128, 128, 65, Layout::kTT), Config(v), Device());
  EXPECT_TRUE(plan.a.repack);
  EXPECT_TRUE(plan.a.is_k_major);
  EXPECT_EQ(plan.a.view.ld, 128);  // whole lines of 128 bytes
  EXPECT_FALSE(plan.b.repack);
  EXPECT_FALSE(plan.b.is_k_major);
  EXPECT_GE(plan.workspace_bytes, 128u * 128u * 2u);
}

TEST(Plan, MisalignedPointersRepackBothOperands) {
  const KernelVariant v = Variant();
  GemmProblem p = Problem(128, 128, 64);
  p.pointer_alignment = 2;
  const GemmPlan plan = MakePlan(p, Config(v), Device());
  EXPECT_TRUE(plan.a.repack);
  EXPECT_TRUE(plan.b.repack);
  EXPECT_NE(plan.a.workspace_offset, plan.b.workspace_offset);
}

TEST(Plan, ShiftedRowsNeedNoRepackUnlessMoreThanRowsIsMisaligned) {
  KernelVariant v = Variant();
  v.shifted_rows = true;
  v.layout_mask = 1;
  GemmProblem p = Problem(128, 128, 65);
  EXPECT_FALSE(MakePlan(p, Config(v), Device()).a.repack);
  EXPECT_TRUE(MakePlan(p, Config(v), Device()).b.repack);
  p.batch = 2;
  p.batch_stride_a = 128 * 65 + 8;
  EXPECT_FALSE(MakePlan(p, Config(v), Device()).a.repack);
  p.batch_stride_a = 128 * 65 + 9;
  EXPECT_TRUE(MakePlan(p, Config(v), Device()).a.repack);
  p = Problem(128, 128, 65);
  p.pointer_alignment = 2;
  EXPECT_TRUE(MakePlan(p, Config(v), Device()).a.repack);
  // Not along K: turned as well.
  EXPECT_TRUE(MakePlan(Problem(129, 128, 64, Layout::kNN), Config(v), Device())
                  .a.repack);
}

TEST(Plan, SwappedOperandsTradePlacesAndTheNarrowOneIsMadeKMajor) {
  KernelVariant v = Variant();
  v.swaps_operands = true;
  v.tile_n = 16;
  v.layout_mask = 1u << static_cast<uint32_t>(Layout::kTN) |
                  1u << static_cast<uint32_t>(Layout::kTT);
  // A is M-contiguous.
  const GemmPlan plan =
      MakePlan(Problem(16, 4096, 512, Layout::kNN), Config(v), Device());
  EXPECT_FALSE(plan.a.is_problem_a);
  EXPECT_FALSE(plan.a.repack);
  EXPECT_TRUE(plan.b.is_problem_a);
  EXPECT_TRUE(plan.b.repack);
  EXPECT_TRUE(plan.b.is_k_major);
  EXPECT_EQ(plan.b.view.inner, 512);
  EXPECT_EQ(plan.b.view.outer, 16);
}

TEST(Plan, BroadcastOperandIsReadAsOneMatrix) {
  const KernelVariant v = Variant();
  GemmProblem p = Problem(128, 128, 64);
  p.batch = 3;
  p.batch_stride_a = p.batch_stride_d = 128 * 128;
  p.batch_stride_b = 0;
  const GemmPlan plan = MakePlan(Normalized(p), Config(v), Device());
  EXPECT_EQ(plan.b.view.batches, 1);
}

TEST(Plan, SplitKHasATicketPerPartAndASlotPerSlice) {
  const KernelVariant v = Variant();
  const GemmPlan plan =
      MakePlan(Problem(256, 128, 640), Config(v, 5), Device());
  EXPECT_EQ(plan.work.slices, 5u);
  EXPECT_GE(plan.partials_offset, plan.tickets_offset + 2u * 2u * 4u);
  EXPECT_EQ(plan.workspace_bytes - plan.partials_offset,
            2u * 5u * 128u * 128u * 4u);
}

TEST(Plan, SaysHowLargeTheSlotsAreInBlocks) {
  const KernelVariant v = Variant();
  GemmProblem p = Problem(256, 128, 640);
  p.lda = 641;  // A is copied behind the slots
  const GemmPlan plan = MakePlan(p, Config(v, 5), Device());
  EXPECT_EQ(plan.partial_blocks * kPartialBlockBytes, 2u * 5 * 128 * 128 * 4);
  EXPECT_TRUE(plan.a.repack);
  EXPECT_EQ(plan.a.workspace_offset,
            plan.partials_offset + plan.partial_blocks * kPartialBlockBytes);
  EXPECT_EQ(MakePlan(p, Config(v), Device()).partial_blocks, 0u);
}

TEST(Plan, WhatIsCleanStandsAmongTheCountersByItself) {
  const GemmPlan plan =
      MakePlan(Problem(256, 128, 640), Config(Variant(), 5), Device());
  EXPECT_GE(plan.clean_offset, 4u);  // the queue's counter
  EXPECT_LE(plan.clean_offset + 2 * 4, plan.tickets_offset);
}

TEST(Plan, CountersKeepToTheirPartOfTheWorkspace) {
  KernelVariant v = Variant();
  v.supply = SupplyKind::kQueue;
  const GemmPlan plan =
      MakePlan(Problem(256, 128, 640), Config(v, 2), Device());
  EXPECT_GE(plan.tickets_offset, 4u);
  EXPECT_EQ(plan.partials_offset, kWorkspaceCounterBytes);
  EXPECT_EQ(plan.a.workspace_offset % kWorkspaceAlignment, 0u);
}

TEST(Plan, EmptyProblemHasNothingToDo) {
  const KernelVariant v = Variant();
  EXPECT_EQ(MakePlan(Problem(0, 128, 64), Config(v), Device()).work.size(), 0u);
  const GemmPlan plan = MakePlan(Problem(128, 128, 0), Config(v), Device());
  EXPECT_EQ(plan.work.size(), 1u);
  EXPECT_EQ(plan.work.k_tiles, 0u);
  EXPECT_EQ(plan.workspace_bytes, 0u);
}

TEST(Plan, TmaStoresOnlyPlainAligned16BitOutput) {
  const KernelVariant v = Variant();
  alignas(16) char d[32];
  GemmProblem p = Problem(128, 128, 64);
  EXPECT_TRUE(MayStoreByTma(p, v, d));
  EXPECT_FALSE(MayStoreByTma(p, v, d + 2));
  p.epilogue.activation = Activation::kRelu;
  EXPECT_FALSE(MayStoreByTma(p, v, d));
  EXPECT_FALSE(MayStoreByTma(Problem(128, 127, 64), v, d));
  p = Problem(128, 128, 64);
  p.d_type = DataType::kFp32;
  EXPECT_FALSE(MayStoreByTma(p, v, d));
}

TEST(Plan, CtasThatShareATilesKStoreByTmaOnlyIfItIsSwapped) {
  KernelVariant v = Variant();
  alignas(16) char d[32];
  const GemmProblem p = Problem(128, 128, 64);
  v.cluster_k = 2;
  EXPECT_FALSE(MayStoreByTma(p, v, d));
  v.swaps_operands = true;
  EXPECT_TRUE(MayStoreByTma(p, v, d));
}

}  // namespace
}  // namespace tiletune::hopper
