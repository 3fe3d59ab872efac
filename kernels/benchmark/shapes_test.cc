#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "kernels/benchmark/workload.h"

namespace tiletune {
namespace {

TEST(Shapes, AreValidDistinctAndEnough) {
  std::ifstream file("kernels/benchmark/shapes.csv");
  ASSERT_TRUE(file);
  std::ostringstream text;
  text << file.rdbuf();
  const auto rows = ParseWorkload(text.str(), {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  std::set<std::string> keys;
  std::map<std::string, int> groups;
  for (const WorkloadRow& row : *rows) {
    EXPECT_TRUE(keys.insert(ProblemKey(row.problem)).second)
        << ProblemKey(row.problem) << " twice";
    ++groups[row.group];
  }
  EXPECT_GE(rows->size() - groups["unaligned"], 60u);
  EXPECT_EQ(groups.size(), 5u);
}

}  // namespace
}  // namespace tiletune
