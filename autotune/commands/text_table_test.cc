#include "autotune/commands/text_table.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(TextTable, AlignsColumnsAndEndsLinesCleanly) {
  TextTable table({"a", "bb"});
  table.Add({"long", "c"});
  table.Add({"x"});
  EXPECT_EQ(table.ToString(), "a     bb\nlong  c\nx\n");
}

TEST(FormatTime, KeepsThreeDigits) {
  EXPECT_EQ(FormatTime(980), "980 ns");
  EXPECT_EQ(FormatTime(1234), "1.23 us");
  EXPECT_EQ(FormatTime(12345), "12.3 us");
  EXPECT_EQ(FormatTime(999900), "1.00 ms");
  EXPECT_EQ(FormatTime(2e9), "2.00 s");
}

TEST(FormatTeraflops, IsFlopsOverTime) {
  EXPECT_EQ(FormatTeraflops(2e12, 1e9 / 400), "800.0");
  EXPECT_EQ(FormatTeraflops(1, 0), "-");
}

}  // namespace
}  // namespace tiletune
