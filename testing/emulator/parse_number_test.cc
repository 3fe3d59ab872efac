#include "testing/emulator/parse_number.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(ParseUnsigned, ReadsDecimalAndHexadecimal) {
  uint64_t value = 0;
  EXPECT_TRUE(ParseUnsigned("18446744073709551615", &value));
  EXPECT_EQ(value, ~uint64_t{0});
  EXPECT_TRUE(ParseUnsigned("0x1F", &value));
  EXPECT_EQ(value, 31u);
}

TEST(ParseUnsigned, RefusesWhatDoesNotFit) {
  uint64_t wide = 0;
  EXPECT_FALSE(ParseUnsigned("18446744073709551616", &wide));
  EXPECT_FALSE(ParseUnsigned("99999999999999999999999", &wide));
  uint32_t narrow = 0;
  EXPECT_TRUE(ParseUnsigned("4294967295", &narrow));
  EXPECT_FALSE(ParseUnsigned("4294967312", &narrow));
}

TEST(ParseUnsigned, RefusesWhatIsNoNumber) {
  uint64_t value = 0;
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "x", "1x", "0xg"}) {
    EXPECT_FALSE(ParseUnsigned(text, &value)) << text;
  }
}

}  // namespace
}  // namespace tiletune::emulator
