#include "testing/blackwell/kernel_names.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(KernelNames, AGlobNamesBlackwellKernelsAlone) {
  const auto names = BlackwellKernels("*_static");
  EXPECT_GE(names.size(), 10u);
  for (const std::string& name : names) {
    EXPECT_EQ(name.rfind("sm100_", 0), 0u) << name;
    EXPECT_EQ(name.substr(name.size() - 7), "_static");
  }
  EXPECT_TRUE(BlackwellKernels("nothing*").empty());
}

TEST(KernelNames, FindsAKernelByItsName) {
  const std::string name = "sm100_16b_128x128x64_c1x1_s6_clc2";
  const auto variant = FindBlackwellKernel(name);
  ASSERT_TRUE(variant.ok()) << variant.status();
  EXPECT_EQ((*variant)->name, name);
}

TEST(KernelNames, ShowsTheNearestFirst) {
  const auto variant = FindBlackwellKernel("sm100_16b_128x128x64_c1x1_s6_clc4");
  ASSERT_FALSE(variant.ok());
  const std::string message(variant.status().message());
  EXPECT_NE(message.find("nearest are\n  sm100_16b_128x128x64_c1x1_s6_clc2\n"),
            std::string::npos)
      << message;
}

TEST(KernelNames, SaysThatAKernelIsOfAnotherFamily) {
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kBlackwell) continue;
    const auto variant = FindBlackwellKernel(v.name);
    ASSERT_FALSE(variant.ok()) << v.name;
    EXPECT_EQ(variant.status().message().find("no Blackwell kernel"), 0u);
  }
}

}  // namespace
}  // namespace tiletune
