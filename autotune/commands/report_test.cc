#include "autotune/commands/report.h"

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// Some config with such a supply.
std::string ConfigWith(SupplyKind supply) {
  for (const KernelVariant& variant : Variants()) {
    if (variant.supply != supply) continue;
    GemmConfig config;
    config.variant = &variant;
    return ConfigKey(config);
  }
  return "";
}

WinnerRow Row(SupplyKind supply, int busy) {
  WinnerRow row;
  row.device = "cc9.0";
  row.problem = "4096x4096x4096 bf16 TN -> bf16";
  row.policy.busy_percent = busy;
  row.config = ConfigWith(supply);
  row.median_ns = 200e3;
  row.noise = 0.005;
  row.gain = 1.25;
  row.ties = 2;
  row.candidates = 8;
  return row;
}

TEST(WinnerTable, ShowsTimeThroughputAndGain) {
  const std::string table =
      WinnerTable({Row(SupplyKind::kStatic, 0)}, DeviceColumn::kShown);
  for (const char* cell : {"200 us", "687.2", "1.250x", "2 of 8"}) {
    EXPECT_NE(table.find(cell), std::string::npos) << cell << "\n" << table;
  }
}

TEST(WinnerTable, TellsTwoKindsOfGpuApart) {
  WinnerRow other = Row(SupplyKind::kStatic, 0);
  other.device = "cc10.0";
  const std::vector<WinnerRow> rows = {Row(SupplyKind::kStatic, 0), other};
  const std::string table = WinnerTable(rows, DeviceColumn::kShown);
  for (const char* start : {"device", "\ncc9.0 ", "\ncc10.0 "}) {
    EXPECT_NE(table.find(start), std::string::npos) << table;
  }
  EXPECT_EQ(WinnerTable(rows, DeviceColumn::kLeftOut).find("cc9"),
            std::string::npos);
}

TEST(WinnerTable, WarnsOfSuspectRows) {
  WinnerRow row = Row(SupplyKind::kStatic, 0);
  row.suspect = true;
  EXPECT_NE(WinnerTable({row}, DeviceColumn::kShown).find("suspect"),
            std::string::npos);
}

TEST(SupplyFlips, SaysWhereThePolicyDecides) {
  EXPECT_EQ(
      SupplyFlips({Row(SupplyKind::kStatic, 0), Row(SupplyKind::kStatic, 25)}),
      "");
  const std::string text =
      SupplyFlips({Row(SupplyKind::kStatic, 0), Row(SupplyKind::kQueue, 25)});
  EXPECT_NE(text.find("static under cold-graph-busy0"), std::string::npos);
  EXPECT_NE(text.find("queue under cold-graph-busy25"), std::string::npos);
}

TEST(PredictionTable, NeverLooksLikeAMeasurement) {
  PredictedRow row;
  row.problem = "4096x4096x4096 bf16 TN -> bf16";
  row.config = ConfigWith(SupplyKind::kClc);
  row.predicted_ns = 85e3;
  const std::string table = PredictionTable({row}, DeviceColumn::kShown);
  EXPECT_NE(table.find("not measurements"), std::string::npos);
  EXPECT_NE(table.find("~85.0 us"), std::string::npos) << table;
}

TEST(PredictionTable, TellsTwoKindsOfGpuApart) {
  PredictedRow row;
  row.device = "model cc10.0";
  row.config = ConfigWith(SupplyKind::kClc);
  EXPECT_NE(
      PredictionTable({row}, DeviceColumn::kShown).find("\nmodel cc10.0 "),
      std::string::npos);
  EXPECT_EQ(PredictionTable({row}, DeviceColumn::kLeftOut).find("cc10.0"),
            std::string::npos);
}

TEST(PredictionTable, SaysThatAKernelIsUnproven) {
  for (const KernelVariant& variant : Variants()) {
    GemmConfig config;
    config.variant = &variant;
    PredictedRow row;
    row.config = ConfigKey(config);
    EXPECT_EQ(PredictionTable({row}, DeviceColumn::kShown).find("unproven") ==
                  std::string::npos,
              variant.proven);
  }
}

}  // namespace
}  // namespace tiletune
