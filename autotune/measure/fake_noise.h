// Random numbers that are a function of a text: equal on every machine and
// build, which std::hash and std::normal_distribution are not.
//
//   double u = UnitOf(/*seed=*/1, "16x4096x4096 o1zn");    // always the same
//   double slower = 1 + 0.003 * NormalOf(1, "sample 7");
//   // another seed or text: another number
#ifndef TILETUNE_AUTOTUNE_MEASURE_FAKE_NOISE_H_
#define TILETUNE_AUTOTUNE_MEASURE_FAKE_NOISE_H_

#include <cstdint>
#include <string_view>

namespace tiletune {

// Uniform in (0, 1).
double UnitOf(uint64_t seed, std::string_view text);

// Standard normal, by Box and Muller.
double NormalOf(uint64_t seed, std::string_view text);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_FAKE_NOISE_H_
