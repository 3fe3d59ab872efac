// What is to be said of stored rows beside what they hold: that they cannot be
// true.
//
//   absl::StatusOr<Remarks> remarks = Remarks::Of(*store, filter);
//   puts(WinnerTable(rows, DeviceColumn::kShown, *remarks).c_str());
//   remarks->Say();  // why, and what to do
#ifndef TILETUNE_AUTOTUNE_COMMANDS_REMARKS_H_
#define TILETUNE_AUTOTUNE_COMMANDS_REMARKS_H_

#include <map>
#include <string>
#include <tuple>

#include "absl/status/statusor.h"
#include "autotune/store/store.h"

namespace tiletune {

class Remarks {
 public:
  Remarks() = default;

  // Of the rows that the filter lets through. Errors of the store.
  static absl::StatusOr<Remarks> Of(const Store& store, const Filter& filter);

  // Why the row of a config of this program cannot be true; "" of most.
  std::string WhyImpossible(const std::string& device,
                            const std::string& problem,
                            const std::string& config) const;

  // Prints a sentence with the first reason to standard error, if there is any.
  void Say() const;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::string>
      impossible_;  // by device, problem and config
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_REMARKS_H_
