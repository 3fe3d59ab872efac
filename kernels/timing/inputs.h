// Inputs for checking and timing, made on the GPU.
//
//   FillNormal(a, DataType::kBf16, elements, /*seed=*/1, stream);
//   FillSmallIntegers(a, DataType::kBf16, elements, /*seed=*/1, stream);
//
// Timings depend on the data (zeros and integers draw less power): time with
// normal ones. Small integers make every sum exact, for bit-for-bit checks.
#ifndef TILETUNE_KERNELS_TIMING_INPUTS_H_
#define TILETUNE_KERNELS_TIMING_INPUTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"

namespace tiletune {

// Enqueues `count` elements of N(0, 1), rounded to `type`. Element i depends on
// (seed, i) alone.
absl::Status FillNormal(void* data, DataType type, int64_t count, uint64_t seed,
                        GpuStream stream);

// The same with integers from -2 to 2.
absl::Status FillSmallIntegers(void* data, DataType type, int64_t count,
                               uint64_t seed, GpuStream stream);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TIMING_INPUTS_H_
