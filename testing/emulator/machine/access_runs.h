// Joins the lanes' accesses to adjacent bytes into runs, so that the race
// check looks at ranges and not at single lanes.
//
//   AccessRuns runs(warp, inst, /*write=*/true, /*atomic=*/false);
//   ForLanes(mask, [&](int lane) { runs.Add(location, 4, lane); });
//   runs.Flush();
//   // One TouchShared or TouchGlobal for each run.
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ACCESS_RUNS_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ACCESS_RUNS_H_

#include <cstdint>

#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

class AccessRuns {
 public:
  AccessRuns(Warp& warp, const Inst& inst, bool write, bool atomic)
      : warp_(warp), inst_(inst), write_(write), atomic_(atomic) {}

  void Add(const Location& at, uint32_t bytes, int lane) {
    if (at.cta == nullptr && at.allocation == nullptr) return;
    if (bytes_ != 0 && at.cta == run_.cta && at.allocation == run_.allocation &&
        at.offset == run_.offset + bytes_) {
      bytes_ += bytes;
      return;
    }
    Flush();
    run_ = at;
    bytes_ = bytes;
    lane_ = lane;
  }

  void Flush() {
    if (bytes_ == 0) return;
    Access access = warp_.machine->WarpAccess(warp_, inst_, lane_);
    access.atomic = atomic_;
    if (run_.cta != nullptr) {
      warp_.machine->TouchShared(run_.cta, run_.offset, bytes_, write_, access,
                                 inst_, warp_.cta);
    } else {
      warp_.machine->TouchGlobal(run_.allocation, run_.offset, bytes_, write_,
                                 access, inst_, warp_.cta);
    }
    bytes_ = 0;
  }

 private:
  Warp& warp_;
  const Inst& inst_;
  bool write_;
  bool atomic_;
  Location run_;
  uint64_t bytes_ = 0;
  int lane_ = 0;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ACCESS_RUNS_H_
