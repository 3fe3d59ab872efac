#include "kernels/registry.h"

#include <ctime>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/cost_model/cost_model.h"

namespace tiletune {
namespace {

GemmProblem Plain(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

std::vector<GemmProblem> AssortedProblems() {
  std::vector<GemmProblem> problems = {
      Plain(4096, 4096, 4096), Plain(1, 1, 0),     Plain(1, 1, 1),
      Plain(4095, 4097, 4104), Plain(0, 5, 5),     Plain(16, 7168, 16384),
      Plain(7168, 16, 16384),  Plain(3, 70001, 2), Plain(128, 128, 65536)};
  for (Layout layout : {Layout::kNN, Layout::kNT, Layout::kTT}) {
    problems.push_back(Plain(1000, 1000, 1000));
    problems.back().layout = layout;
  }
  for (DataType type : {DataType::kFp16, DataType::kFp32, DataType::kFp8E4m3,
                        DataType::kFp8E5m2}) {
    problems.push_back(Plain(256, 512, 1024));
    problems.back().a_type = problems.back().b_type = type;
    problems.back().d_type = type;
    problems.back().batch = 3;
  }
  return problems;
}

GemmConfig ConfigOf(const KernelVariant& variant) {
  GemmConfig config;
  config.variant = &variant;
  return config;
}

TEST(DefaultConfig, ExistsAndIsLegalForEveryProblemOnEveryDevice) {
  for (const std::string& name : ModelledDeviceNames()) {
    for (bool modelled : {true, false}) {
      DeviceFacts device = *ModelledDevice(name);
      device.modelled = modelled;
      for (const GemmProblem& p : AssortedProblems()) {
        const absl::StatusOr<GemmConfig> config = DefaultConfig(p, device);
        ASSERT_TRUE(config.ok()) << ProblemKey(p) << ": " << config.status();
        EXPECT_TRUE(CheckLegal(p, *config, device).ok());
        EXPECT_EQ(config->variant->supply, SupplyKind::kStatic);
        if (!modelled) {
          EXPECT_TRUE(config->variant->proven) << ProblemKey(p);
        }
      }
    }
  }
}

// Problems with more waves than a split is worth trying for.
std::vector<GemmProblem> ProblemsOfManyWaves() {
  std::vector<GemmProblem> problems = {Plain(8192, 8192, 1024),
                                       Plain(20000, 3000, 512)};
  problems.push_back(Plain(2048, 1024, 777));  // copied, or read by eight boxes
  problems.back().batch = 24;
  problems.push_back(Plain(16384, 4096, 2048));
  problems.back().a_type = problems.back().b_type = DataType::kFp8E4m3;
  return problems;
}

TEST(DefaultConfig, IsTheFirstOfThoseThatThePredictionFindsFastest) {
  for (const char* name : {"h200", "b200"}) {
    const DeviceFacts device = *ModelledDevice(name);
    for (const GemmProblem& p : ProblemsOfManyWaves()) {
      SCOPED_TRACE(ProblemKey(p));
      std::vector<GemmConfig> configs = LegalConfigs(p, device, {});
      const GemmConfig chosen = configs.front();
      double least = std::numeric_limits<double>::infinity();
      const KernelVariant* first = nullptr;
      for (const GemmConfig& config : configs) {
        EXPECT_EQ(config.split_k, 1u);
        if (config.variant->supply != SupplyKind::kStatic) continue;
        const double seconds = Predict(p, config, device).seconds;
        if (seconds > least) continue;
        if (seconds < least || config.variant < first) first = config.variant;
        least = seconds;
      }
      EXPECT_EQ(Predict(p, chosen, device).seconds, least);
      EXPECT_EQ(chosen.variant, first);
    }
  }
}

// Some 4,000 orders there are; a prediction of each takes half a second.
TEST(DefaultConfig, LooksAtTheOrdersOfFewKernels) {
  GemmProblem p = Plain(21904, 18024, 3712);
  p.batch = 56;
  const DeviceFacts device = *ModelledDevice("h200");
  const std::clock_t start = std::clock();
  const GemmConfig config = *DefaultConfig(p, device);
  const std::clock_t chosen = std::clock();
  for (int i = 0; i < 50; ++i) Predict(p, config, device);
  const std::clock_t predicted = std::clock();
  EXPECT_LT(chosen - start, 20 * (predicted - chosen));
}

TEST(DefaultConfig, IsRefusedOnADeviceTooOld) {
  DeviceFacts device = *ModelledDevice("h200");
  device.capability_major = 6;
  EXPECT_EQ(DefaultConfig(Plain(64, 64, 64), device).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(DefaultConfig, OfAnInvalidProblemIsInvalid) {
  EXPECT_EQ(
      DefaultConfig(Plain(-1, 64, 64), *ModelledDevice("h200")).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(LegalConfigs, StartWithTheDefaultAndNeverRepeat) {
  for (const char* name : {"h200", "b200", "b300"}) {
    const DeviceFacts device = *ModelledDevice(name);
    for (const GemmProblem& p : AssortedProblems()) {
      const std::vector<GemmConfig> configs = LegalConfigs(p, device, {});
      ASSERT_FALSE(configs.empty()) << ProblemKey(p);
      EXPECT_TRUE(configs.front() == *DefaultConfig(p, device));
      std::set<std::string> keys;
      for (const GemmConfig& config : configs) {
        EXPECT_TRUE(CheckLegal(p, config, device).ok()) << ConfigKey(config);
        EXPECT_TRUE(keys.insert(ConfigKey(config)).second)
            << ConfigKey(config) << " twice";
      }
    }
  }
}

TEST(LegalConfigs, KeepToTheGlobButForTheDefault) {
  CandidateOptions options;
  options.kernels = "reference_naive";
  const DeviceFacts device = *ModelledDevice("h200");
  const GemmProblem p = Plain(512, 512, 512);
  const std::vector<GemmConfig> configs = LegalConfigs(p, device, options);
  for (size_t i = 1; i < configs.size(); ++i) {
    EXPECT_STREQ(configs[i].variant->name, "reference_naive");
  }
}

// The splits of K among the candidates of one kernel.
std::set<uint32_t> Splits(const GemmProblem& p, const std::string& kernel) {
  CandidateOptions options;
  options.kernels = kernel;
  std::set<uint32_t> splits;
  for (const GemmConfig& config :
       LegalConfigs(p, *ModelledDevice("h200"), options)) {
    if (config.variant->name == kernel) splits.insert(config.split_k);
  }
  return splits;
}

TEST(LegalConfigs, CutALonelyLastTileIntoManySlices) {
  // 133 tiles on 132 SMs.
  const std::set<uint32_t> splits = Splits(
      Plain(17024, 256, 4096), "sm90_16b_128x256x64_c1x1_s4_coop_static");
  EXPECT_EQ(splits.count(1), 1u);
  EXPECT_GE(*splits.rbegin(), 8u);
}

TEST(LegalConfigs, CutOnlyWhereTheLastWaveGainsFromIt) {
  // 96 tiles on 132 SMs: 2 or 3 slices take as long as 1, but 4 three quarters.
  const std::set<uint32_t> splits =
      Splits(Plain(16, 6144, 4096), "sm90_16b_t64x16x256_c1x1_s5_coop_static");
  EXPECT_EQ(splits, (std::set<uint32_t>{1, 4}));
}

// How each order of a kernel's 120 CTAs (384 x 384 in tiles of 64 x 96, K in 5)
// or of its many may be launched on an H200.
std::set<std::string> Launches(const GemmProblem& p, bool modelled) {
  DeviceFacts device = *ModelledDevice("h200");
  device.modelled = modelled;
  CandidateOptions options;
  options.kernels = "sm90_16b_64x96x64_c1x1_s10_coop_static";
  options.splits = {5};
  std::set<std::string> launches;
  for (const GemmConfig& config : LegalConfigs(p, device, options)) {
    if (config.split_k != 5) continue;  // the default
    const std::string key = ConfigKey(config);
    launches.insert(key.substr(key.find(" k5") + 3));
  }
  return launches;
}

TEST(LegalConfigs, AreLaunchedOtherwiseTooWhereSmsStayIdle) {
  const GemmProblem few = Plain(384, 384, 32768);
  EXPECT_EQ(Launches(few, /*modelled=*/false),
            (std::set<std::string>{"", " p0", " g4", " g8"}));
  EXPECT_EQ(Launches(few, /*modelled=*/true), std::set<std::string>{""})
      << "the model sees no difference";
  EXPECT_EQ(Launches(Plain(384, 480, 32768), /*modelled=*/false),
            std::set<std::string>{""})
      << "150 CTAs leave no SM idle";
}

TEST(LegalConfigs, LeaveUnprovenVariantsOutOnRealDevices) {
  DeviceFacts device = *ModelledDevice("b200");
  device.modelled = false;
  for (const GemmConfig& config :
       LegalConfigs(Plain(512, 512, 512), device, {})) {
    EXPECT_TRUE(config.variant->proven) << ConfigKey(config);
  }
}

TEST(IsMeantFor, ShiftedRowsAreForWhatTmaCannotRead) {
  const KernelVariant& v =
      *FindVariant("sm90_16b_u128x128x64_c1x1_s5_coop_static");
  EXPECT_FALSE(IsMeantFor(v, Plain(512, 512, 512)));
  GemmProblem p = Plain(512, 512, 511);
  EXPECT_TRUE(IsMeantFor(v, p));
  p.layout = Layout::kNT;
  EXPECT_FALSE(IsMeantFor(v, p));
  p.layout = Layout::kTN;
  p.pointer_alignment = 8;
  EXPECT_FALSE(IsMeantFor(v, p));
  p.pointer_alignment = 16;
  p.batch = 2;
  p.batch_stride_a = 512 * 511 + 8;
  EXPECT_TRUE(IsMeantFor(v, p));
  p.batch_stride_a = 512 * 511 + 1;
  EXPECT_FALSE(IsMeantFor(v, p));
  // It is B whose rows it must be.
  EXPECT_TRUE(
      IsMeantFor(*FindVariant("sm90_16b_tu128x128x64_c1x1_s5_coop_static"), p));
}

TEST(DefaultConfig, LeavesNoWaveOfAWhileToWhereItLands) {
  DeviceFacts device = *ModelledDevice("h200");
  const auto cluster = [&](const GemmProblem& p) {
    return DefaultConfig(p, device)->launch_cluster;
  };
  EXPECT_EQ(cluster(Plain(64, 6144, 4096)), 1u) << "on a modelled device";
  device.modelled = false;
  EXPECT_EQ(cluster(Plain(64, 6144, 4096)), 4u);
  EXPECT_EQ(cluster(Plain(768, 768, 768)), 1u) << "which takes 4 us";
  EXPECT_EQ(cluster(Plain(16, 2112, 7168)), 1u) << "of 33 CTAs";
  EXPECT_EQ(cluster(Plain(4096, 4096, 4096)), 1u) << "which fills the SMs";
  EXPECT_EQ(cluster(Plain(64, 6144, 4100)), 1u) << "after a repack";
}

// 16 tiles, of which 132 SMs hold eight slices, but launch clusters seven.
TEST(LegalConfigs, SomeSplitsFillTheLaunchClusters) {
  const char* const kernel = "sm90_16b_64x64x64_c1x1_s12_coop_static";
  std::set<std::string> keys;
  CandidateOptions options;
  options.kernels = kernel;
  DeviceFacts device = *ModelledDevice("h200");
  device.modelled = false;  // but for launch clusters, as it leaves none idle
  for (const GemmConfig& c :
       LegalConfigs(Plain(256, 256, 16384), device, options)) {
    keys.insert(ConfigKey(c));
  }
  for (const char* launch : {"k8", "k7 g8", "k7 g16", "k5 g12"}) {
    EXPECT_EQ(keys.count(absl::StrCat(kernel, " o1zn ", launch)), 1u) << launch;
  }
  for (const char* launch : {"k8 g8", "k7 g12"}) {
    EXPECT_EQ(keys.count(absl::StrCat(kernel, " o1zn ", launch)), 0u) << launch;
  }
}

TEST(IsMeantFor, NoOtherKernelIsACandidate) {
  const DeviceFacts h200 = *ModelledDevice("h200");
  for (int64_t k : {512, 511}) {
    int shifted = 0;
    for (const GemmConfig& c : LegalConfigs(Plain(64, 512, k), h200, {})) {
      shifted += c.variant->shifted_rows ? 1 : 0;
    }
    EXPECT_EQ(shifted > 0, k == 511);
  }
}

TEST(CheckLegal, SaysWhyInASentence) {
  const DeviceFacts h200 = *ModelledDevice("h200");
  const GemmProblem p = Plain(64, 64, 64);
  EXPECT_NE(std::string(CheckLegal(p, GemmConfig(), h200).message())
                .find("no variant"),
            std::string::npos);
  GemmConfig config = ConfigOf(*FindVariant("reference_naive"));
  EXPECT_TRUE(CheckLegal(p, config, h200).ok());
  config.split_k = 2;
  EXPECT_EQ(CheckLegal(p, config, h200).code(),
            absl::StatusCode::kFailedPrecondition);
  config.split_k = 1;
  config.swizzle_offset = 0;
  EXPECT_NE(
      std::string(CheckLegal(p, config, h200).message()).find("offset is 0"),
      std::string::npos);
}

TEST(CheckLegal, KeepsEachArchitectureToItsDevices) {
  const GemmProblem p = Plain(512, 512, 512);
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kAny || v.operand_bits != 16) continue;
    const bool hopper = v.architecture == Architecture::kHopper;
    for (const char* name : {"h200", "b200", "b300"}) {
      EXPECT_EQ(CheckLegal(p, ConfigOf(v), *ModelledDevice(name)).ok(),
                hopper == (std::string(name) == "h200"))
          << v.name << " on " << name;
    }
  }
}

TEST(CheckLegal, NoSplitIsThinnerThanATileOfK) {
  const DeviceFacts h200 = *ModelledDevice("h200");
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kHopper || v.operand_bits != 16) {
      continue;
    }
    GemmConfig config = ConfigOf(v);
    config.split_k = 2;
    EXPECT_FALSE(CheckLegal(Plain(64, 64, v.tile_k), config, h200).ok());
    EXPECT_TRUE(CheckLegal(Plain(64, 64, 2 * v.tile_k), config, h200).ok());
    EXPECT_FALSE(CheckLegal(Plain(64, 64, 0), config, h200).ok());
  }
}

}  // namespace
}  // namespace tiletune
