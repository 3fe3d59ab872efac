#include "autotune/paired_rounds.h"

#include <cstddef>

#include "absl/time/clock.h"

namespace tiletune {
namespace {

constexpr int kRoundSamples = 5;
// Long kernels are quiet, and dear.
constexpr double kLongNs = 20e6;
constexpr int kLongRoundSamples = 2;

void Sample(Bench* bench, Stage stage, Contender* c) {
  const int first = static_cast<int>(c->trial.samples_ns.size());
  const bool is_long = first > 0 && c->trial.samples_ns.front() > kLongNs;
  const Trial more =
      bench->Time({c->config, stage, first,
                   is_long ? kLongRoundSamples : kRoundSamples, c->instance});
  c->trial.outcome = more.outcome;
  c->trial.detail = more.detail;
  c->trial.conditions = more.conditions;
  c->trial.samples_ns.insert(c->trial.samples_ns.end(), more.samples_ns.begin(),
                             more.samples_ns.end());
}

}  // namespace

void RunRounds(Bench* bench, Stage stage, const StopRule& rule,
               absl::Time deadline, std::vector<Contender>* contenders,
               const RoundsProgress& progress) {
  const size_t count = contenders->size();
  const auto done = [&](const Contender& c) {
    StopRule now = rule;
    if (absl::Now() >= deadline) now.most_samples = now.least_samples;
    return !c.trial.ok() || Settled(c.trial.samples_ns, now);
  };
  for (size_t round = 0, settled = 0; settled < count; ++round) {
    settled = 0;
    for (size_t i = 0; i < count; ++i) {
      Contender& c = (*contenders)[(round + i) % count];
      if (!done(c)) Sample(bench, stage, &c);
      if (done(c)) ++settled;
    }
    if (progress) {
      progress(static_cast<int>(settled), static_cast<int>(count));
    }
  }
}

}  // namespace tiletune
