#include "dispatch/warnings.h"

#include <gtest/gtest.h>

#include <vector>

namespace tiletune {
namespace {

TEST(Warnings, SayEachThingOnce) {
  std::vector<std::string> said;
  Warnings warnings([&said](const std::string& text) { said.push_back(text); });
  warnings.Say("a");
  warnings.Say("b");
  warnings.Say("a");
  EXPECT_EQ(said, (std::vector<std::string>{"a", "b"}));
}

TEST(Warnings, StopAfterTheMost) {
  std::vector<std::string> said;
  Warnings warnings([&said](const std::string& text) { said.push_back(text); });
  for (int i = 0; i < 1000; ++i) warnings.Say(std::to_string(i));
  ASSERT_EQ(said.size(), Warnings::kMost + 1);
  EXPECT_EQ(said.back(), "further warnings are not shown");
}

TEST(Warnings, GoToStderrByDefault) {
  ::testing::internal::CaptureStderr();
  Warnings(nullptr).Say("hello");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "tiletune: hello\n");
}

}  // namespace
}  // namespace tiletune
