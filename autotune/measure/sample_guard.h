// Whether a sample may count, from what the driver says of the GPU's state.
//
//   NvmlState now = nvml.Sample();
//   switch (Judge(now, max_clock_mhz)) {
//     case Verdict::kGood: Keep(sample); break;
//     case Verdict::kSlowedDown: Discard(sample); Rest(); break;
//   }
#ifndef TILETUNE_AUTOTUNE_MEASURE_SAMPLE_GUARD_H_
#define TILETUNE_AUTOTUNE_MEASURE_SAMPLE_GUARD_H_

#include <cstdint>

#include "kernels/nvml.h"

namespace tiletune {

enum class Verdict { kGood, kSlowedDown };

// Slowed down: by heat or by the hardware's protection, or, with no power cap
// to explain it, to under 75 % of `usual_clock_mhz` (the rule of nvbench). A
// power cap is a condition of the measurement and no fault: large GEMMs run
// into it on every GPU. Unknown values (0) are good.
inline Verdict Judge(const NvmlState& state, int32_t usual_clock_mhz) {
  constexpr uint64_t kFaults = kThrottleHardwareSlowdown |
                               kThrottleThermalSoftware |
                               kThrottleThermalHardware | kThrottlePowerBrake;
  if ((state.throttle_reasons & kFaults) != 0) return Verdict::kSlowedDown;
  const bool capped = (state.throttle_reasons & kThrottlePowerCap) != 0;
  const bool slow = state.sm_clock_mhz > 0 && usual_clock_mhz > 0 &&
                    4 * state.sm_clock_mhz < 3 * usual_clock_mhz;
  return slow && !capped ? Verdict::kSlowedDown : Verdict::kGood;
}

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_SAMPLE_GUARD_H_
