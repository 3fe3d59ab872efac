#include "kernels/device.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(ModelledDevice, NamesThoseThereAreWhenAskedForAnother) {
  const absl::StatusOr<DeviceFacts> d = ModelledDevice("b9000");
  EXPECT_EQ(d.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(d.status().message()).find("b200"), std::string::npos);
}

TEST(ModelledDevice, NeverSharesAKeyWithARealOne) {
  for (const std::string& name : ModelledDeviceNames()) {
    DeviceFacts real = *ModelledDevice(name);
    const std::string modelled_key = real.Fingerprint();
    real.modelled = false;
    EXPECT_NE(real.Fingerprint(), modelled_key);
    EXPECT_EQ(modelled_key.rfind("model ", 0), 0u);
  }
}

TEST(ModelledDevice, KeysTellTheModelsApart) {
  std::set<std::string> keys;
  for (const std::string& name : ModelledDeviceNames()) {
    EXPECT_TRUE(keys.insert(ModelledDevice(name)->Fingerprint()).second)
        << name;
  }
}

TEST(Fingerprint, HoldsSiliconFactsOnly) {
  DeviceFacts d = *ModelledDevice("h200");
  EXPECT_EQ(d.Fingerprint(), "model cc9.0 sm132 l2=60MiB bw4800 p700");
  d.name = "another name";
  d.driver = "999";
  d.max_clock_mhz = 1;
  EXPECT_EQ(d.Fingerprint(), "model cc9.0 sm132 l2=60MiB bw4800 p700");
}

// 989 TFLOP/s at 1830 MHz (H100 data sheet) is 1070 at 1980; 2250 (HGX B200).
TEST(ModelledDevice, PeaksAgreeWithTheDataSheets) {
  EXPECT_NEAR(ModelledDevice("h100")->dense_16bit_flops, 1070e12, 5e12);
  EXPECT_NEAR(ModelledDevice("b200")->dense_16bit_flops, 2250e12, 5e12);
  EXPECT_NEAR(ModelledDevice("gb200")->dense_16bit_flops, 2500e12, 5e12);
}

TEST(QueryDevice, OfADeviceThatIsNotThereIsUnavailable) {
  EXPECT_EQ(QueryDevice(1000).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(QueryDevice(-1).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tiletune
