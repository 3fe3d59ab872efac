#include "autotune/store/measurement.h"

#include <gtest/gtest.h>

namespace tiletune {
namespace {

TEST(Policy, KeyReadsBackAsTheSamePolicy) {
  for (L2State l2 : {L2State::kCold, L2State::kWarm}) {
    for (LaunchMode launch : {LaunchMode::kGraph, LaunchMode::kStream}) {
      for (int busy : {0, 12, 25, 99}) {
        const MeasurementPolicy policy{l2, launch, busy};
        absl::StatusOr<MeasurementPolicy> parsed =
            ParsePolicy(PolicyKey(policy));
        ASSERT_TRUE(parsed.ok()) << parsed.status();
        EXPECT_TRUE(*parsed == policy) << PolicyKey(policy);
      }
    }
  }
}

TEST(Policy, OnlyTheOneSpellingParses) {
  for (const char* bad :
       {"", "cold", "cold-graph", "cold-graph-busy", "cold-graph-busy100",
        "cold-graph-busy-1", "cold-graph-busy007", "lukewarm-graph-busy0",
        "cold-batch-busy0", "cold-graph-busy0-", " cold-graph-busy0"}) {
    EXPECT_FALSE(ParsePolicy(bad).ok()) << bad;
  }
}

TEST(Summarize, TakesQuantilesOfUnsortedSamples) {
  Measurement m;
  m.samples_ns = {40, 10, 30, 20, 50};
  Summarize(&m);
  EXPECT_EQ(m.sample_count, 5);
  EXPECT_DOUBLE_EQ(m.median_ns, 30);
  EXPECT_DOUBLE_EQ(m.mean_ns, 30);
  EXPECT_DOUBLE_EQ(m.min_ns, 10);
  EXPECT_DOUBLE_EQ(m.relative_spread, (40.0 - 20.0) / 30.0);
}

TEST(Summarize, MedianOfAnEvenCountLiesBetweenTheMiddleTwo) {
  Measurement m;
  m.samples_ns = {1, 2, 4, 100};
  Summarize(&m);
  EXPECT_DOUBLE_EQ(m.median_ns, 3);
}

TEST(RecordOf, CarriesWhatTheTieRuleSortsBy) {
  KernelVariant variant = {};
  variant.name = "v";
  variant.build_fingerprint = "b";
  variant.tile_m = 128;
  variant.cluster_m = 2;
  variant.cluster_n = 4;
  variant.supply = SupplyKind::kClc;
  variant.shared_bytes = 1000;
  GemmConfig config;
  config.variant = &variant;
  config.swizzle_offset = 8;
  config.swizzle_direction = SwizzleDirection::kNz;
  config.split_k = 3;
  const ConfigRecord record = RecordOf(config);
  EXPECT_EQ(record.key, ConfigKey(config));
  EXPECT_EQ(record.build, "b");
  EXPECT_EQ(record.supply, "clc");
  EXPECT_EQ(record.cluster_ctas, 8);
  EXPECT_EQ(record.shared_bytes, 1000);
  EXPECT_EQ(record.swizzle_offset, 8u);
  EXPECT_EQ(record.swizzle_direction, 1u);
  EXPECT_EQ(record.split_k, 3u);
}

}  // namespace
}  // namespace tiletune
