#include "autotune/search/search.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/measure/fake_bench.h"
#include "autotune/measure/fake_noise.h"
#include "autotune/store/memory_folder.h"
#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem(int64_t m) {
  GemmProblem p;
  p.m = m;
  p.n = 4096;
  p.k = 4096;
  return Normalized(p);
}

class SearchTest : public ::testing::Test {
 protected:
  // Proven or not: no kernel runs here. Some, as each costs two commits.
  SearchTest() {
    options_.candidates.include_unproven = true;
    options_.candidates.kernels = "sm90_16b_*x*x64_c1x1_*";
    options_.candidates.offsets = {1, 4, 16};
  }

  void Open(const std::string& file) {
    store_ = Store::Open(folder_.File(file), Store::Mode::kReadWrite).value();
    journal_ = std::make_unique<Journal>(store_.get(), FakeDevice(), "run1",
                                         /*reuse=*/true);
  }

  absl::StatusOr<SearchReport> Run(Bench* bench, const GemmProblem& problem) {
    return Search(bench, journal_.get(), options_).Run(problem, {});
  }

  std::string WinnerOf(const GemmProblem& problem) {
    Filter filter;
    filter.problem = ProblemKey(problem);
    const auto winners = store_->Winners(filter);
    return winners.ok() && winners->size() == 1 ? winners->front().config : "";
  }

  std::vector<GemmConfig> Legal(const GemmProblem& problem) {
    return LegalConfigs(problem, FakeDevice(), options_.candidates);
  }

  // How much slower the winner is, in truth, than the best candidate.
  double Regret(const FakeBench& bench, const GemmProblem& problem) {
    double best = std::numeric_limits<double>::infinity();
    for (const GemmConfig& config : Legal(problem)) {
      best = std::min(best, bench.TrueTime(problem, {}, config));
    }
    const GemmConfig winner = ParseConfig(WinnerOf(problem)).value();
    return bench.TrueTime(problem, {}, winner) / best - 1;
  }

  MemoryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Journal> journal_;
  Search::Options options_;
};

TEST_F(SearchTest, AnExhaustiveSearchFindsTheBestUpToATie) {
  options_.exhaustive = true;
  for (uint64_t seed : {1, 2}) {
    Open(absl::StrCat(seed, ".db"));
    FakeBench bench(seed, {});
    const auto report = Run(&bench, Problem(4096));
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->rejected, 0);
    EXPECT_LE(Regret(bench, Problem(4096)), 0.012) << "seed " << seed;
  }
}

TEST_F(SearchTest, APrunedSearchTakesFewerSamples) {
  Open("all.db");
  options_.exhaustive = true;
  FakeBench exhaustive(1, {});
  ASSERT_TRUE(Run(&exhaustive, Problem(4096)).ok());
  Open("pruned.db");
  options_.exhaustive = false;
  FakeBench pruned(1, {});
  ASSERT_TRUE(Run(&pruned, Problem(4096)).ok());
  EXPECT_LT(pruned.samples(), exhaustive.samples());
}

TEST_F(SearchTest, ASecondSearchMeasuresNothing) {
  Open("x.db");
  FakeBench bench(1, {});
  ASSERT_TRUE(Run(&bench, Problem(4096)).ok());
  const int64_t samples = bench.samples();
  const auto again = Run(&bench, Problem(4096));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->measured, 0);
  EXPECT_GT(again->reused, 0);
  EXPECT_EQ(bench.samples(), samples);
}

TEST_F(SearchTest, TwoSearchesAgree) {
  FakeBench bench(1, {});
  Open("one.db");
  ASSERT_TRUE(Run(&bench, Problem(64)).ok());
  const std::string first = WinnerOf(Problem(64));
  Open("two.db");
  ASSERT_TRUE(Run(&bench, Problem(64)).ok());
  EXPECT_EQ(WinnerOf(Problem(64)), first);
}

