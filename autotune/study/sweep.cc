#include "autotune/study/sweep.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "autotune/measure/noise.h"

namespace tiletune {
namespace {

class Sweeper {
 public:
  Sweeper(Bench* bench, const std::vector<GemmConfig>& configs,
          const SweepOptions& options)
      : bench_(bench), options_(options), samples_(configs.size()) {
    for (const GemmConfig& config : configs) swept_.push_back({config, {}, 0});
  }

  std::vector<Swept> Run() {
    for (int pass = 0; pass < options_.passes; ++pass) Pass(pass);
    for (size_t i = 0; i < swept_.size(); ++i) {
      if (swept_[i].trial.ok()) swept_[i].level_ns = Median(samples_[i]);
    }
    return std::move(swept_);
  }

 private:
  void Pass(int pass) {
    std::vector<size_t> order(swept_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    // Not std::shuffle, whose result is the library's choice.
    std::mt19937 engine(pass + 1);
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[engine() % i]);
    }
    double best = 0;
    for (const std::vector<double>& s : samples_) {
      if (!s.empty() && (best == 0 || Median(s) < best)) best = Median(s);
    }
    double before = Reference();
    std::vector<size_t> batch;
    for (size_t i : order) {
      const bool hopeless = pass > 0 && best > 0 && !samples_[i].empty() &&
                            Median(samples_[i]) > options_.hopeless * best;
      if (hopeless || !Sample(i, pass == 0)) continue;
      batch.push_back(i);
      if (static_cast<int>(batch.size()) < options_.reference_every) continue;
      before = Correct(&batch, before);
    }
    Correct(&batch, before);
  }

  // Appends a sample to the trial; false if there is none.
  bool Sample(size_t i, bool check) {
    Trial& trial = swept_[i].trial;
    if (check) trial = bench_->Check(swept_[i].config, /*repeats=*/1);
    if (!trial.ok()) return false;
    const int first = static_cast<int>(trial.samples_ns.size());
    const Trial more =
        bench_->Time({swept_[i].config, Stage::kScreen, first, /*count=*/1});
    trial.outcome = more.outcome;
    trial.detail = more.detail;
    trial.conditions = more.conditions;
    if (!more.ok()) return false;
    trial.samples_ns.push_back(more.samples_ns[0]);
    return true;
  }

  // A sample of the reference, as an instance of its own; 0 if it fails.
  double Reference() {
    if (!reference_ok_ || swept_.empty()) return 0;
    const Trial trial =
        bench_->Time({swept_[0].config, Stage::kScreen, reference_samples_++,
                      /*count=*/1, /*instance=*/1});
    reference_ok_ = trial.ok();
    if (!trial.ok()) return 0;
    if (first_reference_ns_ == 0) first_reference_ns_ = trial.samples_ns[0];
    return trial.samples_ns[0];
  }

  // Takes over the last samples of the batch, and empties it. Returns the
  // reference that ends it.
  double Correct(std::vector<size_t>* batch, double before) {
    const double after = Reference();
    const double now = (before + after) / 2;
    const double factor =
        before > 0 && after > 0 ? first_reference_ns_ / now : 1;
    for (size_t i : *batch) {
      samples_[i].push_back(swept_[i].trial.samples_ns.back() * factor);
    }
    batch->clear();
    return after;
  }

  Bench* const bench_;
  const SweepOptions options_;
  std::vector<Swept> swept_;
  std::vector<std::vector<double>> samples_;  // corrected
  bool reference_ok_ = true;
  int reference_samples_ = 0;
  double first_reference_ns_ = 0;
};

}  // namespace

std::vector<Swept> Sweep(Bench* bench, const std::vector<GemmConfig>& configs,
                         const SweepOptions& options) {
  return Sweeper(bench, configs, options).Run();
}

}  // namespace tiletune
