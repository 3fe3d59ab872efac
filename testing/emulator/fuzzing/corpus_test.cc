#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/machine/decode.h"
#include "testing/emulator/ptx/parser.h"

namespace tiletune::emulator {
namespace {

TEST(Corpus, IsDecodedToTheEnd) {
  std::ifstream file("testing/emulator/fuzzing/small.ptx");
  ASSERT_TRUE(file.good());
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto module = ptx::Parse(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto program = Decode(*module, "kernel", {});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_GT((*program)->code.size(), 15u);
}

// Found by libFuzzer: the count wrapped around its limit.
TEST(Parse, RefusesMoreRegistersThanFitInANumber) {
  const auto module = ptx::Parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
      "  .reg .f32 %f<111111111111111111111111111111>;\n  ret;\n}\n");
  EXPECT_FALSE(module.ok());
}

}  // namespace
}  // namespace tiletune::emulator
