// Waits of warps as slices of a trace: one a wait, however often the program
// polled, from the first attempt to the one that succeeded.
//
//   WaitSlices waits(&trace);
//   waits.Poll(row, mask, /*done=*/0, target, label, now);     // not yet
//   waits.Poll(row, mask, /*done=*/mask, target, label, now);  // a slice
//   waits.Close();  // what never ended, at the end of the run
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_WAIT_SLICES_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_WAIT_SLICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testing/emulator/machine/trace.h"

namespace tiletune::emulator {

class WaitSlices {
 public:
  // What is waited for: an mbarrier and a parity, an instruction, ...
  struct Target {
    const void* object = nullptr;
    uint64_t operand = 0;
    bool operator==(const Target& other) const {
      return object == other.object && operand == other.operand;
    }
  };
  struct Label {
    std::string name;
    Trace::Arguments arguments;
  };

  explicit WaitSlices(Trace* trace) : trace_(trace) {}

  // The lanes `mask` of the row's warp executed a waiting instruction, which
  // took the time from `now` - 1 to `now`; those in `done` wait no longer.
  void Poll(int row, uint32_t mask, uint32_t done, const Target& target,
            const Label& label, uint64_t now);
  // The lanes do something else: what they looked for and did not find was no
  // wait, and ends with their last look at it.
  void Leave(int row, uint32_t mask);
  // Waits that the run's end cut short last until `now` and say so.
  void Close(uint64_t now);

 private:
  struct Wait {
    uint32_t mask;
    Target target;
    Label label;
    uint64_t begin;
    uint64_t last;
  };

  void Write(int row, const Wait& wait, uint64_t end);

  Trace* trace_;
  std::map<int, std::vector<Wait>> open_;  // by row
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_WAIT_SLICES_H_
