#include "autotune/commands/remarks.h"

#include <cstdio>
#include <vector>

namespace tiletune {

absl::StatusOr<Remarks> Remarks::Of(const Store& store, const Filter& filter) {
  const absl::StatusOr<std::vector<ImpossibleRow>> rows =
      store.Impossible(filter);
  if (!rows.ok()) return rows.status();
  Remarks remarks;
  for (const ImpossibleRow& row : *rows) {
    remarks.impossible_[{row.device, row.problem, row.config}] = row.reason;
  }
  return remarks;
}

std::string Remarks::WhyImpossible(const std::string& device,
                                   const std::string& problem,
                                   const std::string& config) const {
  const auto found = impossible_.find({device, problem, config});
  return found == impossible_.end() ? "" : found->second;
}

void Remarks::Say() const {
  if (impossible_.empty()) return;
  std::fprintf(stderr,
               "autotune: %zu configs have rows that cannot be true; autotune "
               "gc --impossible drops them; the first: %s\n",
               impossible_.size(), impossible_.begin()->second.c_str());
}

}  // namespace tiletune
