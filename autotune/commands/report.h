// Stored rows as tables for people.
//
//   std::cout << WinnerTable(*store->Winners({}), DeviceColumn::kLeftOut);
//   // problem                      config          time     TFLOP/s  gain
//   // 4096x4096x4096 bf16 TN ...   sm90_16b_...    180 us   763.2    1.041x
#ifndef TILETUNE_AUTOTUNE_COMMANDS_REPORT_H_
#define TILETUNE_AUTOTUNE_COMMANDS_REPORT_H_

#include <string>
#include <vector>

#include "autotune/commands/remarks.h"
#include "autotune/store/rows.h"

namespace tiletune {

// The first column: whose rows they are, by fingerprint, or none where the
// reader has just been told.
enum class DeviceColumn { kShown, kLeftOut };

// Measured winners: device, problem, policy, config, median, noise, TFLOP/s,
// gain over the default config, how many configs tie. A row that cannot be true
// is called impossible.
std::string WinnerTable(const std::vector<WinnerRow>& rows,
                        DeviceColumn devices, const Remarks& remarks = {});

// Where the supply of the winner depends on the policy: a sentence for each
// such problem, nothing where there is none.
std::string SupplyFlips(const std::vector<WinnerRow>& rows);

// Predicted winners; the title and every time say "predicted". A kernel that no
// run has shown right is called unproven.
std::string PredictionTable(const std::vector<PredictedRow>& rows,
                            DeviceColumn devices, const Remarks& remarks = {});

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_REPORT_H_
