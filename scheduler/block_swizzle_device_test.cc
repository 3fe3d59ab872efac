// The block swizzles on a GPU give what they give on the host.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/block_swizzle.h"
#include "scheduler/block_swizzle_visits.h"

namespace tiletune {
namespace {

constexpr int kBatches = 2;

// Skips the test, or fails it where a GPU must be, if nothing came back.
#define RETURN_WITHOUT_GPU(visits)                            \
  if (visits.empty()) {                                       \
    if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) {     \
      FAIL() << "no GPU ran the kernel";                      \
    }                                                         \
    GTEST_SKIP() << "no GPU of compute capability 9.0, 10.0"; \
  }

TEST(BlockSwizzleDevice, EqualsTheHostForTheIdentitySwizzle) {
  const GemmCoord problem(1000, 700, 64);
  const MatrixCoord tile(128, 64);
  for (uint32_t offset : {0u, 1u, 3u, 100u, 0xffffffffu}) {
    for (uint32_t direction : {0u, 1u}) {
      const DynamicGemmIdentityBlockSwizzle swizzle(problem, tile, offset,
                                                    direction);
      const std::vector<SwizzleVisit> visits = VisitIdentity(
          problem, tile, offset, direction, swizzle.GetCoreLoops() * kBatches);
      RETURN_WITHOUT_GPU(visits);
      for (uint32_t task = 0; task < visits.size(); ++task) {
        const GemmCoord coord = swizzle.GetBlockCoord(task);
        ASSERT_EQ(visits[task].batch, swizzle.GetBatchIdx(task));
        ASSERT_EQ(visits[task].tile, coord);
        ASSERT_EQ(visits[task].shape, swizzle.GetActualBlockShape(coord));
      }
    }
  }
}

TEST(BlockSwizzleDevice, EqualsTheHostForTheSplitKSwizzle) {
  const GemmCoord problem(1000, 700, 1000);
  const GemmCoord tile(128, 64, 64);
  const SplitkGemmIdentityBlockSwizzle<3, 1> swizzle(problem, tile, 5);
  const std::vector<SwizzleVisit> visits =
      VisitSplitk(problem, tile, 5, swizzle.GetCoreLoops() * kBatches);
  RETURN_WITHOUT_GPU(visits);
  for (uint32_t task = 0; task < visits.size(); ++task) {
    const GemmCoord coord = swizzle.GetBlockCoord(task);
    const uint32_t slice = swizzle.GetSplitkSliceIdx(task);
    ASSERT_EQ(visits[task].batch, swizzle.GetBatchIdx(task));
    ASSERT_EQ(visits[task].slice, slice);
    ASSERT_EQ(visits[task].tile, coord);
    ASSERT_EQ(visits[task].shape, swizzle.GetActualBlockShape(coord, slice));
  }
}

}  // namespace
}  // namespace tiletune
