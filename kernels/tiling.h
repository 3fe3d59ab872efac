// Tiling: how a variant cuts a problem into the cluster tiles that an order
// visits. One place, so that kernels, legality and cost model agree.
//
//   std::optional<TileGrid> grid = ClusterTileGrid(problem, *config.variant);
//   std::optional<Order> order = MakeOrder(*grid, OrderOptionsOf(config));
//   uint64_t tiles = order->size();   // cluster tiles, splits and batches in
#ifndef TILETUNE_KERNELS_TILING_H_
#define TILETUNE_KERNELS_TILING_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "kernels/config.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "scheduler/order.h"

namespace tiletune {

inline int32_t ClusterSize(const KernelVariant& variant) {
  return variant.cluster_m * variant.cluster_n * variant.cluster_k;
}

// CTAs of a cluster as it is launched: the kernel's own, or, where that is one
// CTA, the launch's.
inline int32_t LaunchedClusterSize(const GemmConfig& config) {
  const int32_t own = ClusterSize(*config.variant);
  return own > 1 ? own : static_cast<int32_t>(config.launch_cluster);
}

// Whether a kernel's CTAs may be launched in clusters that they know nothing
// of.
inline bool MayHaveLaunchClusters(const KernelVariant& variant) {
  return variant.architecture == Architecture::kHopper &&
         variant.supply == SupplyKind::kStatic && ClusterSize(variant) == 1 &&
         variant.ctas_per_sm == 1;
}

// The SMs that a config may use: max_sms of them, but no more than there are.
inline int32_t UsableSms(const GemmConfig& config, int32_t sms) {
  const bool all =
      config.max_sms == 0 || config.max_sms >= static_cast<uint32_t>(sms);
  return all ? sms : static_cast<int32_t>(config.max_sms);
}

// Clusters at work at once on `sms` SMs. A cluster lies within one GPC, and
// GPCs of an odd number of SM pairs leave some over: an H200 of 132 SMs holds
// 66 clusters of 2, but 30 of 4, 15 of 8, and 7 of 12 or 16, one to a GPC
// (cudaOccupancyMaxActiveClusters).
inline int32_t ResidentClusters(int32_t size, int32_t ctas_per_sm,
                                int32_t sms) {
  const int32_t usable = size > 2 ? sms * 10 / 11 : sms;
  const int32_t clusters = usable / (size > 8 ? 16 : size) * ctas_per_sm;
  return clusters > 1 ? clusters : 1;
}

inline int32_t ResidentClusters(const KernelVariant& variant, int32_t sms) {
  return ResidentClusters(ClusterSize(variant), variant.ctas_per_sm, sms);
}

// CTAs at work at once on `sms` SMs, one an SM, in launch clusters of `size`.
inline uint32_t CtasInLaunchClusters(uint32_t size, int32_t sms) {
  return size * ResidentClusters(static_cast<int32_t>(size),
                                 /*ctas_per_sm=*/1, sms);
}

// Whether split-K cuts only the tiles of the last, incomplete wave (Hopper), or
// every tile.
inline bool SplitsOnlyTheLastWave(const KernelVariant& variant) {
  return variant.architecture == Architecture::kHopper;
}

// The grid of cluster tiles. A variant that swaps operands cuts D^T: its
// tiles_m run along N. Nothing when a count does not fit in 32 bits, or a size
// is negative.
inline std::optional<TileGrid> ClusterTileGrid(const GemmProblem& problem,
                                               const KernelVariant& variant) {
  if (problem.m < 0 || problem.n < 0 || problem.k < 0 || problem.batch < 0 ||
      problem.batch > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  const int64_t rows = variant.swaps_operands ? problem.n : problem.m;
  const int64_t columns = variant.swaps_operands ? problem.m : problem.n;
  return MakeTileGrid(
      static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
      static_cast<uint64_t>(problem.k), static_cast<uint32_t>(problem.batch),
      static_cast<uint32_t>(variant.tile_m * variant.cluster_m),
      static_cast<uint32_t>(variant.tile_n * variant.cluster_n),
      static_cast<uint32_t>(variant.tile_k));
}

// The CTAs of all tiles and slices, if each has one: of a config whose grid has
// been counted.
inline uint64_t CtasOf(const GemmProblem& problem, const GemmConfig& config) {
  const TileGrid grid = *ClusterTileGrid(problem, *config.variant);
  return static_cast<uint64_t>(grid.tiles_m) * grid.tiles_n * grid.batches *
         config.split_k * static_cast<uint64_t>(ClusterSize(*config.variant));
}

inline OrderOptions OrderOptionsOf(const GemmConfig& config) {
  OrderOptions options;
  options.offset = config.swizzle_offset;
  options.direction = config.swizzle_direction;
  options.k_slices = config.split_k;
  return options;
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_TILING_H_
