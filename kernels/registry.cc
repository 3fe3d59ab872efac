#include "kernels/registry.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/glob.h"
#include "kernels/tiling.h"
#include "kernels/tma_alignment.h"
#include "scheduler/l2_traffic.h"
#include "scheduler/order.h"

namespace tiletune {
namespace {

constexpr char kReferenceName[] = "reference_naive";

// Slices thinner than this many tiles of K cost more than they win.
constexpr uint32_t kLeastTilesPerSlice = 4;
constexpr uint32_t kMostSlices = 32;
constexpr double kLeastGainOfASplit = 0.85;
// With more waves than this, an empty end of the last one is too little.
constexpr uint64_t kMostWavesToSplit = 6;

bool IsReference(const KernelVariant& v) {
  return v.architecture == Architecture::kAny;
}

// The numbers of slices worth trying for the tiles that do not fill a wave; 1
// first. `s` slices take ceil(idle * s / workers) rounds of 1 / s of a tile's
// time: each number taken is a good deal faster than the one before, as more
// slices also cost more to add up. And those that fill launch clusters: waves
// smaller than that of the workers, but of CTAs that land next to each other.
std::vector<uint32_t> UsefulSplits(const KernelVariant& v, const TileGrid& grid,
                                   uint32_t workers, int32_t sms) {
  std::vector<uint32_t> splits = {1};
  const uint64_t tiles =
      static_cast<uint64_t>(grid.tiles_m) * grid.tiles_n * grid.batches;
  const bool last_wave = SplitsOnlyTheLastWave(v);
  const uint64_t idle_tiles = last_wave ? tiles % workers : tiles;
  if (idle_tiles == 0 || idle_tiles >= workers) return splits;
  // One wave among several: it is filled, or left alone.
  if (tiles > kMostWavesToSplit * workers) return splits;
  const uint32_t most =
      std::min(kMostSlices, grid.k_tiles / kLeastTilesPerSlice);
  double best = 1;
  for (uint32_t split = 2; split <= most; ++split) {
    const uint64_t rounds = (idle_tiles * split + workers - 1) / workers;
    const double time = static_cast<double>(rounds) / split;
    if (time > kLeastGainOfASplit * best) continue;
    best = time;
    splits.push_back(split);
  }
  if (tiles > workers || !MayHaveLaunchClusters(v)) return splits;
  for (uint32_t size : kLaunchClusters) {
    const uint32_t split =
        static_cast<uint32_t>(CtasInLaunchClusters(size, sms) / tiles);
    if (split > 1 && split <= most) splits.push_back(split);
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

// What can be chosen at run time for one variant.
struct RunTimeChoices {
  std::vector<OrderOptions> orders;
  std::vector<uint32_t> splits;
};

RunTimeChoices ChoicesFor(const GemmProblem& problem,
                          const KernelVariant& variant,
                          const DeviceFacts& device,
                          const CandidateOptions& options) {
  const std::optional<TileGrid> grid = ClusterTileGrid(problem, variant);
  if (!grid.has_value()) return {};
  const uint32_t workers =
      static_cast<uint32_t>(ResidentClusters(variant, device.sm_count));
  return {DistinctOrders(*grid, options.offsets.empty()
                                    ? UsefulOffsets(variant, workers)
                                    : options.offsets),
          options.splits.empty()
              ? UsefulSplits(variant, *grid, workers, device.sm_count)
              : options.splits};
}

GemmConfig ConfigOf(const KernelVariant& variant, const OrderOptions& order,
                    uint32_t split) {
  GemmConfig config;
  config.variant = &variant;
  config.swizzle_offset = order.offset;
  config.swizzle_direction = order.direction;
  config.split_k = split;
  return config;
}

// Whether a real device has SMs to spare in the only wave: then where the CTAs
// of a dependent launch land is a matter of luck that only a timing tells.
bool LeavesSmsIdle(const GemmProblem& problem, const GemmConfig& config,
                   const DeviceFacts& device) {
  if (device.modelled || IsReference(*config.variant)) return false;
  return CtasOf(problem, config) < static_cast<uint64_t>(device.sm_count);
}

// The legal configs of one variant that is meant for it, in a fixed order.
void AppendConfigs(const GemmProblem& problem, const KernelVariant& variant,
                   const DeviceFacts& device, const CandidateOptions& options,
                   std::vector<GemmConfig>* configs) {
  if (!IsMeantFor(variant, problem)) return;
  const RunTimeChoices choices = ChoicesFor(problem, variant, device, options);
  for (const OrderOptions& order : choices.orders) {
    for (uint32_t split : choices.splits) {
      const GemmConfig config = ConfigOf(variant, order, split);
      if (!CheckLegal(problem, config, device).ok()) continue;
      configs->push_back(config);
      if (!LeavesSmsIdle(problem, config, device)) continue;
      for (const GemmConfig& other : OtherLaunches(config)) {
        if (!CheckLegal(problem, other, device).ok()) continue;
        configs->push_back(other);
      }
    }
  }
}

// The legal config with the shortest predicted time, of equal ones the first.
class Best {
 public:
  Best(const GemmProblem& problem, const DeviceFacts& device)
      : problem_(problem), device_(device) {}

  void Offer(const GemmConfig& config) {
    if (!IsMeantFor(*config.variant, problem_) ||
        !CheckLegal(problem_, config, device_).ok()) {
      return;
    }
    const double seconds = Predict(problem_, config, device_).seconds;
    if (seconds >= seconds_) return;
    config_ = config;
    seconds_ = seconds;
  }

  // Its variant is null where nothing legal was offered.
  const GemmConfig& config() const { return config_; }
  // Of config(); infinite where there is none.
  double seconds() const { return seconds_; }

 private:
  const GemmProblem& problem_;
  const DeviceFacts& device_;
  GemmConfig config_;
  double seconds_ = std::numeric_limits<double>::infinity();
};

// A variant that may have the default config.
struct Entrant {
  const KernelVariant* variant;
  RunTimeChoices choices;
  double least_seconds;  // none of its configs is predicted to take less
};

// All of them, the most promising first, of equal ones as in Variants().
std::vector<Entrant> Entrants(const GemmProblem& problem,
                              const DeviceFacts& device) {
  std::vector<Entrant> entrants;
  for (const KernelVariant& variant : Variants()) {
    if (IsReference(variant) || variant.supply != SupplyKind::kStatic) continue;
    // Nothing runs on a modelled device, so nothing needs a proof there.
    if (!variant.proven && !device.modelled) continue;
    if (!IsMeantFor(variant, problem)) continue;
    Entrant e = {&variant, ChoicesFor(problem, variant, device, {}),
                 std::numeric_limits<double>::infinity()};
    if (e.choices.orders.empty()) continue;
    for (uint32_t split : e.choices.splits) {
      const GemmConfig config =
          ConfigOf(variant, e.choices.orders.front(), split);
      e.least_seconds =
          std::min(e.least_seconds, LeastSeconds(problem, config, device));
    }
    entrants.push_back(std::move(e));
  }
  std::stable_sort(entrants.begin(), entrants.end(),
                   [](const Entrant& x, const Entrant& y) {
                     return x.least_seconds < y.least_seconds;
                   });
  return entrants;
}

// The best, in launch clusters of 4 where that pays: those of one wave on half
// of the SMs or more, which takes a while. They were 2 to 8 % faster then, as
// dependents of a launch that left SMs idle land by luck, and up to 9 % slower
// elsewhere (docs/results/tuner_h200.md, eleventh session). A repack ahead
// leaves none idle.
GemmConfig LaunchedTogether(const GemmProblem& problem, const Best& best,
                            const DeviceFacts& device) {
  constexpr double kLeastSeconds = 8e-6;
  const GemmConfig& config = best.config();
  const KernelVariant& v = *config.variant;
  if (!LeavesSmsIdle(problem, config, device)) return config;
  const GemmProblem p = Normalized(problem);
  if (2 * CtasOf(p, config) < static_cast<uint64_t>(device.sm_count) ||
      NeedsRepack(p, v, /*a=*/true) || NeedsRepack(p, v, /*a=*/false) ||
      best.seconds() < kLeastSeconds) {
    return config;
  }
  GemmConfig together = config;
  together.launch_cluster = 4;
  return CheckLegal(p, together, device).ok() ? together : config;
}

GemmConfig ReferenceConfig() {
  GemmConfig config;
  config.variant = FindVariant(kReferenceName);
  return config;
}

}  // namespace

bool IsMeantFor(const KernelVariant& variant, const GemmProblem& problem) {
  if (!variant.shifted_rows) return true;
  const GemmProblem p = Normalized(problem);
  const bool is_a = !variant.swaps_operands;
  return (is_a ? AIsKMajor(p.layout) : BIsKMajor(p.layout)) &&
         !RowsAreTmaAligned(p, is_a) && StartsAreTmaAligned(p, is_a);
}

absl::StatusOr<GemmConfig> DefaultConfig(const GemmProblem& problem,
                                         const DeviceFacts& device) {
  const GemmConfig reference = ReferenceConfig();
  absl::Status status = Validate(problem);
  if (!status.ok()) return status;
  status = CheckLegal(problem, reference, device);
  if (!status.ok()) return status;
  Best best(problem, device);
  for (const Entrant& entrant : Entrants(problem, device)) {
    if (entrant.least_seconds > best.seconds()) break;
    // The order first, then the split: all pairs would take ten times as long.
    Best order(problem, device);
    for (const OrderOptions& options : entrant.choices.orders) {
      order.Offer(ConfigOf(*entrant.variant, options, 1));
    }
    if (order.config().variant == nullptr) continue;
    for (uint32_t split : entrant.choices.splits) {
      GemmConfig config = order.config();
      config.split_k = split;
      best.Offer(config);
    }
  }
  if (best.config().variant == nullptr) return reference;
  return LaunchedTogether(problem, best, device);
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
