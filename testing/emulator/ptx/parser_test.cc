#include "testing/emulator/ptx/parser.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator::ptx {
namespace {

const char kHeader[] = ".version 8.7\n.target sm_90a\n.address_size 64\n";

Module ParseOrDie(const std::string& text) {
  auto module = Parse(kHeader + text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? *module : Module();
}

std::string ErrorOf(const std::string& text) {
  auto module = Parse(kHeader + text);
  EXPECT_FALSE(module.ok()) << text;
  return module.ok() ? "" : std::string(module.status().message());
}

TEST(Parser, ReadsParametersAndDirectives) {
  Module module = ParseOrDie(
      ".visible .entry f(.param .align 64 .b8 map[128],\n"
      ".param .u64 .ptr .global .align 16 p, .param .f32 x)\n"
      ".maxntid 128, 2, 1 .minnctapersm 1 .reqnctapercluster 2, 1, 1\n"
      "{ ret; }");
  EXPECT_EQ(module.version, "8.7");
  ASSERT_EQ(module.functions.size(), 1u);
  const Function& f = module.functions[0];
  ASSERT_EQ(f.parameters.size(), 3u);
  EXPECT_EQ(f.parameters[0].bytes, 128u);
  EXPECT_EQ(f.parameters[0].alignment, 64u);
  EXPECT_EQ(f.parameters[1].alignment, 8u);  // not the pointee's
  EXPECT_EQ(f.max_threads, 256u);
  EXPECT_EQ(f.required_cluster[0], 2u);
}

TEST(Parser, InnerScopesHideOuterNames) {
  Module module = ParseOrDie(
      ".func f() { .reg .b32 x; mov.b32 x, 1;\n"
      "{ .reg .b32 x; L: mov.b32 x, 2; bra L; }\n"
      "{ L: mov.b32 x, 3; bra L; } ret; }");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(code[0].operands[0].id, 0);
  EXPECT_EQ(code[1].operands[0].id, 1);
  EXPECT_EQ(code[2].operands[0].id, 1);  // label of the first inner scope
  EXPECT_EQ(code[3].operands[0].id, 0);
  EXPECT_EQ(code[4].operands[0].id, 3);  // label of the second
}

TEST(Parser, LabelsMayBeUsedBeforeAndOutsideOfInnerScopes) {
  Module module = ParseOrDie(
      ".func f() { .reg .pred %p<2>; @%p1 bra OUT; { @!%p0 bra OUT; }\n"
      "OUT: ret; }");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(code[0].operands[0].kind, Operand::Kind::kLabel);
  EXPECT_EQ(code[1].operands[0].id, 2);
  EXPECT_TRUE(code[1].guard_negated);
}

TEST(Parser, ReadsEveryKindOfOperand) {
  Module module = ParseOrDie(
      ".global .align 8 .b8 g[16];\n"
      ".func f() { .reg .b32 %r<9>; .reg .pred %p<3>; .reg .b64 %rd<3>;\n"
      "setp.eq.s32 %p1|%p2, %r1, -7;\n"
      "ld.global.v2.b32 {%r1, _}, [%rd1+-8];\n"
      "mov.f32 %r2, 0f3F800000;\n"
      "mov.u64 %rd2, g+4;\n"
      "cp.async.bulk.tensor.2d.x [%r1], [%rd1, {%r2, %r3}], [%r4];\n"
      "mov.u32 %r5, %ctaid.x;\n"
      "elect.sync _|%p1, 0xffffffff; ret; }");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(code[0].operands[0].kind, Operand::Kind::kPair);
  EXPECT_EQ(code[0].operands[2].imm, -7);
  EXPECT_EQ(code[1].operands[0].elements[1].kind, Operand::Kind::kSink);
  EXPECT_EQ(code[1].operands[1].imm, -8);
  EXPECT_EQ(code[2].operands[1].literal, Operand::Literal::kFloat32);
  EXPECT_EQ(code[3].operands[1].name, "g");
  EXPECT_EQ(code[3].operands[1].imm, 4);
  EXPECT_EQ(code[4].operands[1].elements[1].elements.size(), 2u);
  EXPECT_EQ(code[5].operands[1].name, "%ctaid.x");
  EXPECT_EQ(code[6].operands[0].elements[0].kind, Operand::Kind::kSink);
}

TEST(Parser, ReadsInitialisersAndRelocations) {
  Module module = ParseOrDie(
      ".const .align 4 .u32 t[3] = {1, 0x10, -1};\n"
      ".global .u64 p = generic(t)+4;\n.global .f32 x = 0f40000000;");
  EXPECT_EQ(module.variables[0].initial.size(), 12u);
  EXPECT_EQ(module.variables[0].initial[4], 0x10);
  EXPECT_EQ(module.variables[0].initial[11], 0xFF);
  ASSERT_EQ(module.variables[1].relocations.size(), 1u);
  EXPECT_EQ(module.variables[1].relocations[0].addend, 4);
  EXPECT_EQ(module.variables[2].initial[3], 0x40);
}

TEST(Parser, TakesModifiersThatStandApart) {
  Module module = ParseOrDie(
      ".func f() { .reg .b64 %rd<2>;\n"
      "cp.async.bulk_group .L2::cache_hint\n.x [%rd0], %rd1; }");
  ASSERT_EQ(module.functions[0].instructions.size(), 1u);
  EXPECT_EQ(module.functions[0].instructions[0].opcode,
            "cp.async.bulk_group.L2::cache_hint.x");
  EXPECT_EQ(module.functions[0].instructions[0].operands.size(), 2u);
}

TEST(Parser, SkipsDebugDirectivesAndComments) {
  Module module = ParseOrDie(
      ".file 1 \"a.cu\"\n.func f() { .loc 1 2 3\n // ret;\n /* ret;\n */\n"
      ".pragma \"nounroll\"; ret; }\n.section .debug_str { .b8 1 }");
  EXPECT_EQ(module.functions[0].instructions.size(), 1u);
  EXPECT_EQ(module.functions[0].instructions[0].line, 9);
}

TEST(Parser, ErrorsNameTheLine) {
  EXPECT_NE(ErrorOf(".func f() {\n mov.b32 a, @;\n}").find("line 5"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(".func f() { .reg .b32 a; .reg .b32 a; }").find("declared twice"),
      std::string::npos);
  ErrorOf(".func f() {");
  ErrorOf(".func f() { .reg .b32 %r<99999999999>; }");
  ErrorOf(".func f() { .local .b8 x[99999999999999]; }");
  ErrorOf("nonsense");
  ErrorOf(".func f() { mov.b32 {{{{{{{{a}}}}}}}}, b; }");
}

TEST(Parser, TruncatedTextNeverCrashes) {
  std::string text = std::string(kHeader) +
                     ".global .b32 g[2] = {1, 2};\n.visible .entry f(.param "
                     ".u64 p) .maxntid 128 { .reg .b32 %r<4>; { L: @%p bra L;"
                     " ld.shared.v2.b32 {%r1, %r2}, [%r3+4]; } ret; }";
  for (size_t n = 0; n < text.size(); ++n) (void)Parse(text.substr(0, n));
}

TEST(FindFunction, PrefersTheDefinition) {
  Module module = ParseOrDie(".func f();\n.func f() { ret; }");
  EXPECT_FALSE(FindFunction(module, "f")->is_declaration);
  EXPECT_EQ(FindFunction(module, "g"), nullptr);
}

}  // namespace
}  // namespace tiletune::emulator::ptx
