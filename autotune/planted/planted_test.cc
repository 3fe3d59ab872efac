// Wrong kernels and crashing ones, through the tuner's own worker, checks and
// search. Skipped without a GPU of compute capability 9.0, unless
// TILETUNE_REQUIRE_GPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotune/commands/program_testing.h"
#include "autotune/planted/defect_list.h"
#include "autotune/store/store.h"
#include "autotune/worker/remote_bench.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

constexpr char kProgram[] = "PLANTED_AUTOTUNE";

// Tails along every side, a gap between the rows of D, and every part of the
// epilogue.
GemmProblem PlainProblem() {
  GemmProblem p;
  p.m = 200;
  p.n = 328;
  p.k = 168;
  p.ldd = 344;
  p.epilogue.reads_c = true;
  p.epilogue.bias = Bias::kPerColumn;
  p.epilogue.activation = Activation::kRelu;
  return Normalized(p);
}

GemmProblem BatchedProblem() {
  GemmProblem p;
  p.m = 72;
  p.n = 136;
  p.k = 64;
  p.batch = 3;
  return Normalized(p);
}

GemmProblem ScaledProblem() {
  GemmProblem p;
  p.m = 136;
  p.n = 200;
  p.k = 256;
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kPerRowColumn;
  return Normalized(p);
}

GemmProblem AmaxProblem() {
  GemmProblem p;
  p.m = p.n = p.k = 128;
  p.epilogue.amax = true;
  return Normalized(p);
}

GemmProblem ProblemFor(Defect defect) {
  switch (defect) {
    case Defect::kBatchZeroOnly:
      return BatchedProblem();
    case Defect::kSwapsScales:
      return ScaledProblem();
    case Defect::kWrongAmax:
      return AmaxProblem();
    default:
      return PlainProblem();
  }
}

bool StrikesAtTimes(Defect defect) {
  return defect == Defect::kSkipsATileAtTimes ||
         defect == Defect::kTearsAtTimes;
}

bool IsDynamic(const GemmConfig& config) {
  return config.variant->supply != SupplyKind::kStatic;
}

class PlantedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RemoteBench bench({ProgramPath(kProgram), "worker", "cuda:0"}, {});
    const auto devices = bench.Devices();
    const bool usable = devices.ok() && !devices->empty() &&
                        devices->front().facts.capability_major == 9;
    if (!usable) {
      const std::string why = devices.ok()
                                  ? "needs compute capability 9.0"
                                  : std::string(devices.status().message());
      ASSERT_EQ(std::getenv("TILETUNE_REQUIRE_GPU"), nullptr) << why;
      GTEST_SKIP() << why;
    }
    device_ = devices->front().facts;
  }

  std::vector<GemmConfig> Legal(const GemmProblem& problem) const {
    return LegalConfigs(problem, device_, {});
  }

  // A glob over kernels of which at least 200 configs, and not many more, are
  // legal for 512x512x256.
  std::string KernelsForTwoHundred() const {
    GemmProblem p;
    p.m = p.n = 512;
    p.k = 256;
    for (const char* glob :
         {"sm90_16b_*x*x64_c1x1_*", "sm90_16b_*x*x*_c1x1_*", "sm90_16b_*"}) {
      CandidateOptions options;
      options.kernels = glob;
      if (LegalConfigs(Normalized(p), device_, options).size() >= 200) {
        return glob;
      }
    }
    return "*";
  }

  DeviceFacts device_;
};

