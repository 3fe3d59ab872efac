#include "autotune/measure/paired_rounds.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "autotune/measure/steady_now.h"

namespace tiletune {
namespace {

// How long a sample keeps the GPU that says `ns` of a launch: it is the mean of
// two launches at least, one a copy of the operands, and of many short ones.
double CostOfSample(double ns) { return std::max(2 * ns, 1e6); }

// A cut takes those that are so near to the fastest for equal to it.
constexpr double kCutTie = 0.006;

class Rounds {
 public:
  Rounds(Bench* bench, Stage stage, const RoundsRule& rule,
         std::vector<Contender>* contenders)
      : bench_(bench),
        stage_(stage),
        rule_(rule),
        contenders_(*contenders),
        left_(contenders->size(), false),
        order_(contenders->size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
  }

  // Rounds whose samples nobody keeps. Each of them goes to all placements, as
  // the operands of a new one take long to make: the GPU would rest again.
  void WarmUp() {
    double spent_ns = 0;
    for (int round = 0; spent_ns < rule_.warm_up_ns; ++round) {
      const double before = spent_ns;
      for (size_t i = 0; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        if (!c.trial.ok()) continue;
        const int placement = (static_cast<int>(i) + round) % rule_.placements;
        const Trial trial =
            bench_->Time({c.config, stage_, /*first=*/-1 - round, /*count=*/1,
                          c.instance, placement});
        c.trial.outcome = trial.outcome;
        c.trial.detail = trial.detail;
        for (double ns : trial.samples_ns) spent_ns += CostOfSample(ns);
      }
      if (spent_ns == before) return;  // nobody is left
    }
  }

  void Run() {
    if (done_ % 2 == 0) {
      Shuffle();
    } else {
      std::reverse(order_.begin(), order_.end());
    }
    for (size_t c : order_) {
      if (IsIn(c)) Sample(&contenders_[c]);
    }
    ++done_;
    SetLevels();
    if (done_ >= rule_.fewest_rounds) DropHopeless();
    for (const RoundsRule::Cut& cut : rule_.cuts) {
      if (cut.rounds == done_) KeepBest(cut.left);
    }
  }

  bool Finished(absl::Time deadline) const {
    if (std::none_of(contenders_.begin(), contenders_.end(),
                     [](const Contender& c) { return c.trial.ok(); })) {
      return true;
    }
    if (done_ < rule_.fewest_rounds) return false;
    if (spent_ns_ >= rule_.most_ns) return true;
    if (done_ < rule_.least_rounds) return false;
    return done_ >= rule_.most_rounds || SteadyNow() >= deadline ||
           worst_noise_.back() <= rule_.noise || IsOnPlateau();
  }

  int done() const { return done_; }

 private:
  // By a generator that is the same everywhere, as an order is what a search
  // repeats when it is resumed.
  void Shuffle() {
    for (size_t i = order_.size(); i > 1; --i) {
      std::swap(order_[i - 1], order_[generator_() % i]);
    }
  }

  bool IsIn(size_t c) const { return contenders_[c].trial.ok() && !left_[c]; }

  bool IsOnPlateau() const {
    if (done_ < 4 * rule_.least_rounds) return false;
    return worst_noise_.back() > rule_.plateau * worst_noise_[done_ / 2 - 1];
  }

  void Sample(Contender* c) {
    Trial& trial = c->trial;
    const int first = static_cast<int>(trial.samples_ns.size());
    const Trial more = bench_->Time({c->config, stage_, first, /*count=*/1,
                                     c->instance, done_ % rule_.placements});
    trial.outcome = more.outcome;
    trial.detail = more.detail;
    const bool was_capped = trial.conditions.power_capped;
    trial.conditions = more.conditions;
    trial.conditions.power_capped |= was_capped;
    for (double ns : more.samples_ns) {
      trial.samples_ns.push_back(ns);
      taken_.push_back({static_cast<int>(c - contenders_.data()), done_, ns});
      spent_ns_ += CostOfSample(ns);
    }
  }

