// What the search does differently where kernels are long enough for the clock
// to move under them: from 50 us, and again from 100 us.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/measure/fake_bench.h"
#include "autotune/measure/fake_noise.h"
#include "autotune/search/search.h"
#include "autotune/store/memory_folder.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// Every config takes the same time, but for the default config; notes whose
// samples the screen took, and where the operands of the final lay.
class LevelBench : public FakeBench {
 public:
  LevelBench(double ns, bool power_capped)
      : FakeBench(1, {}), ns_(ns), power_capped_(power_capped) {}

  // `config` takes `factor` times as long as the others.
  void SetSlow(const std::string& config, double factor) {
    slow_ = config;
    factor_ = factor;
  }

  Trial Time(const TimeRequest& request) override {
    const std::string key = ConfigKey(request.config);
    Trial trial;
    double ns = key == slow_ ? ns_ * factor_ : ns_;
    if (noise_ > 0) {
      ns *= 1 + noise_ * NormalOf(1, absl::StrCat(key, "#", request.instance,
                                                  "#", request.first));
    }
    trial.samples_ns.assign(request.count, ns);
    trial.conditions.power_capped = power_capped_ && key != uncapped_;
    if (request.stage == Stage::kScreen) {
      screened.push_back(key);
    } else {
      placements.insert(request.placement);
      if (request.first >= 0) ++kept[request.first];
    }
    return trial;
  }

  // The deviation of a sample, relative to the time.
  void SetNoise(double noise) { noise_ = noise; }

  // Samples of `config` meet no power limit.
  void SetUncapped(const std::string& config) { uncapped_ = config; }

  std::vector<std::string> screened;  // in turn, one entry a sample
  std::set<int> placements;
  std::map<int, int> kept;  // samples of each round of the final

 private:
  const double ns_;
  const bool power_capped_;
  std::string slow_;
  std::string uncapped_;
  double factor_ = 1;
  double noise_ = 0;
};

class SearchClockTest : public ::testing::Test {
 protected:
  SearchClockTest() {
    options_.candidates.include_unproven = true;
    options_.candidates.kernels = "sm90_16b_*x*x64_c1x1_*_static";
    options_.candidates.offsets = {1, 2, 4, 8, 16};
    options_.progress = [this](const SearchProgress& p) {
      if (p.done == 1) lists_.emplace_back(p.stage, p.of);
    };
  }

  static GemmProblem OfK(int64_t k) {
    GemmProblem p;
    p.m = p.n = 512;
    p.k = k;
    return Normalized(p);
  }

  std::vector<GemmConfig> Legal(const GemmProblem& problem) const {
    return LegalConfigs(problem, FakeDevice(), options_.candidates);
  }

  std::string DefaultOf(const GemmProblem& problem) const {
    return ConfigKey(Legal(problem)[0]);
  }

  double PredictedOf(int64_t k) const {
    const GemmProblem problem = OfK(k);
    return Predict(problem, Legal(problem)[0], FakeDevice()).seconds;
  }

  // The first K whose default config is predicted to take so long.
  int64_t FirstK(double seconds) const {
    int64_t k = 128;
    while (PredictedOf(k) < seconds) k += 64;
    EXPECT_GT(PredictedOf(k - 64), 0.95 * seconds) << "a near miss";
    return k;
  }

  // How often the screen sampled the default config, and the next after it.
  struct Samples {
    int of_default = 0;
    int of_second = 0;
  };
  Samples Search(const GemmProblem& problem, LevelBench* bench) {
    MemoryFolder folder;
    store_ = Store::Open(folder.File("x.db"), Store::Mode::kReadWrite).value();
    Journal journal(store_.get(), FakeDevice(), "run1", /*reuse=*/true);
    lists_.clear();
    const auto report =
        tiletune::Search(bench, &journal, options_).Run(problem, {});
    EXPECT_TRUE(report.ok()) << report.status();
    winner_ = store_->Winners({})->front();
    standings_ = *store_->Standings({});
    const std::string fallback = DefaultOf(problem);
    const auto second =
        std::find_if(bench->screened.begin(), bench->screened.end(),
                     [&](const std::string& key) { return key != fallback; });
    const auto count = [&](const std::string& key) {
      return static_cast<int>(
          std::count(bench->screened.begin(), bench->screened.end(), key));
    };
    return {count(fallback), count(*second)};
  }

