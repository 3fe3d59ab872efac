// A GEMM problem: everything that decides which kernels may run and how fast.
//
//   v    = activation(alpha * scale_a * scale_b * A[b] x B[b]
//                     + beta * C[b] + bias)            for b in [0, batch)
//   D[b] = scale_d * v (8-bit D, saturating), or v (any other D)
//
// A is M x K, B is K x N, C and D are M x N with N contiguous ("row-major").
// Products are accumulated in fp32 or better; conversions round to nearest
// even. With beta = 0, C is not read (a NaN in it does not matter).
// The tuner and dispatch use one and the same key: two problems are the same
// iff Normalized() makes them equal. Example:
//
//   GemmProblem p;
//   p.m = 4096; p.n = 7168; p.k = 2048;
//   p.a_type = p.b_type = p.d_type = DataType::kBf16;
//   absl::Status ok = Validate(p);
//   std::string key = ProblemKey(p);   // "4096x7168x2048 bf16 TN -> bf16"
#ifndef TILETUNE_KERNELS_PROBLEM_H_
#define TILETUNE_KERNELS_PROBLEM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tiletune {

enum class DataType : uint8_t { kBf16, kFp16, kFp32, kFp8E4m3, kFp8E5m2 };

// Which index of each operand is contiguous, in the BLAS letters that CUTLASS
// and cuBLAS users know (they read the same memory as column-major):
//   first letter   T: A is K-contiguous (row-major M x K)   N: M-contiguous
//   second letter  N: B is K-contiguous (stored N x K)      T: N-contiguous
enum class Layout : uint8_t { kTN, kNN, kNT, kTT };

// kGelu is x * Phi(x) with the exact normal distribution (the "erf" form); a
// kernel may be off by up to 5e-4, which admits the usual tanh form. kSilu is
// x / (1 + exp(-x)). A NaN stays a NaN under each of them.
enum class Activation : uint8_t { kNone, kRelu, kGelu, kSilu };

// kPerRow adds bias[m] (M elements of BiasType()), kPerColumn bias[n].
enum class Bias : uint8_t { kNone, kPerRow, kPerColumn };

// Where the fp32 scales of 8-bit operands live: none, one per tensor, one per
// row of A and one per column of B, or, as in DeepSeek-V3, one for each row and
// 128 of K of A and one for each 128 of N and 128 of K of B. With the last,
// each 128 of K are multiplied by themselves, scaled and added in fp32. Of a
// broadcast operand the scales are broadcast too. scale_layout.h says where
// each of them is.
enum class Scaling : uint8_t { kNone, kPerTensor, kPerRowColumn, kBlock128 };

struct Epilogue {
  bool reads_c = false;  // beta may be non-zero
  Bias bias = Bias::kNone;
  Activation activation = Activation::kNone;
  bool amax = false;  // 8-bit D: also max-accumulates |v|, see above
};

// A leading dimension or batch stride of this value means "packed".
inline constexpr int64_t kPacked = -1;

struct GemmProblem {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t batch = 1;

  DataType a_type = DataType::kBf16;
  DataType b_type = DataType::kBf16;
  DataType c_type = DataType::kBf16;  // ignored unless epilogue.reads_c
  DataType d_type = DataType::kBf16;
  Layout layout = Layout::kTN;

  // Elements between consecutive rows of the contiguous index.
  int64_t lda = kPacked;
  int64_t ldb = kPacked;
  int64_t ldc = kPacked;
  int64_t ldd = kPacked;
  // Elements between consecutive batches; 0 broadcasts one matrix (not D).
  int64_t batch_stride_a = kPacked;
  int64_t batch_stride_b = kPacked;
  int64_t batch_stride_c = kPacked;
  int64_t batch_stride_d = kPacked;

  // The largest power of two, up to 16 bytes, that divides every pointer.
  int32_t pointer_alignment = 16;

  Scaling scaling = Scaling::kNone;
  Epilogue epilogue;
};

bool operator==(const GemmProblem& x, const GemmProblem& y);
inline bool operator!=(const GemmProblem& x, const GemmProblem& y) {
  return !(x == y);
}

// The type of the bias vector: d_type, or bf16 where D is 8-bit.
DataType BiasType(const GemmProblem& problem);

// The same problem with every kPacked replaced by its value, strides that do
// not matter (batch 1, unread C) made canonical.
GemmProblem Normalized(const GemmProblem& problem);

// OK, or InvalidArgument saying which field is wrong and what it may be:
// negative sizes, a leading dimension shorter than its row, batches of D that
// overlap, element counts or byte offsets past 2^63, unsupported type
// combinations. Sizes of 0 are valid: K = 0 has v = activation(beta C + bias),
// M, N or batch = 0 has nothing to compute.
absl::Status Validate(const GemmProblem& problem);

// The text form of a normalized problem; stable, used as the database key.
// "MxNxK[xBATCH] A_TYPE[*B_TYPE] LAYOUT -> D_TYPE", then only what differs from
// the packed, aligned, plain GEMM: lda= ldb= ldd= sa= sb= sd= (batch strides),
// c=TYPE ldc= sc=, align=, scales=, bias=, act=, amax. ParseProblemKey takes
// the options in any order, and InvalidArgument names what it does not
// understand.
std::string ProblemKey(const GemmProblem& problem);
absl::StatusOr<GemmProblem> ParseProblemKey(std::string_view key);

// Multiplications and additions, 2 * M * N * K * batch.
double Flops(const GemmProblem& problem);
// The fewest bytes of device memory the problem must move.
double CompulsoryBytes(const GemmProblem& problem);

int BitsOf(DataType type);
inline int BytesOf(DataType type) { return BitsOf(type) / 8; }
std::string_view Name(DataType type);  // "bf16", "fp16", "fp32", "e4m3", "e5m2"
std::string_view Name(Layout layout);  // "TN", ...
std::string_view Name(Activation activation);
std::string_view Name(Bias bias);
std::string_view Name(Scaling scaling);
absl::StatusOr<DataType> ParseDataType(std::string_view name);
absl::StatusOr<Layout> ParseLayout(std::string_view name);
absl::StatusOr<Activation> ParseActivation(std::string_view name);
absl::StatusOr<Bias> ParseBias(std::string_view name);
absl::StatusOr<Scaling> ParseScaling(std::string_view name);

inline bool AIsKMajor(Layout l) { return l == Layout::kTN || l == Layout::kTT; }
inline bool BIsKMajor(Layout l) { return l == Layout::kTN || l == Layout::kNN; }

template <typename H>
H AbslHashValue(H h, const GemmProblem& p) {
  return H::combine(std::move(h), p.m, p.n, p.k, p.batch, p.a_type, p.b_type,
                    p.c_type, p.d_type, p.layout, p.lda, p.ldb, p.ldc, p.ldd,
                    p.batch_stride_a, p.batch_stride_b, p.batch_stride_c,
                    p.batch_stride_d, p.pointer_alignment, p.scaling,
                    p.epilogue.reads_c, p.epilogue.bias, p.epilogue.activation,
                    p.epilogue.amax);
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_PROBLEM_H_
