#include "kernels/registry.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "kernels/cost_model.h"
#include "kernels/glob.h"
#include "kernels/tiling.h"
#include "scheduler/l2_traffic.h"
#include "scheduler/order.h"

namespace tiletune {
namespace {

constexpr char kReferenceName[] = "reference_naive";

// Slices thinner than this many tiles of K cost more than they win.
constexpr uint32_t kLeastTilesPerSlice = 4;
constexpr uint32_t kMostSlices = 32;

bool IsReference(const KernelVariant& v) {
  return v.architecture == Architecture::kAny;
}

uint32_t ResidentClusters(const KernelVariant& v, const DeviceFacts& device) {
  const int32_t resident = device.sm_count * v.ctas_per_sm / ClusterSize(v);
  return static_cast<uint32_t>(std::max<int32_t>(1, resident));
}

// The splits of K that bring a grid with fewer tiles than workers near a whole
// number of waves; 1 first.
std::vector<uint32_t> UsefulSplits(const TileGrid& grid, uint32_t workers) {
  std::vector<uint32_t> splits = {1};
  const uint64_t tiles =
      static_cast<uint64_t>(grid.tiles_m) * grid.tiles_n * grid.batches;
  if (tiles == 0 || tiles >= workers) return splits;
  const uint32_t most =
      std::min(kMostSlices, grid.k_tiles / kLeastTilesPerSlice);
  const uint32_t filling = static_cast<uint32_t>(workers / tiles);
  for (uint32_t split : {2u, 3u, 4u, 6u, 8u, 16u, filling, 2 * filling}) {
    if (split >= 2 && split <= most) splits.push_back(split);
  }
  std::sort(splits.begin(), splits.end());
  splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
  return splits;
}

// The window heights worth trying: those that make the footprint of a wave
// square in bytes, one twice as tall (better where L2 retains panels), and a
// few powers of two.
std::vector<uint32_t> UsefulOffsets(const KernelVariant& v, uint32_t workers) {
  const PanelBytes panels = {static_cast<uint64_t>(v.tile_m * v.cluster_m),
                             static_cast<uint64_t>(v.tile_n * v.cluster_n)};
  const uint32_t zn = BestWindowHeight(panels, workers, SwizzleDirection::kZn);
  const uint32_t nz = BestWindowHeight(panels, workers, SwizzleDirection::kNz);
  std::vector<uint32_t> offsets = {1,  2,  4,  8,
                                   16, zn, nz, 2 * std::max(zn, nz)};
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

// (offset, direction) pairs that visit the tiles of `grid` in distinct ways.
std::vector<OrderOptions> DistinctOrders(const TileGrid& grid,
                                         const std::vector<uint32_t>& offsets) {
  // One row or column of tiles has one order.
  if (grid.tiles_m <= 1 || grid.tiles_n <= 1) return {OrderOptions{}};
  std::vector<OrderOptions> orders;
  for (SwizzleDirection direction :
       {SwizzleDirection::kZn, SwizzleDirection::kNz}) {
    const uint32_t windowed =
        direction == SwizzleDirection::kZn ? grid.tiles_m : grid.tiles_n;
    std::vector<uint32_t> used;
    for (uint32_t wanted : offsets) {
      const uint32_t offset = ClampOffset(wanted, windowed);
      if (std::find(used.begin(), used.end(), offset) != used.end()) continue;
      used.push_back(offset);
      OrderOptions order;
      order.offset = offset;
      order.direction = direction;
      orders.push_back(order);
    }
  }
  return orders;
}

// The legal configs of one variant, in a fixed order.
void AppendConfigs(const GemmProblem& problem, const KernelVariant& variant,
                   const DeviceFacts& device, const CandidateOptions& options,
                   std::vector<GemmConfig>* configs) {
  const std::optional<TileGrid> grid = ClusterTileGrid(problem, variant);
  if (!grid.has_value()) return;
  const uint32_t workers = ResidentClusters(variant, device);
  const std::vector<uint32_t> splits =
      options.splits.empty() ? UsefulSplits(*grid, workers) : options.splits;
  const std::vector<uint32_t> offsets = options.offsets.empty()
                                            ? UsefulOffsets(variant, workers)
                                            : options.offsets;
  for (const OrderOptions& order : DistinctOrders(*grid, offsets)) {
    for (uint32_t split : splits) {
      GemmConfig config;
      config.variant = &variant;
      config.swizzle_offset = order.offset;
      config.swizzle_direction = order.direction;
      config.split_k = split;
      if (CheckLegal(problem, config, device).ok()) configs->push_back(config);
    }
  }
}

GemmConfig ReferenceConfig() {
  GemmConfig config;
  config.variant = FindVariant(kReferenceName);
  return config;
}

}  // namespace

absl::StatusOr<GemmConfig> DefaultConfig(const GemmProblem& problem,
                                         const DeviceFacts& device) {
  const GemmConfig reference = ReferenceConfig();
  absl::Status status = Validate(problem);
  if (!status.ok()) return status;
  status = CheckLegal(problem, reference, device);
  if (!status.ok()) return status;
  std::optional<GemmConfig> best;
  double best_seconds = 0;
  CandidateOptions options;
  for (const KernelVariant& variant : Variants()) {
    if (IsReference(variant) || variant.supply != SupplyKind::kStatic) continue;
    // Nothing runs on a modelled device, so nothing needs a proof there.
    if (!variant.proven && !device.modelled) continue;
    std::vector<GemmConfig> configs;
    AppendConfigs(problem, variant, device, options, &configs);
    for (const GemmConfig& config : configs) {
      const double seconds = Predict(problem, config, device).seconds;
      if (best.has_value() && seconds >= best_seconds) continue;
      best = config;
      best_seconds = seconds;
    }
  }
  return best.value_or(reference);
}

std::vector<GemmConfig> LegalConfigs(const GemmProblem& problem,
                                     const DeviceFacts& device,
                                     const CandidateOptions& options) {
  std::vector<GemmConfig> configs;
  const absl::StatusOr<GemmConfig> fallback = DefaultConfig(problem, device);
  if (!fallback.ok()) return configs;
  configs.push_back(*fallback);
  for (const KernelVariant& variant : Variants()) {
    if (IsReference(variant) && options.kernels != kReferenceName) continue;
    if (!variant.proven && !device.modelled && !options.include_unproven) {
      continue;
    }
    if (!GlobMatches(options.kernels, variant.name)) continue;
    AppendConfigs(problem, variant, device, options, &configs);
  }
  const auto again = std::find(configs.begin() + 1, configs.end(), *fallback);
  if (again != configs.end()) configs.erase(again);
  return configs;
}

}  // namespace tiletune
