#include "kernels/benchmark/report.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

ReportRow Row(const std::string& group, double ours, double first,
              double best) {
  ReportRow row;
  row.group = group;
  row.problem.m = row.problem.n = row.problem.k = 1024;
  row.config = "some o1zn k1";
  row.ours.seconds = ours;
  row.first.seconds = first;
  row.best.seconds = best;
  row.cold = true;
  return row;
}

TEST(Roofline, IsTheLongerOfComputeAndMemory) {
  GemmProblem p;
  p.m = p.n = p.k = 1000;
  Roofline roofline;
  EXPECT_EQ(RooflineSeconds(p, roofline), 0);
  roofline.flops_per_second = 1e12;
  EXPECT_DOUBLE_EQ(RooflineSeconds(p, roofline), 2e9 / 1e12);
  roofline.copy_bytes_per_second = 1e9;
  EXPECT_DOUBLE_EQ(RooflineSeconds(p, roofline), 6e6 / 1e9);
}

TEST(Summary, TakesGeometricMeansByGroup) {
  const std::string text =
      SummaryOf({Row("a", 1e-6, 2e-6, 1e-6), Row("a", 1e-6, 0.5e-6, 1e-6),
                 Row("b", 1e-6, 3e-6, 2e-6)});
  EXPECT_NE(text.find("a                      2  first 1.000  best 1.000  "
                      "worst 0.500"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("b                      1  first 3.000"),
            std::string::npos)
      << text;
}

TEST(Summary, LeavesOutWhatWasNotComparedWith) {
  const std::string text = SummaryOf({Row("a", 1e-6, 0, 0)});
  EXPECT_NE(text.find("all                    0  first -"), std::string::npos)
      << text;
}

TEST(Table, ShowsADashWhereNothingWasMeasured) {
  const std::string text = TableOf({Row("a", 2e-6, 0, 0)}, Roofline());
  EXPECT_NE(text.find("2.00"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

TEST(Csv, HasAsManyCellsAsItsHeader) {
  ReportRow row = Row("a", 1e-6, 2e-6, 1e-6);
  row.note = "said \"no\"";
  const std::string csv = CsvOf({row}, Roofline());
  const size_t newline = csv.find('\n');
  const auto commas = [](const std::string& text) {
    int count = 0;
    bool quoted = false;
    for (char c : text) {
      if (c == '"') quoted = !quoted;
      count += c == ',' && !quoted;
    }
    return count;
  };
  EXPECT_EQ(commas(csv.substr(0, newline)), commas(csv.substr(newline + 1)));
}

}  // namespace
}  // namespace tiletune
