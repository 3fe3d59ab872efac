#include "autotune/measure/fake_noise.h"

#include <cmath>
#include <string>

namespace tiletune {
namespace {

// FNV-1a and the finaliser of MurmurHash3.
uint64_t Mix(uint64_t seed, std::string_view text) {
  uint64_t hash = 14695981039346656037ull ^ seed;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdull;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return hash ^ (hash >> 33);
}

}  // namespace

double UnitOf(uint64_t seed, std::string_view text) {
  return (static_cast<double>(Mix(seed, text) >> 11) + 0.5) / 9007199254740992;
}

double NormalOf(uint64_t seed, std::string_view text) {
  const std::string copy(text);
  const double radius = std::sqrt(-2 * std::log(UnitOf(seed, copy + "r")));
  return radius * std::cos(2 * M_PI * UnitOf(seed, copy + "a"));
}

}  // namespace tiletune
