// RepackLaunches: which kernels make the copies of two operands. Decided
// without CUDA, so that the emulator's tests launch what a GPU would.
//
//   const RepackLaunches launches(a, b);
//   for (const RepackLaunch& launch : launches) {
//     Launch(RepackFunction(launch.kernel), launch.ctas, launch.threads,
//            launch.parameters());
//   }
#ifndef TILETUNE_KERNELS_REPACK_REPACK_LAUNCHES_H_
#define TILETUNE_KERNELS_REPACK_REPACK_LAUNCHES_H_

#include <cstddef>
#include <cstdint>

#include "kernels/repack/repack_arguments.h"
#include "kernels/repack/repack_kernel.h"

namespace tiletune {

struct RepackLaunch {
  RepackKernel kernel = RepackKernel::kCopyRows;
  uint32_t ctas = 0;
  uint32_t threads = 0;       // per CTA
  bool is_dependent = false;  // launched as a programmatic dependent
  RowCopies rows = {};        // of kCopyRows
  RepackArguments transpose;  // of the others

  // The kernel's one parameter.
  const void* parameters() const {
    if (kernel == RepackKernel::kCopyRows) return &rows;
    return &transpose;
  }
  size_t parameter_bytes() const {
    return kernel == RepackKernel::kCopyRows ? sizeof(rows) : sizeof(transpose);
  }
};

class RepackLaunches {
 public:
  // In their order: a transpose each, then all copies of rows in one. None for
  // matrices without elements.
  RepackLaunches(const RepackArguments& a, const RepackArguments& b);

  const RepackLaunch* begin() const { return launches_; }
  const RepackLaunch* end() const { return launches_ + count_; }

 private:
  void AddTranspose(const RepackArguments& r);

  RepackLaunch launches_[3];
  int count_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_LAUNCHES_H_
