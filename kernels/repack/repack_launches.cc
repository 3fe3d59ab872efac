#include "kernels/repack/repack_launches.h"

#include <algorithm>

namespace tiletune {
namespace {

// More do not help: each takes every so many-th tile.
constexpr int64_t kMostTransposeCtas = 132 * 8;

int64_t DivideUp(int64_t n, int64_t d) { return (n + d - 1) / d; }

RowCopy RowCopyOf(const RepackArguments& r) {
  RowCopy c = {};
  if (r.transposes) return c;
  const int64_t bytes = r.element_bytes;
  c.source = static_cast<const char*>(r.source);
  c.destination = static_cast<char*>(r.destination);
  c.row_bytes = r.inner * bytes;
  c.outer = r.outer;
  c.source_stride = r.source_stride * bytes;
  c.source_batch_stride = r.source_batch_stride * bytes;
  c.source_bytes = (r.outer - 1) * c.source_stride + c.row_bytes;
  c.destination_stride = r.destination_stride * bytes;
  c.destination_batch_stride = r.destination_batch_stride * bytes;
  c.segments = DivideUp(c.row_bytes, kSegmentBytes);
  c.tasks = c.segments * c.outer * r.batches;
  return c;
}

}  // namespace

RepackLaunches::RepackLaunches(const RepackArguments& a,
                               const RepackArguments& b) {
  AddTranspose(a);
  AddTranspose(b);
  RowCopies rows = {{RowCopyOf(a), RowCopyOf(b)}, nullptr, 0, false};
  const int64_t tasks = rows.copies[0].tasks + rows.copies[1].tasks;
  if (tasks == 0) return;
  RepackLaunch& launch = launches_[count_++];
  launch.kernel = RepackKernel::kCopyRows;
  launch.ctas = static_cast<uint32_t>(DivideUp(tasks, kCopyWarps));
  const RepackArguments& first = rows.copies[0].tasks != 0 ? a : b;
  rows.clean = first.clean;
  rows.clean_blocks = first.clean_blocks;
  rows.is_dependent = first.is_dependent;
  if (rows.copies[1].tasks != 0) {
    rows.clean_blocks = std::min(rows.clean_blocks, b.clean_blocks);
  }
  launch.rows = rows;
  launch.is_dependent = rows.is_dependent;
  launch.threads = rows.is_dependent ? kDependentThreads : kRepackThreads;
}

void RepackLaunches::AddTranspose(const RepackArguments& r) {
  const int64_t tiles = DivideUp(r.inner, kTransposeTile) *
                        DivideUp(r.outer, kTransposeTile) * r.batches;
  if (!r.transposes || r.element_bytes == 0 || tiles == 0) return;
  RepackLaunch& launch = launches_[count_++];
  launch.kernel = r.element_bytes == 1 ? RepackKernel::kTransposeBytes
                                       : RepackKernel::kTransposeWords;
  launch.ctas = static_cast<uint32_t>(std::min(tiles, kMostTransposeCtas));
  launch.threads = kRepackThreads;
  launch.is_dependent = r.is_dependent;
  launch.transpose = r;
}

}  // namespace tiletune
