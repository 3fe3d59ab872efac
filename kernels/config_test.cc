#include "kernels/config.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Config, KeyParsesBackToTheSameConfig) {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  config.swizzle_offset = 12;
  config.swizzle_direction = SwizzleDirection::kNz;
  config.split_k = 4;
  EXPECT_EQ(ConfigKey(config), "reference_naive o12nz k4");
  const absl::StatusOr<GemmConfig> parsed = ParseConfig(ConfigKey(config));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(*parsed == config);
}

TEST(Config, KeyNamesAnIndependentLaunch) {
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  config.dependent_launch = false;
  EXPECT_EQ(ConfigKey(config), "reference_naive o1zn k1 p0");
  const absl::StatusOr<GemmConfig> parsed = ParseConfig(ConfigKey(config));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(*parsed == config);
}

TEST(Config, KeyNamesALaunchCluster) {
  for (bool dependent : {true, false}) {
    GemmConfig config;
    config.variant = FindVariant("reference_naive");
    config.dependent_launch = dependent;
    config.launch_cluster = 8;
    EXPECT_EQ(ConfigKey(config), dependent ? "reference_naive o1zn k1 g8"
                                           : "reference_naive o1zn k1 p0 g8");
    const absl::StatusOr<GemmConfig> parsed = ParseConfig(ConfigKey(config));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_TRUE(*parsed == config);
    config.launch_cluster = 4;
    EXPECT_FALSE(*parsed == config);
  }
}

TEST(Config, OfAVariantWeLackIsNotFound) {
  EXPECT_EQ(ParseConfig("sm70_old o1zn k1").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Config, MalformedKeysAreInvalid) {
  for (const char* key :
       {"", "reference_naive", "reference_naive o8zn", "reference_naive o8 k1",
        "reference_naive ozn k1", "reference_naive o0zn k1",
        "reference_naive o8zn k0", "reference_naive o-8zn k1",
        "reference_naive o8zn k1 x", "reference_naive o8zn k1 p1",
        "reference_naive o8zn k1 ", "reference_naive o8zn k1 g",
        "reference_naive o8zn k1 g1", "reference_naive o8zn k1 g8 p0",
        "reference_naive o8zn k1 g8 g8", "reference_naive o8zn k1 p0 p0",
        "reference_naive o8zn k99999999999", "reference_naive  o8zn k1"}) {
    EXPECT_EQ(ParseConfig(key).status().code(),
              absl::StatusCode::kInvalidArgument)
        << key;
  }
}

// A second text of one config would be a second row of it in the database.
TEST(Config, HasOneText) {
  for (const char* key :
       {"reference_naive o8zn k1 g08", "reference_naive o8zn k01",
        "reference_naive o08zn k1"}) {
    EXPECT_FALSE(ParseConfig(key).ok()) << key;
  }
}

}  // namespace
}  // namespace tiletune