  void SetLevels() {
    // What failed is not compared with.
    std::vector<PairedSample> samples;
    std::copy_if(taken_.begin(), taken_.end(), std::back_inserter(samples),
                 [this](const PairedSample& s) {
                   return contenders_[s.contender].trial.ok();
                 });
    const std::vector<Level> levels = PairedLevels(
        samples, static_cast<int>(contenders_.size()), rule_.placements);
    double worst = 0;
    for (size_t c = 0; c < contenders_.size(); ++c) {
      contenders_[c].level = levels[c];
      if (IsIn(c)) worst = std::max(worst, levels[c].noise);
    }
    worst_noise_.push_back(worst);
  }

  void Leave(size_t c) { left_[c] = !contenders_[c].stays; }

  // Whether it is so near to the fastest that they may tie in the end.
  static bool MayTie(const Level& level, const Level& fastest) {
    const double margin =
        std::clamp(2 * DifferenceNoise(level, fastest), kCutTie, kMostTieWidth);
    return level.ns <= fastest.ns * (1 + margin);
  }

  void KeepBest(int most) {
    std::vector<const Contender*> ranked;
    for (size_t c = 0; c < contenders_.size(); ++c) {
      if (IsIn(c)) ranked.push_back(&contenders_[c]);
    }
    if (static_cast<int>(ranked.size()) <= most) return;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Contender* x, const Contender* y) {
                       return x->level.ns < y->level.ns;
                     });
    const Level& fastest = ranked[0]->level;
    std::stable_sort(ranked.begin() + most / 2, ranked.end(),
                     [&](const Contender* x, const Contender* y) {
                       const bool x_ties = MayTie(x->level, fastest);
                       const bool y_ties = MayTie(y->level, fastest);
                       if (x_ties != y_ties) return x_ties;
                       return x_ties && x->preference < y->preference;
                     });
    for (size_t i = most; i < ranked.size(); ++i) {
      Leave(ranked[i] - contenders_.data());
    }
  }

  void DropHopeless() {
    if (rule_.hopeless <= 0) return;
    const Contender* best = nullptr;
    for (size_t c = 0; c < contenders_.size(); ++c) {
      if (!IsIn(c)) continue;
      if (best == nullptr || contenders_[c].level.ns < best->level.ns) {
        best = &contenders_[c];
      }
    }
    if (best == nullptr) return;
    for (size_t c = 0; c < contenders_.size(); ++c) {
      const Level& level = contenders_[c].level;
      const double margin =
          std::max(rule_.hopeless, 4 * DifferenceNoise(level, best->level));
      if (level.ns > best->level.ns * (1 + margin)) Leave(c);
    }
  }

  Bench* const bench_;
  const Stage stage_;
  const RoundsRule rule_;
  std::vector<Contender>& contenders_;
  std::vector<bool> left_;  // by contender
  std::vector<size_t> order_;
  std::mt19937 generator_;
  int done_ = 0;
  std::vector<PairedSample> taken_;  // in the order of time
  std::vector<double> worst_noise_;  // of those still in, after each round
  double spent_ns_ = 0;
};

}  // namespace

std::vector<double> TieWidths(const std::vector<Contender>& contenders,
                              double self) {
  Level best;
  for (const Contender& c : contenders) {
    if (!c.trial.ok() || c.level.ns <= 0) continue;
    if (best.ns == 0 || c.level.ns < best.ns) best = c.level;
  }
  std::vector<double> widths;
  for (const Contender& c : contenders) {
    const double noise = 2 * DifferenceNoise(c.level, best);
    widths.push_back(
        std::clamp(std::max(self, noise), kLeastTieWidth, kMostTieWidth));
  }
  return widths;
}

void RunRounds(Bench* bench, Stage stage, const RoundsRule& rule,
               absl::Time deadline, std::vector<Contender>* contenders,
               const RoundsProgress& progress) {
  Rounds rounds(bench, stage, rule, contenders);
  rounds.WarmUp();
  while (!rounds.Finished(deadline)) {
    rounds.Run();
    if (progress) progress(rounds.done(), rule.most_rounds);
  }
}

}  // namespace tiletune
