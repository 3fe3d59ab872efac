#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

uint32_t Result(const std::string& instruction, const std::string& a,
                const std::string& b) {
  const Ran ran = RunOnce(Snippet("mov.b32 %r1, " + a + "; mov.b32 %r2, " + b +
                                  ";" + instruction + " %r3, %r1, %r2;" +
                                  "st.global.u32 [%out], %r3;"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  return ran.out[0];
}

TEST(Bmsk, SetsAFieldOfBits) {
  EXPECT_EQ(Result("bmsk.wrap.b32", "1", "2"), 6u);  // the ISA's example
  EXPECT_EQ(Result("bmsk.clamp.b32", "4", "8"), 0xFF0u);
  EXPECT_EQ(Result("bmsk.clamp.b32", "31", "1"), 0x80000000u);
  EXPECT_EQ(Result("bmsk.clamp.b32", "0", "31"), 0x7FFFFFFFu);
  EXPECT_EQ(Result("bmsk.clamp.b32", "5", "0"), 0u);
}

TEST(Bmsk, ClampsOrWrapsWhatIsTooLarge) {
  EXPECT_EQ(Result("bmsk.clamp.b32", "0", "32"), 0xFFFFFFFFu);
  EXPECT_EQ(Result("bmsk.clamp.b32", "30", "9"), 0xC0000000u);
  EXPECT_EQ(Result("bmsk.clamp.b32", "4", "0xFFFFFFFF"), 0xFFFFFFF0u);
  EXPECT_EQ(Result("bmsk.clamp.b32", "32", "4"), 0u);
  EXPECT_EQ(Result("bmsk.wrap.b32", "36", "35"), 0x70u);
  EXPECT_EQ(Result("bmsk.wrap.b32", "0", "32"), 0u);
}

TEST(Szext, ExtendsWithSignOrZeros) {
  EXPECT_EQ(Result("szext.clamp.s32", "0x8F", "8"), 0xFFFFFF8Fu);
  EXPECT_EQ(Result("szext.clamp.s32", "0x18F", "9"), 0xFFFFFF8Fu);
  EXPECT_EQ(Result("szext.clamp.s32", "0x7F", "8"), 0x7Fu);
  EXPECT_EQ(Result("szext.clamp.u32", "0xABCD", "8"), 0xCDu);
  EXPECT_EQ(Result("szext.wrap.u32", "0xFFFFFFFF", "0"), 0u);
}

TEST(Szext, ClampsOrWrapsTheNumberOfBits) {
  EXPECT_EQ(Result("szext.clamp.u32", "0xABCD", "40"), 0xABCDu);
  EXPECT_EQ(Result("szext.wrap.u32", "0xABCD", "40"), 0xCDu);
  EXPECT_EQ(Result("szext.wrap.s32", "0xABCD", "32"), 0u);
}

}  // namespace
}  // namespace tiletune::emulator
