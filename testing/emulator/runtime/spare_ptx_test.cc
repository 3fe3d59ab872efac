#include "testing/emulator/runtime/spare_ptx.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator::runtime {
namespace {

// A folder of its own for each test.
class SparePtxTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

  std::string folder_;
  SparePtx spare_;
};

TEST_F(SparePtxTest, FindsTheFileThatDefinesAnEntry) {
  const std::string one = Write("one.ptx", ".visible .entry one(\n)\n{}");
  const std::string two = Write("two.ptx", ".entry two()\n{}.entry three() {}");
  ASSERT_TRUE(spare_.Add(one + ":" + two).ok());
  ASSERT_NE(spare_.Find("three"), nullptr);
  EXPECT_EQ(spare_.Find("three"), spare_.Find("two"));
  EXPECT_EQ(*spare_.Find("one"), ".visible .entry one(\n)\n{}");
}

TEST_F(SparePtxTest, HasNothingForOtherNames) {
  ASSERT_TRUE(spare_.Add(Write("one.ptx", ".entry one() {} .func two()")).ok());
  EXPECT_EQ(spare_.Find("two"), nullptr);
  EXPECT_EQ(spare_.Find("on"), nullptr);
  EXPECT_EQ(spare_.Find(""), nullptr);
}

TEST_F(SparePtxTest, TakesThePtxFilesOfAFolder) {
  Write("one.ptx", ".entry one() {}");
  Write("two.txt", ".entry two() {}");
  ASSERT_TRUE(spare_.Add(folder_).ok());
  EXPECT_NE(spare_.Find("one"), nullptr);
  EXPECT_EQ(spare_.Find("two"), nullptr);
}

TEST_F(SparePtxTest, PrefersWhatWasAddedFirst) {
  const std::string one = Write("one.ptx", ".entry same() { /* one */ }");
  const std::string two = Write("two.ptx", ".entry same() { /* two */ }");
  ASSERT_TRUE(spare_.Add(two + ":" + one).ok());
  EXPECT_NE(spare_.Find("same")->find("two"), std::string::npos);
}

TEST_F(SparePtxTest, NamesWhatItCannotRead) {
  const absl::Status status = spare_.Add(folder_ + "/none.ptx");
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(std::string(status.message()).find("none.ptx"), std::string::npos);
}

TEST_F(SparePtxTest, RefusesFoldersWithoutPtxAndEmptyPaths) {
  Write("two.txt", ".entry two() {}");
  EXPECT_TRUE(absl::IsInvalidArgument(spare_.Add(folder_)));
  EXPECT_TRUE(absl::IsInvalidArgument(spare_.Add(":")));
}

TEST_F(SparePtxTest, TakesTextThatEndsInTheMiddle) {
  EXPECT_TRUE(spare_.Add(Write("a.ptx", ".entry")).ok());
  EXPECT_TRUE(spare_.Add(Write("b.ptx", ".visible .entry ")).ok());
  EXPECT_TRUE(spare_.Add(Write("c.ptx", ".entry abc")).ok());
  EXPECT_NE(spare_.Find("abc"), nullptr);
}

}  // namespace
}  // namespace tiletune::emulator::runtime
