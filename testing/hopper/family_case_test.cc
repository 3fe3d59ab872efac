#include "testing/hopper/family_case.h"

#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "kernels/device.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

template <typename Check>
void ForEachCase(const Check& check) {
  int variants = 0;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kHopper) continue;
    ++variants;
    for (const FamilyCase& c : FamilyCasesOf(v)) {
      SCOPED_TRACE(std::string(v.name) + " " + c.name);
      check(v, c);
    }
  }
  EXPECT_GT(variants, 0);
}

TEST(FamilyCases, AreLegalOnAnH200) {
  const absl::StatusOr<DeviceFacts> h200 = ModelledDevice("h200");
  ASSERT_TRUE(h200.ok()) << h200.status();
  ForEachCase([&](const KernelVariant&, const FamilyCase& c) {
    const absl::Status legal = CheckLegal(c.problem, c.config, *h200);
    EXPECT_TRUE(legal.ok()) << legal;
  });
}

TEST(FamilyCases, HaveNamesOfTheirOwn) {
  std::set<std::pair<std::string, std::string>> seen;
  ForEachCase([&](const KernelVariant& v, const FamilyCase& c) {
    EXPECT_TRUE(seen.emplace(v.name, c.name).second);
    EXPECT_EQ(c.name.find(' '), std::string::npos);
  });
}

TEST(FamilyCases, TakeEveryLayoutAndTypeOfAKernel) {
  std::set<std::pair<std::string, Layout>> layouts;
  std::set<std::pair<std::string, DataType>> types;
  ForEachCase([&](const KernelVariant& v, const FamilyCase& c) {
    layouts.emplace(v.name, c.problem.layout);
    types.emplace(v.name, c.problem.a_type);
    types.emplace(v.name, c.problem.b_type);
  });
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kHopper) continue;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(layouts.count({v.name, static_cast<Layout>(i)}), 1u) << v.name;
    }
    for (int i = 0; i < 32; ++i) {
      if ((v.type_mask >> i & 1) == 0) continue;
      EXPECT_EQ(types.count({v.name, static_cast<DataType>(i)}), 1u) << v.name;
    }
  }
}

TEST(FamilyCases, HaveOnlyExactEpilogues) {
  ForEachCase([](const KernelVariant&, const FamilyCase& c) {
    EXPECT_NE(c.problem.epilogue.activation, Activation::kGelu);
    EXPECT_NE(c.problem.epilogue.activation, Activation::kSilu);
  });
}

}  // namespace
}  // namespace tiletune
