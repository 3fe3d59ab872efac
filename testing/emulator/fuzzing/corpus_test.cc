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

}  // namespace
}  // namespace tiletune::emulator
