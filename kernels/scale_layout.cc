#include "kernels/scale_layout.h"

namespace tiletune {
namespace {

int64_t Blocks(int64_t size) {
  return size / kScaleBlock + (size % kScaleBlock != 0 ? 1 : 0);
}

int64_t RoundUpTo4(int64_t count) { return (count + 3) / 4 * 4; }

ScaleLayout OfBlocks(const GemmProblem& p) {
  ScaleLayout s;
  s.k_blocks = Blocks(p.k);
  s.a_stride = RoundUpTo4(p.m);
  s.b_stride = RoundUpTo4(s.k_blocks);
  s.a_count = s.k_blocks * s.a_stride;
  s.b_count = Blocks(p.n) * s.b_stride;
  if (p.batch == 0) s.a_count = s.b_count = 0;
  if (p.batch > 1 && p.batch_stride_a != 0) {
    s.a_batch_stride = s.a_count;
    s.a_count *= p.batch;
  }
  if (p.batch > 1 && p.batch_stride_b != 0) {
    s.b_batch_stride = s.b_count;
    s.b_count *= p.batch;
  }
  return s;
}

}  // namespace

ScaleLayout ScaleLayoutOf(const GemmProblem& p) {
  ScaleLayout s;
  switch (p.scaling) {
    case Scaling::kNone:
      break;
    case Scaling::kPerTensor:
      s.a_count = s.b_count = 1;
      break;
    case Scaling::kPerRowColumn:
      s.a_count = p.m;
      s.b_count = p.n;
      break;
    case Scaling::kBlock128:
      return OfBlocks(p);
  }
  return s;
}

}  // namespace tiletune
