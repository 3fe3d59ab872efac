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

TEST(Decode, AnEntryThatIsNoneIsAnsweredWithThoseThereAre) {
  const auto error = [](const std::string& body) {
    const auto module =
        ptx::Parse(".version 9.0\n.target sm_100a\n.address_size 64\n" + body);
    return std::string(Decode(*module, "k", {}).status().message());
  };
  EXPECT_EQ(error(".visible .entry _Z1kPf() { ret; }\n"
                  ".visible .entry _Z1kPi() { ret; }\n"
                  ".func helper() { ret; }\n"),
            "the module has no entry 'k'; it has _Z1kPf, _Z1kPi");
  EXPECT_EQ(error(".func k() { ret; }\n"),
            "the module has no entry 'k'; it has none");
}

// What the README calls not modelled. No dense, stream-K or block-scaled GEMM
// of CUTLASS, DeepGEMM, ThunderKittens or TileLang for Hopper or Blackwell has
// it.
TEST(Decode, WhatIsNotModelledIsAnErrorThatNamesIt) {
  const struct {
    const char* text;
    const char* named;
  } kRefused[] = {
      {"tcgen05.shift.cta_group::1.down [%r1];", "tcgen05.shift"},
      {"tcgen05.mma.sp.cta_group::1.kind::f16 [%r1], %rd1, %rd2, [%r2], %r3,"
       " %p1;",
       "sparse MMA"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16 {%r1, %r2}, %rd1,"
       " %rd2, %r3, 0, %p1, 1, 1, 0, 0;",
       "sparse wgmma"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"
       " {%r1, %r2}, {%r1, %r2}, {%r3, %r4}, {%r1, %r2}, %r5, 0;",
       "mma.sp"},
      {"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale"
       ".scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%r1, %r2, %r3, %r4},"
       " {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4}, %r7, {0, 0},"
       " %r7, {0, 0};",
       "block-scaled"},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col"
       ".mbarrier::complete_tx::bytes [%r1], [%rd1, {%r1, %r2, %r3}], [%r4],"
       " {%r5};",
       "im2col"},
      {"multimem.ld_reduce.relaxed.sys.global.add.f32 %r1, [%rd1];",
       "multimem.ld_reduce"},
      {"multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;", "multimem.red"},
      {"red.async.relaxed.mmio.release.sys.global.add.u32 [%rd1], %r1;",
       "red.async"},
      {"mov.u32 %r1, %envreg1;", "%envreg1"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1];",
       "wmma.load"},
      {"tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];", "tex.1d"},
  };
  for (const auto& refused : kRefused) {
    const std::string error = ErrorOf(refused.text);
    EXPECT_EQ(error.substr(0, 7), "line 6:") << refused.text << error;
    EXPECT_NE(error.find(refused.named), std::string::npos)
        << refused.text << " gives: " << error;
  }
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
