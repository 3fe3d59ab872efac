// Deterministic bytes for the micro-kernels.
//
// Use it on both sides of the comparison, so that neither stores its inputs.
//
//   std::vector<uint8_t> in = MakeInput(Pattern::kSmallBf16, /*seed=*/1);
//   // kInputBytes bytes; the same on every machine
//   std::vector<uint8_t> out = MakeInput(Pattern::kBytes, /*seed=*/2);
//   out.resize(c.out_bytes);
//   // kInputBytes covers every output
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_INPUTS_H_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tiletune::micro {

constexpr size_t kInputBytes = 65536 + 1024;

enum class Pattern {
  kBytes,  // uniform
  kZero,
  // Integers in -4..3 as elements of a type: sums of products are exact.
  kSmallF16,
  kSmallBf16,
  kSmallF32,
  kSmallTf32,  // with noise in the 13 bits that tf32 ignores
  kSmallF64,
  kSmallE4m3,
  kSmallE5m2,
  // f32, f64, 16-bit and integer patterns at and near every boundary:
  // subnormals, ties, overflow, infinities, NaN; random ones between them.
  kEdgeF32,
  kEdgeF64,
  kEdgeF16,
  kEdgeBf16,
  kEdgeInteger,
};

std::vector<uint8_t> MakeInput(Pattern pattern, uint32_t seed);

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_INPUTS_H_
