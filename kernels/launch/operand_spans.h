// Where the operands of a GEMM lie in device memory, to find those that
// overlap.
//
//   if (Overlap(SpanOfD(p, args.d), SpanOfA(p, args.a))) return error;
//
// The problem must be Normalized() and valid.
#ifndef TILETUNE_KERNELS_LAUNCH_OPERAND_SPANS_H_
#define TILETUNE_KERNELS_LAUNCH_OPERAND_SPANS_H_

#include <cstdint>

#include "kernels/problem.h"

namespace tiletune {

// `batches` blocks of `lines` runs of `run_bytes` contiguous bytes.
struct OperandSpan {
  uintptr_t begin = 0;
  int64_t run_bytes = 0;
  int64_t lines = 0;
  int64_t pitch_bytes = 0;  // between runs
  int64_t batches = 1;
  int64_t batch_bytes = 0;  // between blocks
};

OperandSpan SpanOfA(const GemmProblem& problem, const void* a);
OperandSpan SpanOfB(const GemmProblem& problem, const void* b);
OperandSpan SpanOfC(const GemmProblem& problem, const void* c);
OperandSpan SpanOfD(const GemmProblem& problem, const void* d);
// A contiguous block.
OperandSpan SpanOfBytes(const void* begin, int64_t bytes);

// Whether some byte belongs to both. Exact for blocks, and for column blocks
// of one wider matrix; other interleavings count as an overlap.
bool Overlap(const OperandSpan& x, const OperandSpan& y);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_OPERAND_SPANS_H_
