// How launches reach the GPU. A condition of a measurement, and a way to time.
//
//   TimerOptions{LaunchMode::kGraph, /*launches=*/20};
//   MeasurementPolicy{L2State::kCold, LaunchMode::kStream, 0};
#ifndef TILETUNE_KERNELS_LAUNCH_MODE_H_
#define TILETUNE_KERNELS_LAUNCH_MODE_H_

#include <cstdint>

namespace tiletune {

// kGraph: captured once and replayed, as serving does. kStream: one by one.
enum class LaunchMode : uint8_t { kGraph, kStream };

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_MODE_H_