TEST_F(SearchTest, TheDefaultConfigAlwaysTakesPart) {
  Open("x.db");
  const std::string fallback = ConfigKey(Legal(Problem(4096))[0]);
  FakeBench bench(1, {{FakeFault::Kind::kSlow, fallback}});
  ASSERT_TRUE(Run(&bench, Problem(4096)).ok());
  const auto standings = store_->Standings({});
  ASSERT_TRUE(standings.ok());
  EXPECT_TRUE(std::any_of(standings->begin(), standings->end(),
                          [&](const StandingRow& row) {
                            return row.is_default && row.config == fallback;
                          }));
}

TEST_F(SearchTest, TheDefaultIsTimedAsOftenAsTheWinner) {
  Open("x.db");
  const std::string fallback = ConfigKey(Legal(Problem(64))[0]);
  FakeBench bench(1, {{FakeFault::Kind::kSlow, fallback}});
  ASSERT_TRUE(Run(&bench, Problem(64)).ok());
  size_t of_default = 0, of_winner = 0;
  const auto rows = store_->Measurements({});
  ASSERT_TRUE(rows.ok());
  for (const Measurement& row : *rows) {
    if (row.stage != Stage::kFinal) continue;
    if (row.config.key == fallback) of_default = row.samples_ns.size();
    if (row.config.key == WinnerOf(Problem(64))) {
      of_winner = row.samples_ns.size();
    }
  }
  EXPECT_GE(of_default, 12u);
  EXPECT_EQ(of_default, of_winner);
}

TEST_F(SearchTest, AWrongKernelNeverWins) {
  Open("x.db");
  FakeBench honest(1, {});
  ASSERT_TRUE(Run(&honest, Problem(4096)).ok());
  const std::string best = WinnerOf(Problem(4096));
  Open("wrong.db");
  FakeBench bench(1, {{FakeFault::Kind::kWrong, best}});
  const auto report = Run(&bench, Problem(4096));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->rejected, 1);
  EXPECT_NE(WinnerOf(Problem(4096)), best);
  EXPECT_NE(WinnerOf(Problem(4096)), "");
  const auto barred = store_->Quarantined({});
  ASSERT_TRUE(barred.ok());
  EXPECT_TRUE(std::any_of(
      barred->begin(), barred->end(),
      [&](const QuarantineRow& row) { return row.config == best; }));
}

// A queue that is wrong once in 40 launches passes a single check; the soak
// before the final finds it.
TEST_F(SearchTest, ADynamicSupplyThatIsRarelyWrongNeverWins) {
  Open("x.db");
  options_.candidates.kernels = "sm90_16b_*x*x64_c1x1_*queue";
  options_.final_margin = 2;  // however slow it is
  FakeBench bench(1, {{FakeFault::Kind::kRare, "*queue*"}});
  const auto report = Run(&bench, Problem(4096));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(report->rejected, 1) << "a queue came as far as the final";
  const auto standings = store_->Standings({});
  ASSERT_TRUE(standings.ok());
  for (const StandingRow& row : *standings) {
    EXPECT_EQ(row.config.find("queue"), std::string::npos) << row.config;
  }
}

// A GPU at its power limit that is slower with every sample.
class CoolingBench : public FakeBench {
 public:
  using FakeBench::FakeBench;
  Trial Time(const TimeRequest& request) override {
    Trial trial = FakeBench::Time(request);
    trial.conditions.power_capped = true;
    for (double& ns : trial.samples_ns) ns *= 1 + 0.002 * calls;
    ++calls;
    return trial;
  }
  int calls = 0;
};

TEST_F(SearchTest, ADriftingClockDoesNotFavourWhoeverCameFirst) {
  Open("x.db");
  CoolingBench bench(1, {});
  ASSERT_TRUE(Run(&bench, Problem(4096)).ok());
  EXPECT_GT(bench.calls, 50) << "more than 10 % of drift";
  EXPECT_LE(Regret(bench, Problem(4096)), 0.03);
  const auto rows = store_->Measurements({});
  ASSERT_TRUE(rows.ok());
  for (const Measurement& m : *rows) {
    if (m.stage != Stage::kScreen || m.sample_count < 2) continue;
    const GemmConfig config = ParseConfig(m.config.key).value();
    EXPECT_NEAR(m.median_ns / bench.TrueTime(Problem(4096), {}, config), 1,
                0.025)
        << m.config.key;
  }
}

