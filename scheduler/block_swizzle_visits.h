// Runs the block swizzles on the current GPU, for the tests to compare.
//
// For block_swizzle_device_test.cc alone.
//
//   std::vector<SwizzleVisit> visits = VisitIdentity(problem, tile, 3, 1, 100);
//   EXPECT_EQ(visits[7].tile, swizzle.GetBlockCoord(7));
#ifndef TILETUNE_SCHEDULER_BLOCK_SWIZZLE_VISITS_H_
#define TILETUNE_SCHEDULER_BLOCK_SWIZZLE_VISITS_H_

#include <cstdint>
#include <vector>

#include "scheduler/gemm_coord.h"

namespace tiletune {

// What one task sees.
struct SwizzleVisit {
  uint32_t batch = 0;
  uint32_t slice = 0;
  GemmCoord tile;
  GemmCoord shape;
};

// Tasks 0 to tasks - 1 of a DynamicGemmIdentityBlockSwizzle. Empty if there is
// no GPU that can run it.
std::vector<SwizzleVisit> VisitIdentity(const GemmCoord& problem,
                                        const MatrixCoord& tile,
                                        uint32_t offset, uint32_t direction,
                                        uint32_t tasks);

// The same of a SplitkGemmIdentityBlockSwizzle<3, 1>.
std::vector<SwizzleVisit> VisitSplitk(const GemmCoord& problem,
                                      const GemmCoord& tile, uint32_t factor,
                                      uint32_t tasks);

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_BLOCK_SWIZZLE_VISITS_H_
