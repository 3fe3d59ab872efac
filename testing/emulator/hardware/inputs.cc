#include "testing/emulator/hardware/inputs.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "testing/emulator/engines/formats.h"

namespace tiletune::micro {
namespace {

using emulator::Encode;
using emulator::EncodeOptions;
using emulator::Format;

// A linear congruential generator (Numerical Recipes); high bits only.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 12345) {}
  uint32_t Next() {
    uint32_t high = Step() >> 16;
    return high << 16 | Step() >> 16;
  }

 private:
  uint32_t Step() { return state_ = state_ * 1664525u + 1013904223u; }
  uint32_t state_;
};

template <typename T>
uint32_t BitsOf32(T value) {
  static_assert(sizeof(T) == 4);
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

template <typename T>
void Put(std::vector<uint8_t>* bytes, size_t i, T value) {
  std::memcpy(bytes->data() + i * sizeof(T), &value, sizeof(T));
}

int Small(Random* random) { return static_cast<int>(random->Next() >> 29) - 4; }

template <typename T>
void FillSmall(std::vector<uint8_t>* bytes, Random* random, Format format) {
  for (size_t i = 0; i < bytes->size() / sizeof(T); ++i) {
    Put(bytes, i, static_cast<T>(Encode(format, Small(random), {})));
  }
}

// Values around which formats and conversions change their behaviour.
const std::vector<double>& Landmarks() {
  static const std::vector<double>* const kValues = [] {
    auto* v = new std::vector<double>{
        0,     0.5,   1.5,   2.5,    1,     3,     127,     127.5,
        128,   129,   255,   255.5,  256,   32767, 32767.5, 32768,
        65535, 65536, 65504, 65519,  65520, 448,   456,     464,
        465,   480,   57344, 61439,  61440, 61441, 65537,   16777217,
        1e10,  1e20,  1e30,  3.4e38, 1e-20, 1e-37, 0.1,     1.0 / 3};
    for (int e :
         {-150, -149, -148, -133, -127, -126, -25, -24, -18, -17, -16, -15,
          -14,  -11,  -10,  -9,   -8,   -7,   -6,  31,  32,  62,  63,  64}) {
      v->push_back(std::ldexp(1.0, e));
      v->push_back(std::ldexp(1.5, e));
      v->push_back(std::ldexp(1.75, e));
    }
    // Ties and their neighbours below bf16, f16, tf32, e4m3 and e5m2.
    for (int bit : {3, 4, 8, 9, 11, 12, 14}) {
      const double tie = std::ldexp(1.0, -bit);
      for (double base : {1.0, 1.0 + 2 * tie}) {
        v->push_back(base + tie);
        v->push_back(base + tie + std::ldexp(1.0, -23));
        v->push_back(base + tie - std::ldexp(1.0, -23));
      }
    }
    return v;
  }();
  return *kValues;
}

uint32_t EdgeF32(size_t i, Random* random) {
  static constexpr uint32_t kSpecial[] = {
      0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0xFFC12345, 0x7FFFFFFF,
      0x00000001, 0x807FFFFF, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000};
  const uint32_t word = random->Next();
  if (i < 2 * Landmarks().size()) {
    const float x = static_cast<float>(Landmarks()[i / 2]);
    return BitsOf32(i % 2 == 0 ? x : -x);
  }
  i -= 2 * Landmarks().size();
  if (i < 12) return kSpecial[i];
  if (i % 16 == 0) return kSpecial[word % 12];
  // Exponents of -32..31, some short mantissas.
  const uint32_t exponent = 95 + (word >> 8) % 64;
  uint32_t mantissa = random->Next() & 0x7FFFFF;
  if (i % 3 == 0) mantissa &= 0x7FF000;
  return (word & 0x80000000u) | exponent << 23 | mantissa;
}

uint16_t EdgeHalf(size_t i, Random* random, Format format) {
  const uint16_t word = static_cast<uint16_t>(random->Next() >> 13);
  if (i % 4 == 0) {
    const auto& landmarks = Landmarks();
    return static_cast<uint16_t>(
        Encode(format, landmarks[word % landmarks.size()], {}));
  }
  // Neighbours of alike size, so that sums round.
  if (i % 4 == 1) {
    return static_cast<uint16_t>((format == Format::kF16 ? 0x3800 : 0x3F00) +
                                 (word & 0x8FFF));
  }
  return word;
}

uint32_t EdgeInteger(size_t i, Random* random) {
  static constexpr int64_t kSpecial[] = {
      0,          1,        127,     128,     255,      256,
      32767,      32768,    65535,   65536,   16777215, 16777217,
      2147483647, 33554435, 8388609, 50331649};
  const uint32_t word = random->Next();
  if (i < 32) {
    const int64_t x = kSpecial[i / 2];
    return static_cast<uint32_t>(i % 2 == 0 ? x : -x);
  }
  return word >> (i % 4 * 8);
}

double EdgeF64(size_t i, Random* random) {
  if (i < 2 * Landmarks().size()) {
    const double x = Landmarks()[i / 2];
    return i % 2 == 0 ? x : -x;
  }
  if (i % 16 == 0) return std::numeric_limits<double>::infinity();
  if (i % 16 == 1) return std::nan("");
  const double mantissa = 1 + random->Next() / 4294967296.0;
  return std::ldexp(mantissa, static_cast<int>(random->Next() % 80) - 40);
}

}  // namespace

std::vector<uint8_t> MakeInput(Pattern pattern, uint32_t seed) {
  std::vector<uint8_t> bytes(kInputBytes);
  Random random(seed);
  const size_t words = bytes.size() / 4;
  switch (pattern) {
    case Pattern::kZero:
      break;
    case Pattern::kBytes:
      for (size_t i = 0; i < words; ++i) Put(&bytes, i, random.Next());
      break;
    case Pattern::kSmallF16:
      FillSmall<uint16_t>(&bytes, &random, Format::kF16);
      break;
    case Pattern::kSmallBf16:
      FillSmall<uint16_t>(&bytes, &random, Format::kBf16);
      break;
    case Pattern::kSmallF32:
      FillSmall<uint32_t>(&bytes, &random, Format::kF32);
      break;
    case Pattern::kSmallTf32:
      FillSmall<uint32_t>(&bytes, &random, Format::kF32);
      for (size_t i = 0; i < bytes.size(); i += 4) {
        bytes[i] = static_cast<uint8_t>(random.Next());
        bytes[i + 1] |= static_cast<uint8_t>(random.Next() & 0x1F);
      }
      break;
    case Pattern::kSmallF64:
      for (size_t i = 0; i < words / 2; ++i) {
        Put(&bytes, i, static_cast<double>(Small(&random)));
      }
      break;
    case Pattern::kSmallE4m3:
      FillSmall<uint8_t>(&bytes, &random, Format::kE4m3);
      break;
    case Pattern::kSmallE5m2:
      FillSmall<uint8_t>(&bytes, &random, Format::kE5m2);
      break;
    case Pattern::kEdgeF32:
      for (size_t i = 0; i < words; ++i) Put(&bytes, i, EdgeF32(i, &random));
      break;
    case Pattern::kEdgeF64:
      for (size_t i = 0; i < words / 2; ++i) {
        Put(&bytes, i, EdgeF64(i, &random));
      }
      break;
    case Pattern::kEdgeF16:
    case Pattern::kEdgeBf16:
      for (size_t i = 0; i < 2 * words; ++i) {
        Put(&bytes, i,
            EdgeHalf(
                i, &random,
                pattern == Pattern::kEdgeF16 ? Format::kF16 : Format::kBf16));
      }
      break;
    case Pattern::kEdgeInteger:
      for (size_t i = 0; i < words; ++i) {
        Put(&bytes, i, EdgeInteger(i, &random));
      }
      break;
  }
  return bytes;
}

}  // namespace tiletune::micro