  int ListsOf(const std::string& stage) const {
    return std::count_if(lists_.begin(), lists_.end(),
                         [&](const auto& list) { return list.first == stage; });
  }

  int OrdersTried() const {
    for (const auto& [stage, length] : lists_) {
      if (stage == "orders") return length;
    }
    return 0;
  }

  // The tie width of the default config, and the widest of the others.
  double NoiseOf(bool is_default) const {
    double widest = 0;
    for (const StandingRow& row : standings_) {
      if (row.is_default == is_default) widest = std::max(widest, row.noise);
    }
    return widest;
  }

  tiletune::Search::Options options_;
  // The lists that the search went by: their stages and lengths.
  std::vector<std::pair<std::string, int>> lists_;
  std::unique_ptr<Store> store_;
  WinnerRow winner_;
  std::vector<StandingRow> standings_;
};

TEST_F(SearchClockTest, From50UsThereIsADefaultBetweenTwoSamples) {
  const int64_t k = FirstK(50e-6);
  LevelBench shorter(10e3, false), longer(10e3, false);
  EXPECT_EQ(Search(OfK(k - 64), &shorter).of_default, 3);
  const Samples samples = Search(OfK(k), &longer);
  EXPECT_GT(samples.of_default, 3);
  EXPECT_EQ(samples.of_second, 3);
  const std::string fallback = DefaultOf(OfK(k));
  const std::string second = longer.screened[3];
  const std::vector<std::string> in_turn(longer.screened.begin() + 3,
                                         longer.screened.begin() + 8);
  EXPECT_EQ(in_turn, std::vector<std::string>(
                         {second, fallback, second, fallback, second}));
}

// Whatever the model thought of them.
TEST_F(SearchClockTest, SoThereIsFrom50UsMeasuredAtThePowerLimit) {
  const GemmProblem problem = OfK(FirstK(50e-6) - 64);
  LevelBench capped(50.1e3, true), cool(50.1e3, false), brief(49.9e3, true);
  EXPECT_GT(Search(problem, &capped).of_default, 3);
  EXPECT_EQ(Search(problem, &cool).of_default, 3);
  EXPECT_EQ(Search(problem, &brief).of_default, 3);
}

TEST_F(SearchClockTest, From100UsMeasuredTwoSamplesAreEnough) {
  const GemmProblem problem = OfK(FirstK(50e-6));
  LevelBench shorter(99.9e3, false), longer(100.1e3, false);
  EXPECT_EQ(Search(problem, &shorter).of_second, 3);
  EXPECT_EQ(Search(problem, &longer).of_second, 2);
}

TEST_F(SearchClockTest, From100UsPredictedFewerConfigsAreLookedAt) {
  const int64_t k = FirstK(100e-6);
  LevelBench shorter(10e3, false), longer(10e3, false);
  Search(OfK(k - 64), &shorter);
  EXPECT_EQ(ListsOf("screen"), 3) << "first, turned, independent";
  EXPECT_GT(OrdersTried(), 8 * 5) << "of up to 12 families, up to 5 each";
  Search(OfK(k), &longer);
  EXPECT_EQ(ListsOf("screen"), 2) << "nothing is turned";
  EXPECT_GT(OrdersTried(), 7 * 3);
  EXPECT_LE(OrdersTried(), 8 * 4);
}

// Two configs alone differ by another percent there than among many.
TEST_F(SearchClockTest, AtThePowerLimitTheDefaultTiesUpTo1AndAHalfPercent) {
  const GemmProblem problem = OfK(FirstK(50e-6));
  const std::string fallback = DefaultOf(problem);
  LevelBench cool(60e3, false), near(60e3, true), far(60e3, true);
  cool.SetSlow(fallback, 1.014);
  near.SetSlow(fallback, 1.014);
  far.SetSlow(fallback, 1.016);

  Search(problem, &cool);
  EXPECT_NE(winner_.config, fallback);
  EXPECT_LT(NoiseOf(/*is_default=*/true), 0.01);
  Search(problem, &near);
  EXPECT_EQ(winner_.config, fallback);
  EXPECT_EQ(NoiseOf(/*is_default=*/true), 0.015);
  EXPECT_LT(NoiseOf(/*is_default=*/false), 0.01) << "the others as ever";
  Search(problem, &far);
  EXPECT_NE(winner_.config, fallback);
}

