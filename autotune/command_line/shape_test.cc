#include "autotune/command_line/shape.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Shape, ReadsThreeSizesAndAnOptionalBatch) {
  const Shape plain = *ParseShape("16x7168x2048");
  EXPECT_EQ(plain.m, 16);
  EXPECT_EQ(plain.n, 7168);
  EXPECT_EQ(plain.k, 2048);
  EXPECT_EQ(plain.batch, 1);
  EXPECT_EQ(ParseShape("1x1x0x8")->batch, 8);
}

TEST(Shape, IsWrittenAsItWasRead) {
  for (const char* text : {"16x7168x2048", "1x1x0x8"}) {
    EXPECT_EQ(ToString(*ParseShape(text)), text);
  }
}

TEST(Shape, RefusesWhatIsNotAGemm) {
  for (const char* text :
       {"", "16", "16x16", "16x16x16x1x1", "0x16x16", "16x-1x16", "16x16x-1",
        "16x16x16x0", "ax16x16", "16x16x1e3", "99999999999999999999x1x1"}) {
    EXPECT_FALSE(ParseShape(text).ok()) << text;
  }
}

TEST(Shape, SaysWhatWasWrongAndWhatIsRight) {
  const absl::Status status = ParseShape("16x16").status();
  EXPECT_NE(status.message().find("16x16"), absl::string_view::npos);
  EXPECT_NE(status.message().find("MxNxK"), absl::string_view::npos);
}

}  // namespace
}  // namespace tiletune
