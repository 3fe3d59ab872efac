#include "testing/emulator/ptx/lexer.h"

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace tiletune::emulator::ptx {
namespace {

TEST(Lexer, ReadsOpcodesWithDoubleColons) {
  Lexer lexer("cp.async.bulk.tensor.2d.shared::cluster.b64 [%r1];");
  EXPECT_EQ(lexer.Opcode(), "cp.async.bulk.tensor.2d.shared::cluster.b64");
  EXPECT_TRUE(lexer.Accept('['));
  EXPECT_EQ(lexer.Word(), "%r1");
}

TEST(Lexer, StopsOpcodesBeforeALabelsColon) {
  Lexer lexer("$L__BB0_1:\n");
  EXPECT_EQ(lexer.Opcode(), "$L__BB0_1");
  EXPECT_TRUE(lexer.Accept(':'));
}

TEST(Lexer, ReadsEveryNumberForm) {
  Lexer lexer("12 0x1F 0b101 017 5U 0f3F800000 0d3FF0000000000000 1.5e1 x");
  uint64_t bits = 0;
  auto integer = Lexer::NumberKind::kInteger;
  for (uint64_t expected : {12, 31, 5, 15, 5}) {
    EXPECT_EQ(lexer.Number(&bits), integer);
    EXPECT_EQ(bits, expected);
  }
  EXPECT_EQ(lexer.Number(&bits), Lexer::NumberKind::kFloat32);
  EXPECT_EQ(bits, 0x3F800000u);
  EXPECT_EQ(lexer.Number(&bits), Lexer::NumberKind::kFloat64);
  EXPECT_EQ(lexer.Number(&bits), Lexer::NumberKind::kFloat64);
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  EXPECT_EQ(value, 15.0);
  EXPECT_EQ(lexer.Number(&bits), Lexer::NumberKind::kNone);
}

TEST(Lexer, CountsLinesThroughComments) {
  Lexer lexer("// one\n/* two\nthree */ four");
  EXPECT_EQ(lexer.Word(), "four");
  EXPECT_EQ(lexer.line(), 3);
  EXPECT_TRUE(lexer.AtEnd());
}

TEST(Lexer, AcceptsWholeWordsOnly) {
  Lexer lexer(".regular .reg");
  EXPECT_FALSE(lexer.AcceptWord(".reg"));
  EXPECT_EQ(lexer.Word(), ".regular");
  EXPECT_TRUE(lexer.AcceptWord(".reg"));
}

}  // namespace
}  // namespace tiletune::emulator::ptx