// Every config takes the same time, but for noise.
class FlatBench : public FakeBench {
 public:
  explicit FlatBench(uint64_t seed) : FakeBench(seed, {}), engine_(seed) {}
  Trial Time(const TimeRequest& request) override {
    std::normal_distribution<double> noise(1e6, 1e3);
    Trial trial;
    for (int i = 0; i < request.count; ++i) {
      trial.samples_ns.push_back(noise(engine_));
    }
    return trial;
  }

 private:
  std::mt19937 engine_;
};

TEST_F(SearchTest, HoldsItsFinalAmongTheSameConfigsWhereManyTie) {
  options_.candidates.kernels = "sm90_16b_128x128x64_c1x1_s6_pp_static";
  options_.candidates.offsets = {1, 2, 4, 8, 16};
  options_.candidates.splits = {1, 2};
  options_.finalists = 9;
  std::set<std::string> finalists[2];
  for (int run : {0, 1}) {
    Open(absl::StrCat(run, ".db"));
    FlatBench bench(run);
    ASSERT_TRUE(Run(&bench, Problem(4096)).ok());
    const auto standings = store_->Standings({});
    for (const StandingRow& row : *standings) {
      finalists[run].insert(row.config);
    }
  }
  EXPECT_EQ(finalists[0].size(), 9u) << "more candidates than finalists";
  EXPECT_EQ(finalists[0], finalists[1]);
}

// The same GPU in another process: every config takes a tenth of a percent
// more or less there, however often it is sampled.
class OtherProcessBench : public FlatBench {
 public:
  explicit OtherProcessBench(uint64_t process)
      : FlatBench(process), process_(process) {}
  Trial Time(const TimeRequest& request) override {
    Trial trial = FlatBench::Time(request);
    const double factor =
        1 + 0.0008 * NormalOf(process_, ConfigKey(request.config));
    for (double& ns : trial.samples_ns) ns *= factor;
    return trial;
  }

 private:
  const uint64_t process_;
};

// One config looks faster in the screen than it is.
class LuckyBench : public FakeBench {
 public:
  LuckyBench(std::string lucky, double factor)
      : FakeBench(1, {}), lucky_(std::move(lucky)), factor_(factor) {}
  Trial Time(const TimeRequest& request) override {
    Trial trial = FakeBench::Time(request);
    if (request.stage == Stage::kScreen &&
        ConfigKey(request.config) == lucky_) {
      for (double& ns : trial.samples_ns) ns *= factor_;
    }
    return trial;
  }

 private:
  const std::string lucky_;
  const double factor_;
};

TEST_F(SearchTest, OneThatIsLuckyInTheScreenShutsNobodyOut) {
  // It fills the SMs: launch clusters would be tried of those alone that are
  // near to the fastest in the screen.
  const GemmProblem problem = Problem(2048);
  Open("x.db");
  FakeBench plain(1, {});
  const auto without = Run(&plain, problem);
  ASSERT_TRUE(without.ok());
  const std::string winner = WinnerOf(problem);
  Open("y.db");
  LuckyBench bench(winner, 0.96);
  const auto with = Run(&bench, problem);
  ASSERT_TRUE(with.ok());
  EXPECT_GT(without->finalists, 8);
  EXPECT_GE(with->finalists, without->finalists - 2);
}

TEST_F(SearchTest, WhatAnotherProcessChangesIsATie) {
  options_.candidates.kernels = "sm90_16b_128x128x64_c1x1_s6_pp_static";
  options_.candidates.offsets = {1, 2, 4, 8};
  std::string winners[2];
  for (uint64_t shape = 3000; shape < 3600; shape += 100) {
    for (int run : {0, 1}) {
      Open(absl::StrCat(shape, "in", run, ".db"));
      OtherProcessBench bench(shape + run);
      ASSERT_TRUE(Run(&bench, Problem(shape)).ok());
      winners[run] = WinnerOf(Problem(shape));
    }
    EXPECT_EQ(winners[0], winners[1]);
  }
}

