#include "autotune/study/regret_study.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "autotune/measure/fake_bench.h"
#include "autotune/store/memory_folder.h"
#include "gtest/gtest.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

GemmProblem Problem(int64_t m) {
  GemmProblem p;
  p.m = m;
  p.n = p.k = 4096;
  return Normalized(p);
}

class RegretStudyTest : public ::testing::Test {
 protected:
  RegretStudyTest() : tuned_(Open("tuned.db")), swept_(Open("swept.db")) {
    options_.search.candidates.kernels = "sm90_16b_*x*x64_c1x1_*";
    options_.search.candidates.include_unproven = true;
    options_.offsets = {1, 8};
  }

  std::unique_ptr<Store> Open(const char* file) {
    return Store::Open(folder_.File(file), Store::Mode::kReadWrite).value();
  }

  absl::StatusOr<Regret> Run(FakeBench* bench, const GemmProblem& problem) {
    return RegretStudy(bench, FakeDevice(), options_)
        .Run(problem, {}, tuned_.get(), swept_.get());
  }

  MemoryFolder folder_;
  std::unique_ptr<Store> tuned_, swept_;
  RegretStudy::Options options_;
};

TEST_F(RegretStudyTest, TheSweepFindsTheBestOfItsSubspace) {
  FakeBench bench(3, {});
  const auto r = Run(&bench, Problem(1024));
  ASSERT_TRUE(r.ok()) << r.status();
  CandidateOptions subspace = options_.search.candidates;
  subspace.offsets = options_.offsets;
  double best = std::numeric_limits<double>::infinity();
  for (const GemmConfig& c :
       LegalConfigs(Problem(1024), FakeDevice(), subspace))
    best = std::min(best, bench.TrueTime(Problem(1024), {}, c));
  EXPECT_LT(bench.TrueTime(Problem(1024), {}, r->best) / best, 1.005);
}

TEST_F(RegretStudyTest, RegretIsWhatThePicksTakeAfresh) {
  FakeBench bench(4, {});
  const auto r = Run(&bench, Problem(1024));
  ASSERT_TRUE(r.ok()) << r.status();
  const auto truth = [&](const GemmConfig& c) {
    return bench.TrueTime(Problem(1024), {}, c);
  };
  EXPECT_NEAR(r->regret, truth(r->pick) / truth(r->best) - 1, 0.005);
  EXPECT_NEAR(r->against_default, truth(r->pick) / truth(r->fallback) - 1,
              0.005);
  EXPECT_LT(r->search_candidates, r->sweep_candidates);
  EXPECT_GT(r->sweep_seconds, 0);
}

TEST_F(RegretStudyTest, EightChoicesOfTheModelAreNoWorseThanOne) {
  FakeBench bench(5, {});
  const auto r = Run(&bench, Problem(64));
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_LE(r->model_families8_loss, r->model_first_loss);
  CandidateOptions subspace = options_.search.candidates;
  subspace.offsets = options_.offsets;
  std::vector<std::pair<double, double>> ranked;  // predicted, true
  double best = std::numeric_limits<double>::infinity();
  for (const GemmConfig& c :
       LegalConfigs(Problem(64), FakeDevice(), subspace)) {
    const double truth = bench.TrueTime(Problem(64), {}, c);
    best = std::min(best, truth);
    ranked.emplace_back(Predict(Problem(64), c, FakeDevice()).seconds, truth);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](auto& x, auto& y) { return x.first < y.first; });
  double of_top = ranked[0].second;
  for (int i = 1; i < 8; ++i) of_top = std::min(of_top, ranked[i].second);
  EXPECT_NEAR(r->model_first_loss, ranked[0].second / best - 1, 0.01);
  EXPECT_NEAR(r->model_top8_loss, of_top / best - 1, 0.01);
}

TEST_F(RegretStudyTest, TheSweepIsStoredWhole) {
  FakeBench bench(6, {{FakeFault::Kind::kWrong, "*128x256x64*"}});
  const auto r = Run(&bench, Problem(512));
  ASSERT_TRUE(r.ok()) << r.status();
  const auto rows = swept_->Measurements({});
  ASSERT_TRUE(rows.ok());
  int screened = 0, wrong = 0;
  for (const Measurement& m : *rows) {
    if (m.stage != Stage::kScreen) continue;
    ++screened;
    wrong += m.outcome == Outcome::kWrong;
  }
  EXPECT_EQ(screened, r->sweep_candidates);
  EXPECT_GT(wrong, 0);
  EXPECT_EQ(r->best.variant->tile_n == 256 && r->best.variant->tile_m == 128,
            false);
}

}  // namespace
}  // namespace tiletune
