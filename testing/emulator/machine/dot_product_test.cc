#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/snippet.h"

namespace tiletune::emulator {
namespace {

// A = {1, 2, 255, 3} as bytes, or {0x0201, 0x03FF} as words; B = {4, 5, 254,
// 6}.
uint32_t Dot(const std::string& opcode, const std::string& c) {
  const Ran ran = RunOnce(Snippet(
      "mov.u32 %r1, 0x03FF0201;"
      "mov.u32 %r2, 0x06FE0504;" +
      opcode + " %r3, %r1, %r2, " + c + "; st.global.u32 [%out], %r3;"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  return ran.out[0];
}

TEST(DotProduct, SumsFourProductsOfBytes) {
  EXPECT_EQ(Dot("dp4a.u32.u32", "100"), 100u + 4 + 10 + 255 * 254 + 18);
  EXPECT_EQ(Dot("dp4a.s32.s32", "100"), 100u + 4 + 10 + 2 + 18);
  EXPECT_EQ(Dot("dp4a.u32.s32", "0"),
            static_cast<uint32_t>(4 + 10 - 255 * 2 + 18));
  EXPECT_EQ(Dot("dp4a.s32.u32", "0"), static_cast<uint32_t>(4 + 10 - 254 + 18));
}

TEST(DotProduct, SumsTwoProductsOfWordsAndBytes) {
  EXPECT_EQ(Dot("dp2a.lo.u32.u32", "1"), 1u + 0x0201 * 4 + 0x03FF * 5);
  EXPECT_EQ(Dot("dp2a.hi.u32.u32", "0"), 0x0201u * 254 + 0x03FF * 6);
  EXPECT_EQ(Dot("dp2a.hi.s32.s32", "0"),
            static_cast<uint32_t>(-0x0201 * 2 + 0x03FF * 6));
}

}  // namespace
}  // namespace tiletune::emulator
