#include "kernels/glob.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Glob, StarsStretchAndQuestionMarksDoNot) {
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("*", "anything"));
  EXPECT_TRUE(GlobMatches("sm90_*_static", "sm90_a_static_b_static"));
  EXPECT_TRUE(GlobMatches("a?c", "abc"));
  EXPECT_TRUE(GlobMatches("*128x*x64*", "sm90_128x256x64_c1"));
  EXPECT_FALSE(GlobMatches("", "a"));
  EXPECT_FALSE(GlobMatches("a?c", "ac"));
  EXPECT_FALSE(GlobMatches("sm90_*_static", "sm90_a_queue"));
  EXPECT_FALSE(GlobMatches("abc", "abcd"));
}

}  // namespace
}  // namespace tiletune
