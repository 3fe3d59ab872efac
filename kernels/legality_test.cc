#include <string>

#include "gtest/gtest.h"
#include "kernels/device.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmConfig ConfigOf(const char* name) {
  GemmConfig config;
  config.variant = FindVariant(name);
  return config;
}

TEST(CheckLegal, ClusterLaunchControlCannotLeaveSmsAlone) {
  const DeviceFacts b200 = *ModelledDevice("b200");
  GemmProblem p;
  p.m = p.n = p.k = 512;
  GemmConfig clc = ConfigOf("sm100_16b_128x128x64_c1x1_s6_clc2");
  GemmConfig queue = ConfigOf("sm100_16b_128x128x64_c1x1_s6_queue1");
  EXPECT_TRUE(CheckLegal(p, clc, b200).ok());
  clc.max_sms = queue.max_sms = 100;
  EXPECT_TRUE(CheckLegal(p, queue, b200).ok());
  const absl::Status status = CheckLegal(p, clc, b200);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(status.message()).find("max_sms"), std::string::npos);
}

TEST(CheckLegal, BlackwellKernelsCountTilesIn32Bits) {
  const DeviceFacts b200 = *ModelledDevice("b200");
  GemmConfig config = ConfigOf("sm100_16b_128x128x64_c1x1_s6_static");
  GemmProblem p;
  p.m = p.n = 8;
  p.k = 3 * 64;
  p.batch = (int64_t{1} << 31) - 1;
  config.split_k = 2;
  EXPECT_TRUE(CheckLegal(p, config, b200).ok());
  config.split_k = 3;
  const absl::Status status = CheckLegal(p, config, b200);
  EXPECT_NE(std::string(status.message()).find("2^32"), std::string::npos);
}

}  // namespace
}  // namespace tiletune
