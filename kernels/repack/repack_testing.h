// What the tests of the repack start from.
//
//   RepackArguments a = PackedMatrix(/*outer=*/100, /*inner=*/70);
//   RepackArguments b = PackedMatrix(100, 70, /*transposes=*/true);
//   EXPECT_TRUE(LaunchRepack(a, b, stream).ok());
#ifndef TILETUNE_KERNELS_REPACK_REPACK_TESTING_H_
#define TILETUNE_KERNELS_REPACK_REPACK_TESTING_H_

#include <cstdint>

#include "kernels/repack/repack_arguments.h"

namespace tiletune {

// One matrix of elements of 2 bytes, its source without gaps.
inline RepackArguments PackedMatrix(int64_t outer, int64_t inner,
                                    bool transposes = false) {
  RepackArguments r;
  r.element_bytes = 2;
  r.outer = outer;
  r.inner = inner;
  r.transposes = transposes;
  r.source_stride = transposes ? outer : inner;
  r.destination_stride = PackedRowStride(inner, r.element_bytes);
  return r;
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_REPACK_REPACK_TESTING_H_
