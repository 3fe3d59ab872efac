#include "testing/emulator/fatbin/select_ptx.h"

#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

std::string Fatbin() {
  std::ifstream file("testing/emulator/fatbin/testdata/kernels_zstd.fatbin",
                     std::ios::binary);
  EXPECT_TRUE(file.good());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(TargetRunsOn, PlainTargetsRunOnEverythingLater) {
  EXPECT_TRUE(TargetRunsOn("sm_90", 90));
  EXPECT_TRUE(TargetRunsOn("sm_75", 103));
  EXPECT_FALSE(TargetRunsOn("sm_100", 90));
}

TEST(TargetRunsOn, ArchitectureTargetsRunOnOneCapability) {
  EXPECT_TRUE(TargetRunsOn("sm_90a", 90));
  EXPECT_FALSE(TargetRunsOn("sm_90a", 100));
  EXPECT_FALSE(TargetRunsOn("sm_100a", 103));
}

TEST(TargetRunsOn, FamilyTargetsRunOnTheirFamilyFromThereOn) {
  EXPECT_TRUE(TargetRunsOn("sm_100f", 100));
  EXPECT_TRUE(TargetRunsOn("sm_100f", 103));
  EXPECT_FALSE(TargetRunsOn("sm_103f", 100));
  EXPECT_FALSE(TargetRunsOn("sm_100f", 120));
}

TEST(TargetRunsOn, NothingRunsAnUnknownTarget) {
  for (const char* target :
       {"", "sm_", "sm_9", "sm_90b", "compute_90", "sm_99999", "sm_90aa"}) {
    EXPECT_FALSE(TargetRunsOn(target, 90)) << target;
  }
}

TEST(TargetOf, IsTheFirstWordOfTheDirective) {
  EXPECT_EQ(TargetOf("// x\n.version 9.0\n.target sm_90a, debug\n"), "sm_90a");
  EXPECT_EQ(TargetOf(".version 9.0\n.target sm_100f\n"), "sm_100f");
  EXPECT_EQ(TargetOf(".version 9.0\n"), "");
  EXPECT_EQ(TargetOf("\n.target"), "");
}

TEST(SelectPtx, GivesEachGpuItsOwn) {
  auto hopper = SelectPtx(Fatbin(), 90);
  ASSERT_TRUE(hopper.ok()) << hopper.status();
  EXPECT_EQ(TargetOf(*hopper), "sm_90a");
  for (int capability : {100, 103}) {
    auto blackwell = SelectPtx(Fatbin(), capability);
    ASSERT_TRUE(blackwell.ok()) << blackwell.status();
    EXPECT_EQ(TargetOf(*blackwell), "sm_100f");
  }
}

TEST(SelectPtx, NamesWhatThereIsWhenNothingFits) {
  auto ptx = SelectPtx(Fatbin(), 120);
  EXPECT_EQ(ptx.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ptx.status().message(),
            "the fat binary has no PTX that sm_120 can run: PTX for sm_90a, "
            "sm_100f; machine code for sm_90. Compile with -gencode "
            "arch=compute_X,code=[sm_X,compute_X]");
}

}  // namespace
}  // namespace tiletune::emulator