TEST_F(PlantedTest, EveryBugIsRejectedAndTheSameKernelWithoutItIsNot) {
  struct Case {
    Defect defect;
    GemmConfig config;
  };
  std::vector<Case> cases;
  std::set<std::string> used;
  std::string planted;
  for (Defect defect : AllDefects()) {
    if (!IsBug(defect)) continue;
    for (const GemmConfig& config : Legal(ProblemFor(defect))) {
      // What is wrong at times is looked for where the tuner looks: it soaks
      // dynamic supplies alone.
      if (StrikesAtTimes(defect) != IsDynamic(config)) continue;
      if (!used.insert(ConfigKey(config)).second) continue;
      cases.push_back({defect, config});
      planted += std::string(Name(defect)) + ":" + ConfigKey(config) + ",";
      break;
    }
  }
  ASSERT_GE(cases.size(), 20u);
  int rejected = 0;
  for (const std::string& list : {std::string(), planted}) {
    setenv("TILETUNE_PLANTED", list.c_str(), 1);
    RemoteBench bench({ProgramPath(kProgram), "worker", "cuda:0"}, {});
    for (const Case& c : cases) {
      ASSERT_TRUE(bench.Prepare(ProblemFor(c.defect), {}).ok());
      const Trial trial =
          bench.Check(c.config, IsDynamic(c.config) ? kSoakRepeats : 1);
      if (list.empty()) {
        EXPECT_TRUE(trial.ok()) << Name(c.defect) << ": " << trial.detail;
        continue;
      }
      EXPECT_EQ(trial.outcome, Outcome::kWrong)
          << Name(c.defect) << ": " << trial.detail;
      rejected += trial.outcome == Outcome::kWrong;
      std::printf("%-22s %s\n", std::string(Name(c.defect)).c_str(),
                  trial.detail.c_str());
    }
    EXPECT_EQ(bench.starts(), 1);
  }
  unsetenv("TILETUNE_PLANTED");
  std::printf("%d of %zu planted bugs rejected\n", rejected, cases.size());
}

// Of the screen: config -> outcome and median.
using Rows = std::map<std::string, std::pair<Outcome, double>>;

Rows ScreenIn(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  Rows rows;
  const auto measured = (*store)->Measurements({});
  for (const Measurement& m : *measured) {
    if (m.stage != Stage::kScreen) continue;
    rows[m.config.key] = {m.outcome, m.median_ns};
  }
  return rows;
}

Outcome Expected(Defect defect) {
  switch (defect) {
    case Defect::kHangs:
    case Defect::kTakesSeconds:
      return Outcome::kTimeout;
    case Defect::kOutOfMemory:
      return Outcome::kOutOfMemory;
    default:
      return Outcome::kCrashed;
  }
}

TEST_F(PlantedTest, TenFaultsInTwoHundredCandidatesEndNoSweep) {
  // Warm: one copy of the operands, so that a sample is few launches of a
  // kernel that is slow on purpose.
  const std::vector<std::string> tune = {"tune",
                                         "--device=cuda:0",
                                         "--exhaustive",
                                         "--timeout=2",
                                         "--db=x.db",
                                         "--shape=512x512x256",
                                         "--policy=warm-graph-busy0",
                                         "--kernels=" + KernelsForTwoHundred()};
  Program clean(kProgram);
  const Program::Result undisturbed = clean.Run(tune);
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.output;
  const Rows expected = ScreenIn(clean.File("x.db"));
  ASSERT_GE(expected.size(), 200u);

  std::vector<std::string> keys;
  for (const auto& [key, row] : expected) keys.push_back(key);
  std::map<std::string, Defect> victims;
  std::string planted;
  for (Defect defect : AllDefects()) {
    if (IsBug(defect)) continue;
    const std::string& key = keys[keys.size() * victims.size() / 10 + 3];
    victims[key] = defect;
    planted += std::string(Name(defect)) + ":" + key + ",";
  }
  ASSERT_EQ(victims.size(), 10u);
  Program faulty(kProgram);
  faulty.Set("TILETUNE_PLANTED", planted);
  const Program::Result r = faulty.Run(tune);
  EXPECT_EQ(r.status, 0) << r.output;
  const Rows rows = ScreenIn(faulty.File("x.db"));
  ASSERT_EQ(rows.size(), expected.size());
  std::vector<double> changes;
  for (const auto& [key, row] : rows) {
    const auto victim = victims.find(key);
    if (victim != victims.end()) {
      EXPECT_EQ(row.first, Expected(victim->second)) << Name(victim->second);
      continue;
    }
    EXPECT_EQ(row.first, Outcome::kOk) << key;
    changes.push_back(std::abs(row.second / expected.at(key).second - 1));
  }
  std::sort(changes.begin(), changes.end());
  std::printf("%zu candidates, %zu faults; others: median change %.2f %%\n",
              rows.size(), victims.size(), 100 * changes[changes.size() / 2]);
  EXPECT_LT(changes[changes.size() / 2], 0.03);
}

}  // namespace
}  // namespace tiletune
