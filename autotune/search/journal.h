// The store as one search sees it: what is known of a problem under a policy,
// and a place to write down each new trial at once.
//
//   Journal journal(store, device, run_uid, /*reuse=*/true);
//   journal.Open(problem, policy, default_config);
//   if (journal.Find(config, Stage::kScreen) == nullptr) {
//     std::string uid = *journal.Started(config);      // before it runs
//     journal.Record(uid, config, Stage::kScreen, RunIt(config), {});
//   }
#ifndef TILETUNE_AUTOTUNE_SEARCH_JOURNAL_H_
#define TILETUNE_AUTOTUNE_SEARCH_JOURNAL_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/measure/bench.h"
#include "autotune/store/store.h"

namespace tiletune {

class Journal {
 public:
  // `reuse`: earlier runs' measurements count as known. `store` must outlive
  // this object; `device` must not be modelled.
  Journal(Store* store, DeviceFacts device, std::string run_uid, bool reuse);

  // Reads what is known of `problem`, and marks stale what cannot be true of it
  // (Store::Impossible), so that it does not win. Errors are the store's.
  absl::Status Open(const GemmProblem& problem, const MeasurementPolicy& policy,
                    const GemmConfig& default_config);

  // The newest good measurement of this build of `config`, or nullptr. Marked
  // rows (stale, suspect) do not count. Valid until the next call of Open,
  // Record or Started.
  const Measurement* Find(const GemmConfig& config, Stage stage) const;

  // Why this build of `config` is barred here; nullptr if it is not.
  const std::string* Quarantined(const GemmConfig& config) const;

  // Notes that `config` is about to run. Returns the uid for Record.
  absl::StatusOr<std::string> Started(const GemmConfig& config);

  struct Facts {
    int64_t soak_repeats = 0;
    // The tie width; 0: from the samples, see TieWidth.
    double noise = 0;
    // What to rank by; 0: the median of the samples. Of samples that were taken
    // in turn it is their level (paired_levels.h).
    double median_ns = 0;
  };
  struct Entry {
    std::string uid;
    GemmConfig config;
    Stage stage;
    Trial trial;
    Facts facts;
  };
  // Stores what came of a candidate, and ends what a killed tuner had begun
  // with it. One that was wrong, crashed or hung is barred from running again:
  // under this policy if it hung while SMs were held, else under every one.
  absl::Status Record(const std::string& uid, const GemmConfig& config,
                      Stage stage, const Trial& trial, const Facts& facts);
  // The same for several, in one transaction: all of them or none.
  absl::Status RecordAll(const std::vector<Entry>& entries);

  const DeviceFacts& device() const { return device_; }

 private:
  absl::Status MarkImpossible(const Filter& filter);
  Measurement MeasurementOf(const Entry& entry) const;

  Store* const store_;
  const DeviceFacts device_;
  const std::string run_uid_;
  const bool reuse_;
  GemmProblem problem_;
  MeasurementPolicy policy_;
  std::string default_key_;
  std::map<std::pair<std::string, Stage>, Measurement> known_;
  std::map<std::string, std::string> barred_;  // config key -> reason
  // What killed tuners left unfinished: config key -> uid of the attempt.
  std::multimap<std::string, std::string> unfinished_;
};

// Times of one config that differ by less than this fraction are a tie. Of
// samples that were not taken in turn: twice the relative noise and at least
// 1 %, as what drifted between them is not known. A final measures better, see
// TieWidths in paired_rounds.h.
double TieWidth(const std::vector<double>& samples_ns);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_SEARCH_JOURNAL_H_