// Faster than others while the GPU is fresh, slower at the clock that its power
// limit sustains: it loses its lead after some load.
class SprinterBench : public FakeBench {
 public:
  explicit SprinterBench(int lead) : FakeBench(1, {}), lead_(lead) {}
  Trial Time(const TimeRequest& request) override {
    Trial trial;
    for (int i = 0; i < request.count; ++i) {
      const bool fresh = ++samples_ <= lead_;  // of a millisecond each
      trial.samples_ns.push_back(request.instance == 1 ? 1000
                                 : fresh               ? 950
                                                       : 1050);
    }
    return trial;
  }

 private:
  const int lead_;
  int samples_ = 0;
};

void ExpectSteadyClock(const RoundsRule& rule, int lead) {
  SprinterBench bench(lead);
  GemmConfig config;
  config.variant = FindVariant("reference_naive");
  std::vector<Contender> pair = {{config, 0, Trial()}, {config, 1, Trial()}};
  RunRounds(&bench, Stage::kFinal, rule, absl::InfiniteFuture(), &pair);
  EXPECT_NEAR(pair[0].level.ns / pair[1].level.ns, 1.05, 1e-6);
}

TEST(FinalRule, ComparesAtTheClockThatLoadLeaves) {
  ExpectSteadyClock(Search::FinalRule(), /*lead=*/50);
}

TEST(PairRule, WaitsLongerAsTheGpuHasRested) {
  ExpectSteadyClock(Search::PairRule(), /*lead=*/250);
}

TEST_F(SearchTest, ATieIsAsWideAsPlacementsMakeIt) {
  double widest[2] = {0, 0};
  for (int run : {0, 1}) {
    Open(absl::StrCat(run, ".db"));
    FakeBench bench(1, {});
    bench.set_noise(0.0005);
    bench.set_placement_noise(run * 0.01);
    ASSERT_TRUE(Run(&bench, Problem(512)).ok());
    const auto standings = store_->Standings({});
    for (const StandingRow& row : *standings) {
      widest[run] = std::max(widest[run], row.noise);
    }
  }
  EXPECT_LT(widest[0], 0.0095);
  EXPECT_GT(widest[1], 0.0105);
}

TEST_F(SearchTest, MeasuresHowWideATieIs) {
  Open("x.db");
  FakeBench bench(1, {});
  bench.set_noise(0.02);
  const auto report = Run(&bench, Problem(512));
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->self_difference, 0);
  const auto standings = store_->Standings({});
  for (const StandingRow& row : *standings) {
    EXPECT_GT(row.noise, kLeastTieWidth);
    EXPECT_GE(row.noise, report->self_difference);
  }
}

TEST_F(SearchTest, GoesOnWithoutADefaultThatFails) {
  Open("x.db");
  const std::string fallback = ConfigKey(Legal(Problem(4096))[0]);
  FakeBench bench(1, {{FakeFault::Kind::kOom, fallback}});
  ASSERT_TRUE(Run(&bench, Problem(4096)).ok());
  EXPECT_NE(WinnerOf(Problem(4096)), "");
  EXPECT_NE(WinnerOf(Problem(4096)), fallback);
}

TEST_F(SearchTest, SaysSoWhenNothingRunsRight) {
  Open("x.db");
  FakeBench bench(1, {{FakeFault::Kind::kWrong, "*"}});
  EXPECT_EQ(Run(&bench, Problem(4096)).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(SearchTest, OutOfTimeItStillHasAnAnswer) {
  Open("x.db");
  options_.budget = absl::ZeroDuration();
  FakeBench bench(1, {});
  const auto report = Run(&bench, Problem(4096));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->out_of_time);
  EXPECT_NE(WinnerOf(Problem(4096)), "");
}

TEST_F(SearchTest, AnExhaustiveSearchReportsWhatPruningWouldHaveLost) {
  Open("x.db");
  options_.exhaustive = true;
  FakeBench bench(1, {});
  const auto report = Run(&bench, Problem(4096));
  ASSERT_TRUE(report.ok());
  ASSERT_TRUE(report->pruning_loss.has_value());
  EXPECT_GE(*report->pruning_loss, 0);
}

}  // namespace
}  // namespace tiletune
