// Test only: fills matrices with small integers and checks a GEMM exactly, by
// the plainest possible kernels.
//
//   FillIntegers(a, type, elements, /*seed=*/1, /*magnitude=*/2);
//   OracleProblem p = ...;
//   int64_t wrong = CountWrong(p, /*tolerance=*/0.0f);
#ifndef TILETUNE_KERNELS_HOPPER_GEMM_ORACLE_H_
#define TILETUNE_KERNELS_HOPPER_GEMM_ORACLE_H_

#include <cstdint>

namespace tiletune::hopper {

// A GEMM in the plainest terms: strides in elements for each index, types and
// epilogue as kernels/problem.h numbers them.
struct OracleProblem {
  int64_t m, n, k, batch;
  const void *a, *b, *c, *d, *bias;  // c: as it was before the launch
  int64_t a_m, a_k, a_batch;
  int64_t b_n, b_k, b_batch;
  int64_t c_m, c_batch;
  int64_t d_m, d_batch;
  int a_type, b_type, c_type, d_type, bias_kind, activation;
  float alpha, beta;
  const float *scale_a, *scale_b;
  bool scale_per_row_column;
  // Scales per block of 128 along K (kBlock128), instead: that of row m and k
  // at block_a[batch * block_a_batch + k / 128 * block_a_k + m], that of column
  // n and k at block_b[batch * block_b_batch + n / 128 * block_b_n + k / 128].
  const float *block_a, *block_b;
  int64_t block_a_batch, block_a_k, block_b_batch, block_b_n;
};

// Integers of [-magnitude, magnitude], as elements of `type`.
void FillIntegers(void* data, int type, int64_t elements, uint32_t seed,
                  int magnitude);

// The elements of D further from the exact result, rounded to the type of D,
// than tolerance * (1 + |result|); NaN is always wrong. Waits for the device.
int64_t CountWrong(const OracleProblem& problem, float tolerance);

// The elements of rows of `ld` elements that lie past the first `n` of their
// row and are not `pattern` in every byte. Elements have `bytes` bytes.
int64_t CountOverwritten(const void* data, int64_t rows, int64_t n, int64_t ld,
                         int bytes, uint8_t pattern);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_GEMM_ORACLE_H_
