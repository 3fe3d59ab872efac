#include "kernels/launch/operand_spans.h"

namespace tiletune {
namespace {

OperandSpan MakeSpan(const GemmProblem& p, const void* data, int64_t lines,
                     int64_t run, int64_t ld, int64_t stride, DataType type) {
  const int64_t bytes = BytesOf(type);
  return {reinterpret_cast<uintptr_t>(data),
          run * bytes,
          lines,
          ld * bytes,
          stride == 0 ? 1 : p.batch,  // a broadcast matrix lies there once
          stride * bytes};
}

bool IsEmpty(const OperandSpan& s) {
  return s.run_bytes == 0 || s.lines == 0 || s.batches == 0;
}

uintptr_t End(const OperandSpan& s) {
  return s.begin +
         static_cast<uintptr_t>((s.batches - 1) * s.batch_bytes +
                                (s.lines - 1) * s.pitch_bytes + s.run_bytes);
}

// Whether every run of `s` starts at the same column modulo `pitch`.
bool IsColumnBlock(const OperandSpan& s, int64_t pitch) {
  const bool lines = s.lines <= 1 || s.pitch_bytes % pitch == 0;
  const bool batches = s.batches <= 1 || s.batch_bytes % pitch == 0;
  return lines && batches && s.run_bytes <= pitch;
}

}  // namespace

OperandSpan SpanOfA(const GemmProblem& p, const void* a) {
  const bool k_major = AIsKMajor(p.layout);
  return MakeSpan(p, a, k_major ? p.m : p.k, k_major ? p.k : p.m, p.lda,
                  p.batch_stride_a, p.a_type);
}

OperandSpan SpanOfB(const GemmProblem& p, const void* b) {
  const bool k_major = BIsKMajor(p.layout);
  return MakeSpan(p, b, k_major ? p.n : p.k, k_major ? p.k : p.n, p.ldb,
                  p.batch_stride_b, p.b_type);
}

OperandSpan SpanOfC(const GemmProblem& p, const void* c) {
  return MakeSpan(p, c, p.m, p.n, p.ldc, p.batch_stride_c, p.c_type);
}

OperandSpan SpanOfD(const GemmProblem& p, const void* d) {
  return MakeSpan(p, d, p.m, p.n, p.ldd, p.batch_stride_d, p.d_type);
}

OperandSpan SpanOfBytes(const void* begin, int64_t bytes) {
  return {reinterpret_cast<uintptr_t>(begin), bytes, 1, bytes, 1, 0};
}

bool Overlap(const OperandSpan& x, const OperandSpan& y) {
  if (IsEmpty(x) || IsEmpty(y)) return false;
  if (End(x) <= y.begin || End(y) <= x.begin) return false;
  const int64_t pitch = x.lines > 1 ? x.pitch_bytes : y.pitch_bytes;
  if (!IsColumnBlock(x, pitch) || !IsColumnBlock(y, pitch)) return true;
  // Columns of y, counted from those of x, around a circle of `pitch` bytes.
  const uintptr_t circle = static_cast<uintptr_t>(pitch);
  const int64_t offset = static_cast<int64_t>(
      (y.begin % circle + circle - x.begin % circle) % circle);
  return offset < x.run_bytes || offset + y.run_bytes > pitch;
}

}  // namespace tiletune