// The driver tells of the limit now and then, and it was one GPU for all.
TEST_F(SearchClockTest, ThePowerLimitIsTheFinalsWhoeverMetIt) {
  const GemmProblem problem = OfK(FirstK(50e-6));
  const std::string fallback = DefaultOf(problem);
  LevelBench bench(60e3, true);
  bench.SetSlow(fallback, 1.014);
  bench.SetUncapped(fallback);
  Search(problem, &bench);
  EXPECT_EQ(winner_.config, fallback);
}

// A sample counts for a millisecond, or for two launches where those take more.
// As quiet as these are, 12 rounds would be enough for their noise.
TEST_F(SearchClockTest, TheFinalEndsWithTheRoundInWhichItHasTaken240Ms) {
  const GemmProblem problem = OfK(FirstK(50e-6) - 64);
  std::vector<size_t> rounds;
  for (const double ns : {10e3, 500e3, 550e3, 5e6}) {
    SCOPED_TRACE(ns);
    LevelBench bench(ns, false);
    Search(problem, &bench);
    rounds.push_back(bench.kept.size());
    double spent_ns = 0;
    for (const auto& [round, samples] : bench.kept) {
      if (round >= 6) {
        EXPECT_LT(spent_ns, 240e6) << "round " << round;
      }
      spent_ns += samples * std::max(2 * ns, 1e6);
    }
    EXPECT_GE(spent_ns, 240e6);
  }
  for (size_t count : rounds) EXPECT_LT(count, 12u);
  EXPECT_EQ(rounds.back(), 6u);
}

TEST_F(SearchClockTest, TheFinalsFieldIsCutAfter3And6And12Rounds) {
  const GemmProblem problem = OfK(FirstK(50e-6) - 64);
  LevelBench many(10e3, false), few(10e3, false);
  for (LevelBench* bench : {&many, &few}) bench->SetNoise(0.01);
  // The default config stays, whoever it is; one of a config and its twin may.
  Search(problem, &many);
  EXPECT_EQ(many.kept[2], 37);
  EXPECT_EQ(many.kept[3], many.kept[5]);
  EXPECT_NEAR(many.kept[3], 24, 1);
  EXPECT_NEAR(many.kept[6], 16, 1);
  options_.finalists = 9;
  Search(problem, &few);
  EXPECT_EQ(few.kept[11], 10);
  EXPECT_NEAR(few.kept[12], 8, 1);
}

// 0.15 % is what the mean of 12 samples of some 0.5 % is known to.
TEST_F(SearchClockTest, TheFinalEndsWhenItIsQuietOrAfter24Rounds) {
  const GemmProblem problem = OfK(FirstK(50e-6) - 64);
  options_.finalists = 9;  // few, so that it has not taken 240 ms before
  const auto rounds = [&](double noise) {
    LevelBench bench(10e3, false);
    bench.SetNoise(noise);
    Search(problem, &bench);
    return bench.kept.size();
  };
  EXPECT_EQ(rounds(0.002), 12u);
  EXPECT_GT(rounds(0.004), 12u);
  EXPECT_LT(rounds(0.004), 24u);
  EXPECT_EQ(rounds(0.02), 24u);
}

// Of short ones, where the operands lie is what two processes differ by.
TEST_F(SearchClockTest, ShortKernelsMeetMorePlacements) {
  const int64_t k = FirstK(50e-6);
  LevelBench shorter(10e3, false), longer(10e3, false);
  Search(OfK(k - 64), &shorter);
  EXPECT_EQ(shorter.placements, (std::set<int>{0, 1, 2, 3, 4, 5}));
  Search(OfK(k), &longer);
  EXPECT_EQ(longer.placements, (std::set<int>{0, 1, 2}));
}

}  // namespace
}  // namespace tiletune
