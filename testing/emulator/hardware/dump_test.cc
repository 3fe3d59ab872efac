#include "testing/emulator/hardware/dump.h"

#include <fstream>

#include "gtest/gtest.h"

namespace tiletune::micro {
namespace {

TEST(Dump, ComesBackAsItWasWritten) {
  const std::string path = testing::TempDir() + "/some.dump";
  Dump dump;
  dump["a"] = {"ok", {1, 2, 3, 0, 255}};
  dump["b"] = {"the kernel hung", {}};
  ASSERT_TRUE(WriteDump(path, dump));
  Dump back;
  ASSERT_TRUE(ReadDump(path, &back));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back["a"].bytes, dump["a"].bytes);
  EXPECT_EQ(back["b"].status, "the kernel hung");
}

TEST(Dump, ThatIsCutShortIsRefused) {
  const std::string path = testing::TempDir() + "/short.dump";
  Dump dump;
  dump["a"] = {"ok", {1, 2, 3}};
  ASSERT_TRUE(WriteDump(path, dump));
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  std::ofstream(path, std::ios::binary) << text.substr(0, text.size() - 1);
  EXPECT_FALSE(ReadDump(path, &dump));
  EXPECT_FALSE(ReadDump(path + ".missing", &dump));
}

}  // namespace
}  // namespace tiletune::micro
