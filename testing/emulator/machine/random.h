// The emulator's only source of randomness: splitmix64, so that a seed gives
// the same run everywhere.
//
//   Random random(seed);
//   uint32_t k = random.Below(10);     // 0..9
//   bool heads = random.Chance(0.5);
//   uint64_t bits = random.Next();
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_RANDOM_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_RANDOM_H_

#include <cstdint>

namespace tiletune::emulator {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound); bound > 0.
  uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32);
  }
  bool Chance(double probability) {
    return static_cast<double>(Next() >> 11) * 0x1.0p-53 < probability;
  }

 private:
  uint64_t state_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_RANDOM_H_
