// Do two tunes of one GPU choose equally good configs? Asked of a fake GPU that
// is as rough as an H200 (rough_bench.h), as often as a real one cannot be.
#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/search/journal.h"
#include "autotune/search/search.h"
#include "autotune/store/memory_folder.h"
#include "autotune/study/agreement.h"
#include "autotune/study/rough_bench.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::vector<GemmProblem> Problems() {
  std::vector<GemmProblem> problems;
  // Short ones, and long ones at the power limit.
  for (auto [m, n, k] : {std::make_tuple(64, 512, 512),
                         {16, 2048, 1024},
                         {2048, 2048, 2048},
                         {4096, 4096, 1024}}) {
    GemmProblem p;
    p.m = m;
    p.n = n;
    p.k = k;
    problems.push_back(Normalized(p));
  }
  return problems;
}

class TwoTunesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Tune(const GemmProblem& problem, RoughBench* bench) {
    auto store = Store::Open(folder_.File(absl::StrCat(++stores_, ".db")),
                             Store::Mode::kReadWrite)
                     .value();
    Journal journal(store.get(), FakeDevice(), "run", /*reuse=*/false);
    Search::Options options;
    options.candidates.include_unproven = true;
    options.candidates.kernels = "sm90_16b_*";
    const auto report = Search(bench, &journal, options).Run(problem, {});
    EXPECT_TRUE(report.ok()) << report.status();
    return store;
  }

  MemoryFolder folder_;
  int stores_ = 0;
};

// Of 720 pairs 666 agree, 92.5 %, and of 120 that share is uncertain by 2 %.
// Here each launch of a config has a luck of its own, more than on a GPU (97
// %): with two launch clusters fewer it was 94.4 %. Of those that differ most
// were in one final alone.
TEST_F(TwoTunesTest, AgreeOnMostShapes) {
  int pairs = 0, agreed = 0;
  std::string differing;
  for (const GemmProblem& problem : Problems()) {
    for (int silicon = 0; silicon < 30; ++silicon) {
      std::unique_ptr<Store> stores[2];
      for (int run : {0, 1}) {
        RoughBench bench(silicon, 100 + 2 * silicon + run);
        stores[run] = Tune(problem, &bench);
      }
      const auto agreement = Compare(*stores[0], *stores[1]);
      ASSERT_TRUE(agreement.ok()) << agreement.status();
      ++pairs;
      agreed += agreement->same + agreement->tied;
      for (const ShapeAgreement& s : agreement->shapes) {
        if (s.kind != AgreementKind::kDiffer) continue;
        absl::StrAppend(&differing, s.problem, ": ", s.one, " or ", s.other,
                        "\n");
      }
    }
  }
  EXPECT_GE(agreed, 0.91 * pairs) << differing;
  RecordProperty("agreed", agreed);
  RecordProperty("pairs", pairs);
}

// A tie is at most 1.5 % wide; some configs here mind their operands' places by
// as much.
TEST_F(TwoTunesTest, ARealDifferenceOfTwoAndAHalfPercentIsNoTie) {
  for (const GemmProblem& problem : Problems()) {
    for (int silicon = 0; silicon < 6; ++silicon) {
      RoughBench bench(silicon, 100 + silicon);
      const auto store = Tune(problem, &bench);
      const auto standings = store->Standings({});
      ASSERT_TRUE(standings.ok()) << standings.status();
      double best = 0;
      for (const StandingRow& row : *standings) {
        const double ns = bench.TimeHere(ParseConfig(row.config).value(), 6);
        if (best == 0 || ns < best) best = ns;
      }
      for (const StandingRow& row : *standings) {
        if (!row.tied) continue;
        const double ns = bench.TimeHere(ParseConfig(row.config).value(), 6);
        EXPECT_LE(ns / best, 1.025) << row.problem << ": " << row.config;
      }
    }
  }
}

}  // namespace
}  // namespace tiletune
