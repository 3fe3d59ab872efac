// The product's own host code and Blackwell kernels, from tensor maps to the
// launch, on a machine with no GPU: the objects that a real program links, with
// the emulated runtime in the place of NVIDIA's.
#include <string>

#include "gtest/gtest.h"
#include "kernels/blackwell/launcher.h"
#include "kernels/device.h"
#include "testing/emulator/runtime/launched_gemm.h"

namespace tiletune {
namespace {

TEST(Device, IsAB200WithTheSmsOfTheSettings) {
  const absl::StatusOr<DeviceFacts> facts = QueryDevice(0);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->name, "NVIDIA B200");
  EXPECT_EQ(facts->capability_major, 10);
  EXPECT_EQ(facts->sm_count, 4);
}

class BlackwellGemm : public testing::TestWithParam<const char*> {};

TEST_P(BlackwellGemm, IsExactOnTheEmulatedRuntime) {
  EXPECT_TRUE(LaunchedGemmIsExact(BlackwellLauncher(), GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Variants, BlackwellGemm,
                         testing::Values("sm100_16b_128x128x64_c1x1_s6_static",
                                         "sm100_16b_128x128x64_c1x1_s6_clc2"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace tiletune
