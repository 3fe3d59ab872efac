#include "testing/emulator/machine/decode.h"

#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/ptx/parser.h"

namespace tiletune::emulator {
namespace {

std::string ErrorOf(const std::string& body) {
  auto module = ptx::Parse(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .u64 a)\n{ .reg .b32 %r<8>; .reg .b64 %rd<8>;"
      " .reg .pred %p<4>;\n" +
      body + "\nret; }");
  if (!module.ok()) return std::string(module.status().message());
  auto program = Decode(*module, "k", {});
  return program.ok() ? "" : std::string(program.status().message());
}

TEST(Decode, UnknownInstructionsAndModifiersAreErrorsWithTheirLine) {
  EXPECT_EQ(ErrorOf("add.s32 %r1, %r2, 3;"), "");
  EXPECT_EQ(ErrorOf("frob.s32 %r1, %r2;"),
            "line 6: unknown instruction in 'frob.s32'");
  EXPECT_EQ(ErrorOf("add.odd.s32 %r1, %r2, 3;"),
            "line 6: unknown modifier '.odd' in 'add.odd.s32'");
  EXPECT_NE(ErrorOf("add.s32 %r1, %r2;"), "");
  EXPECT_NE(ErrorOf("mov.u32 %r1, %nonsense;"), "");
  EXPECT_NE(ErrorOf("mov.u32 %r1, nowhere;"), "");
  EXPECT_NE(ErrorOf("bra NOWHERE;"), "");
  EXPECT_NE(ErrorOf("call unknown, ();"), "");
  EXPECT_NE(ErrorOf("add.s32 %p1, %r1, %r2;"), "");
  EXPECT_NE(ErrorOf("setp.eq.s32 %r1, %r1, %r2;"), "");
  EXPECT_NE(ErrorOf("tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2,"
                    " [%r2], %r3, %p1;"),
            "");
}

TEST(Decode, LaysOutParametersByAlignment) {
  auto module = ptx::Parse(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".entry k(.param .u32 a, .param .u64 b, .param .align 64 .b8 c[128])"
      "{ ret; }");
  ASSERT_TRUE(module.ok());
  auto program = Decode(*module, "k", {});
  ASSERT_TRUE(program.ok());
  EXPECT_EQ((*program)->parameter_offsets, (std::vector<uint32_t>{0, 8, 64}));
  EXPECT_EQ((*program)->parameter_bytes, 192u);
}

}  // namespace
}  // namespace tiletune::emulator
