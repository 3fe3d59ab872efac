#include "kernels/cost_model/cost_counts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/tiling.h"
#include "kernels/tma_alignment.h"
#include "scheduler/l2_traffic.h"
#include "scheduler/order.h"

namespace tiletune {
namespace {

// A sector of L2 is 32 bytes, a line 128: rows that start between lines touch
// one more for each box.
constexpr int64_t kLine = 128;

// How many of the rows and columns of the product are copied before.
double RepackedRows(const GemmProblem& p, const CostCounts& c) {
  const KernelVariant& v = *c.variant;
  return (NeedsRepack(p, v, /*a=*/!v.swaps_operands) ? c.rows : 0) +
         (NeedsRepack(p, v, /*a=*/v.swaps_operands) ? c.columns : 0);
}

// Rows of a copy do not reach over lines (PackedRowStride).
bool IsMisaligned(const GemmProblem& p, const KernelVariant& v) {
  const auto is_off_lines = [&](bool a) {
    const int64_t bytes =
        a ? p.lda * BytesOf(p.a_type) : p.ldb * BytesOf(p.b_type);
    return !NeedsRepack(p, v, a) && bytes % kLine != 0;
  };
  return is_off_lines(/*a=*/true) || is_off_lines(/*a=*/false);
}

// Whether rows of D leave in words wherever they start, as 16-bit elements with
// alpha alone do in Hopper's kernels (hopper/box_rows.cuh), but for those that
// cannot stage them: shifted rows, and clusters that leave a CTA 8 columns.
bool StoresAnyRowInWords(const GemmProblem& p, const KernelVariant& v) {
  const bool may_stage = !v.shifted_rows && v.tile_n / v.cluster_k % 16 == 0;
  return v.architecture == Architecture::kHopper &&
         (v.swaps_operands || may_stage) && BitsOf(p.d_type) == 16 &&
         !p.epilogue.reads_c && p.epilogue.bias == Bias::kNone &&
         p.epilogue.activation == Activation::kNone &&
         p.scaling != Scaling::kPerRowColumn;
}

// Bytes of A and B, each once.
double CompulsoryBytes(const CostCounts& c) {
  return c.batches * c.k * c.bytes_per_k * (c.rows + c.columns);
}

// Bytes of A and B that miss in L2: the panels that each wave touches, less
// what L2 still holds from the waves before.
double FetchedBytes(const CostCounts& c, const Order& order,
                    const DeviceFacts& device) {
  const KernelVariant& v = *c.variant;
  const double depth = c.k * c.bytes_per_k / order.k_slices;
  PanelBytes panels;
  panels.a = static_cast<uint64_t>(v.tile_m * v.cluster_m * depth);
  panels.b = static_cast<uint64_t>(v.tile_n * v.cluster_n * depth);
  const L2Traffic traffic =
      PredictL2Traffic(order, panels, static_cast<uint64_t>(c.resident));
  const double unique = static_cast<double>(traffic.unique);
  // Tiles reach over the edges of D; bytes of A and B do not.
  const double compulsory = CompulsoryBytes(c);
  const double clipped = std::min(
      unique, unique * compulsory /
                  std::max(1.0, static_cast<double>(traffic.compulsory)));
  // Operands that fit in L2 stay there, whatever the order.
  constexpr double kUsableL2 = 0.7;
  const double kept =
      std::min(1.0, kUsableL2 * static_cast<double>(device.l2_bytes) /
                        std::max(1.0, compulsory / c.batches));
  return compulsory + std::max(0.0, clipped - compulsory) * (1 - kept);
}

// Everything but the bytes of A and B.
CostCounts CountTiles(const GemmProblem& p, const KernelVariant& v,
                      const TileGrid& grid, uint64_t workers, Order& order) {
  CostCounts c = {};
  c.variant = &v;
  c.rows = static_cast<double>(v.swaps_operands ? p.n : p.m);
  c.columns = static_cast<double>(v.swaps_operands ? p.m : p.n);
  c.batches = static_cast<double>(p.batch);
  c.k = static_cast<double>(p.k);
  c.bytes_per_k = BytesOf(p.a_type);

  const uint32_t slices = order.k_slices;
  const uint64_t tiles = order.size() / slices;
  uint64_t split = slices > 1 ? tiles : 0;
  if (split > 0 && SplitsOnlyTheLastWave(v)) {
    split = tiles % workers;
    if (split < tiles) order.k_slices = 1;  // most tiles are whole
  }
  c.resident = static_cast<double>(workers);
  c.tiles = static_cast<double>(tiles);
  c.whole = static_cast<double>(tiles - split);
  c.split = static_cast<double>(split);
  c.slices = static_cast<double>(slices);
  const auto per_cta = [&v](uint32_t k_tiles) {
    return std::ceil(static_cast<double>(k_tiles) / v.cluster_k);
  };
  c.k_tiles = per_cta(grid.k_tiles);
  c.slice_k_tiles = per_cta(KTilesOfSlice(grid.k_tiles, slices, 0).count);

  const int64_t d_bytes = BytesOf(p.d_type);
  c.d_bytes_per_element = static_cast<double>(
      d_bytes + (p.epilogue.reads_c ? BytesOf(p.c_type) : 0));
  c.scalar_store =
      p.ldd * d_bytes % (v.swaps_operands ? 4 : kTmaAlignment) != 0 &&
      !StoresAnyRowInWords(p, v);
  return c;
}

}  // namespace

double CostCounts::tile_efficiency() const {
  const KernelVariant& v = *variant;
  return rows * columns * batches /
         (tiles * v.tile_m * v.cluster_m * v.tile_n * v.cluster_n);
}

namespace {

// All but fetched_bytes, and the order whose waves say what those are.
struct CountsInOrder {
  CostCounts counts;
  Order order;
};

std::optional<CountsInOrder> CountAll(const GemmProblem& p,
                                      const GemmConfig& config,
                                      const DeviceFacts& device) {
  const KernelVariant& v = *config.variant;
  const std::optional<TileGrid> grid = ClusterTileGrid(p, v);
  if (!grid.has_value()) return std::nullopt;
  std::optional<Order> order = MakeOrder(*grid, OrderOptionsOf(config));
  if (!order.has_value() || order->size() == 0) return std::nullopt;
  const int32_t sms = UsableSms(config, device.sm_count);
  const uint64_t workers = static_cast<uint64_t>(ResidentClusters(v, sms));
  CostCounts c = CountTiles(p, v, *grid, workers, *order);

  c.misaligned_load = IsMisaligned(p, v);
  c.repack_bytes = 2 * c.batches * c.k * RepackedRows(p, c) * c.bytes_per_k;
  const double tiles_k = c.tiles * c.k * c.bytes_per_k;
  c.requested_bytes =
      tiles_k * (v.tile_m * v.cluster_m + v.tile_n * v.cluster_n);
  // A pair of SMs holds half of B each. Rows that are not aligned come in eight
  // boxes, a good deal slower (docs/results/h200.md).
  constexpr double kShiftedRowsFactor = 3.5;
  const double rows = v.tile_m * (v.shifted_rows ? kShiftedRowsFactor : 1);
  c.received_bytes = tiles_k * v.cluster_m * v.cluster_n *
                     (rows + static_cast<double>(v.tile_n) / v.cta_group);
  return CountsInOrder{c, *order};
}

}  // namespace

std::optional<CostCounts> CountCosts(const GemmProblem& p,
                                     const GemmConfig& config,
                                     const DeviceFacts& device) {
  std::optional<CountsInOrder> all = CountAll(p, config, device);
  if (!all.has_value()) return std::nullopt;
  CostCounts& c = all->counts;
  c.fetched_bytes =
      std::min(c.requested_bytes, FetchedBytes(c, all->order, device));
  return c;
}

std::optional<CostCounts> CountLeastCosts(const GemmProblem& p,
                                          const GemmConfig& config,
                                          const DeviceFacts& device) {
  std::optional<CountsInOrder> all = CountAll(p, config, device);
  if (!all.has_value()) return std::nullopt;
  CostCounts& c = all->counts;
  c.fetched_bytes = CompulsoryBytes(c);
  return c;
}

}  // namespace tiletune
