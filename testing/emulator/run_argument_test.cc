#include "testing/emulator/run_argument.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(RunArgument, KeepsNumbersWithTheirWidth) {
  RunArgument argument;
  ASSERT_TRUE(ParseRunArgument("u32:0x10", &argument));
  EXPECT_EQ(argument.value, std::vector<uint8_t>({16, 0, 0, 0}));
  ASSERT_TRUE(ParseRunArgument("u64:7", &argument));
  EXPECT_EQ(argument.value.size(), 8u);
  ASSERT_TRUE(ParseRunArgument("i32:-1", &argument));
  EXPECT_EQ(argument.value, std::vector<uint8_t>({255, 255, 255, 255}));
  ASSERT_TRUE(ParseRunArgument("f32:1", &argument));
  EXPECT_EQ(argument.value, std::vector<uint8_t>({0, 0, 0x80, 0x3F}));
}

TEST(RunArgument, FileNamesMayHaveColons) {
  RunArgument argument;
  ASSERT_TRUE(ParseRunArgument("out:a:b:64", &argument));
  EXPECT_EQ(argument.path, "a:b");
  EXPECT_EQ(argument.bytes, 64u);
  EXPECT_TRUE(argument.IsBuffer());
  EXPECT_TRUE(argument.IsWritten());
}

TEST(RunArgument, AMapHasPackedStridesAndNamesABuffer) {
  RunArgument argument;
  ASSERT_TRUE(ParseRunArgument("map:b1:bf16:64x48x2:64x8x1:128", &argument));
  EXPECT_TRUE(argument.of_buffer);
  EXPECT_EQ(argument.of, 1u);
  EXPECT_EQ(argument.map.rank, 3);
  EXPECT_EQ(argument.map.strides[0], 128u);
  EXPECT_EQ(argument.map.strides[1], 128u * 48);
  EXPECT_EQ(argument.map.swizzle, Swizzle::k128);
  EXPECT_FALSE(argument.IsBuffer());
  ASSERT_TRUE(ParseRunArgument("map:2:f32:48x40:16x16:none", &argument));
  EXPECT_FALSE(argument.of_buffer);
}

TEST(RunArgument, RefusesNumbersThatDoNotFit) {
  RunArgument argument;
  for (const char* text :
       {"u32:4294967296", "u64:18446744073709551616", "i32:2147483648",
        "scratch:18446744073709551616", "out:d.bin:99999999999999999999",
        "map:2:f32:48x40:4294967312x16:none",
        "map:2:f32:4294967296x4294967296x4:16x16x1:none",
        "map:4294967298:f32:48x40:16x16:none"}) {
    EXPECT_FALSE(ParseRunArgument(text, &argument)) << text;
  }
}

TEST(RunArgument, RefusesWhatItDoesNotKnow) {
  RunArgument argument;
  for (const char* text :
       {"", "u32", "u32:", "f32:x", "out:file", "what:1",
        "in:", "map:0:bf16:64x64", "map::f32:48x40:16x16:none",
        "map:0:f99:48x40:16x16:none", "map:0:f32:48x40:16:none",
        "map:0:f32:48x40:16x16:256"}) {
    EXPECT_FALSE(ParseRunArgument(text, &argument)) << text;
  }
}

}  // namespace
}  // namespace tiletune::emulator
