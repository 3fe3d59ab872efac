// Now, by a clock that nobody sets: for limits and for how long something took.
// absl::Now() is the time of day. A server of time or an administrator moves
// it, and a candidate that was asked a second ago is an hour late.
//
//   const absl::Time deadline = SteadyNow() + absl::Seconds(10);
//   while (SteadyNow() < deadline) Ask();
//   // says nothing of the date: its zero is some start of the machine
#ifndef TILETUNE_AUTOTUNE_MEASURE_STEADY_NOW_H_
#define TILETUNE_AUTOTUNE_MEASURE_STEADY_NOW_H_

#include <chrono>

#include "absl/time/time.h"

namespace tiletune {

inline absl::Time SteadyNow() {
  return absl::UnixEpoch() +
         absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_STEADY_NOW_H_
