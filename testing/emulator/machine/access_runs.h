// Joins the lanes' accesses to adjacent bytes, or to the same ones, into runs,
// so that the race check looks at ranges and not at single lanes.
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
      : warp_(warp),
        inst_(inst),
        write_(write),
        atomic_(atomic),
        by_lane_(warp.known.by_lane()) {}

  void Add(const Location& at, uint32_t bytes, int lane) {
    if (at.cta == nullptr && at.allocation == nullptr) return;
    if (bytes_ != 0 && at.cta == run_.cta && at.allocation == run_.allocation) {
      if (at.offset == run_.offset + bytes_ && Continues(bytes, lane)) {
        bytes_ += bytes;
        last_lane_ = lane;
        return;
      }
      if (by_lane_ && at.offset == run_.offset && bytes == bytes_ &&
          KnowsTheSame(lane)) {
        mask_ |= 1u << lane;
        return;
      }
    }
    Flush();
    ++runs_;
    run_ = at;
    bytes_ = bytes;
    each_ = bytes;
    lane_ = last_lane_ = lane;
    mask_ = 1u << lane;
    repeats_ = write_;
  }
  // What was added last writes something new.
  void Changes() { repeats_ = false; }

  // No two lanes so far can have touched one byte.
  bool AreDisjoint() const { return runs_ == 1 && (mask_ & (mask_ - 1)) == 0; }

  void Flush() {
    if (bytes_ == 0) return;
    Access access = warp_.machine->WarpAccess(warp_, inst_, lane_);
    access.atomic = atomic_;
    access.repeats = repeats_;
    if (by_lane_) {
      access.lanes = bytes_ == each_ ? LaneSet::Mask(mask_)
                                     : LaneSet::Strided(lane_, run_.offset,
                                                        __builtin_ctz(each_));
    }
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
  bool KnowsTheSame(int lane) const {
    return &warp_.known.Of(lane) == &warp_.known.Of(lane_);
  }
  // True if the next bytes are the next lane's, in a form LaneSet can keep.
  bool Continues(uint32_t bytes, int lane) const {
    if (!by_lane_) return true;
    return lane == last_lane_ + 1 && bytes == each_ &&
           (mask_ & (mask_ - 1)) == 0 && (bytes & (bytes - 1)) == 0 &&
           run_.offset % bytes == 0 && KnowsTheSame(lane);
  }

  Warp& warp_;
  const Inst& inst_;
  const bool write_;
  const bool atomic_;
  const bool by_lane_;
  bool repeats_ = false;
  Location run_;
  int runs_ = 0;
  uint64_t bytes_ = 0;
  uint32_t each_ = 0;  // bytes of one lane
  int lane_ = 0;       // the first
  int last_lane_ = 0;
  uint32_t mask_ = 0;  // of a run that is one address
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ACCESS_RUNS_H_
