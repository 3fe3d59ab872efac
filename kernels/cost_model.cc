#include "kernels/cost_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/tiling.h"
#include "scheduler/l2_traffic.h"
#include "scheduler/order.h"

namespace tiletune {
namespace {

// The counts that every part of the model needs.
struct Counts {
  const KernelVariant& v;
  double rows, columns;  // of D, or of its transpose if operands change places
  double bytes_per_k;    // operand bytes per element of K
  double resident;       // W: clusters at work at once
  double tiles;          // cluster tiles, batches included
  double whole;          // of these, computed in one piece
  double split;          // of these, cut into slices along K
  double slices;
  double k_tiles;        // of one CTA for a whole tile
  double slice_k_tiles;  // and for a slice
  double clock;          // Hz
  Order order;

  // T: what the supply hands out.
  double items() const { return whole + split * slices; }
};

std::optional<Counts> CountsOf(const GemmProblem& p, const GemmConfig& config,
                               const DeviceFacts& device) {
  const KernelVariant& v = *config.variant;
  const std::optional<TileGrid> grid = ClusterTileGrid(p, v);
  if (!grid.has_value()) return std::nullopt;
  std::optional<Order> order = MakeOrder(*grid, OrderOptionsOf(config));
  if (!order.has_value() || order->size() == 0) return std::nullopt;
  int32_t sms = device.sm_count;
  if (config.max_sms != 0) {
    sms = std::min<int32_t>(sms, static_cast<int32_t>(config.max_sms));
  }
  const uint64_t workers = static_cast<uint64_t>(ResidentClusters(v, sms));
  const uint32_t slices = order->k_slices;
  const uint64_t tiles = order->size() / slices;
  uint64_t split = slices > 1 ? tiles : 0;
  if (split > 0 && SplitsOnlyTheLastWave(v)) {
    split = tiles % workers;
    if (split < tiles) order->k_slices = 1;  // most tiles are whole
  }
  const auto per_cta = [&v](uint32_t k_tiles) {
    return std::ceil(static_cast<double>(k_tiles) / v.cluster_k);
  };
  return Counts{v,
                static_cast<double>(v.swaps_operands ? p.n : p.m),
                static_cast<double>(v.swaps_operands ? p.m : p.n),
                static_cast<double>(BytesOf(p.a_type)),
                static_cast<double>(workers),
                static_cast<double>(tiles),
                static_cast<double>(tiles - split),
                static_cast<double>(split),
                static_cast<double>(slices),
                per_cta(grid->k_tiles),
                per_cta(KTilesOfSlice(grid->k_tiles, slices, 0).count),
                device.max_clock_mhz * 1e6,
                *order};
}

// Seconds of one CTA for one stage of K: tensor cores or the shared memory that
// feeds them, whichever is slower, or the L2 that feeds the SM.
double SecondsPerKTile(const Counts& c, const DeviceFacts& device,
                       const CostParameters& q) {
  const KernelVariant& v = c.v;
  const double peak_per_sm = device.dense_16bit_flops / device.sm_count;
  const double speedup = 2.0 / c.bytes_per_k;  // 8-bit operands: twice as fast
  const double flops = 2.0 * v.tile_m * v.tile_n * v.tile_k;
  const double mma =
      flops / (peak_per_sm * speedup * q.mainloop_efficiency / v.ctas_per_sm);
  // Each MMA of 64 (Hopper) or 128 rows reads its A once and the whole of B;
  // a pair of SMs holds half of B each.
  const double rows_per_mma =
      v.architecture == Architecture::kBlackwell ? std::min(128, v.tile_m) : 64;
  const double passes = std::ceil(v.tile_m / rows_per_mma);
  const double smem_bytes =
      v.tile_k * c.bytes_per_k * (v.tile_m + passes * v.tile_n / v.cta_group);
  const double smem = smem_bytes / (q.smem_bytes_per_clock * c.clock);
  const double a_bytes = v.tile_m * v.tile_k * c.bytes_per_k;
  const double b_bytes = v.tile_n * v.tile_k * c.bytes_per_k / v.cta_group;
  const double load = (a_bytes + b_bytes) / (q.l2_bytes_per_sm_clock * c.clock);
  return std::max({mma, smem, load}) + q.cycles_per_k_tile / c.clock;
}

// Bytes of A and B that all CTAs ask L2 for; a multicast counts once.
double RequestedBytes(const GemmProblem& p, const Counts& c) {
  const KernelVariant& v = c.v;
  const double per_k =
      c.bytes_per_k * (v.tile_m * v.cluster_m + v.tile_n * v.cluster_n);
  return c.tiles * per_k * static_cast<double>(p.k);
}

// Bytes of A and B that miss in L2: the panels that each wave touches, less
// what L2 still holds from the waves before.
double FetchedBytes(const Counts& c, const DeviceFacts& device, double k) {
  const KernelVariant& v = c.v;
  const double depth = k * c.bytes_per_k / c.order.k_slices;
  PanelBytes panels;
  panels.a = static_cast<uint64_t>(v.tile_m * v.cluster_m * depth);
  panels.b = static_cast<uint64_t>(v.tile_n * v.cluster_n * depth);
  const L2Traffic traffic =
      PredictL2Traffic(c.order, panels, static_cast<uint64_t>(c.resident));
  const double unique = static_cast<double>(traffic.unique);
  // Tiles reach over the edges of D; bytes of A and B do not.
  const double batches = c.order.batches;
  const double compulsory = batches * k * c.bytes_per_k * (c.rows + c.columns);
  const double clipped = std::min(
      unique, unique * compulsory /
                  std::max(1.0, static_cast<double>(traffic.compulsory)));
  // Operands that fit in L2 stay there, whatever the order.
  constexpr double kUsableL2 = 0.7;
  const double kept =
      std::min(1.0, kUsableL2 * static_cast<double>(device.l2_bytes) /
                        std::max(1.0, compulsory / batches));
  return compulsory + std::max(0.0, clipped - compulsory) * (1 - kept);
}

// One CTA's epilogue of one tile, `bytes_per_element` read and written.
double EpilogueSeconds(const Counts& c, double bytes_per_element,
                       const CostParameters& q) {
  const KernelVariant& v = c.v;
  const double elements = std::min<double>(v.tile_m, c.rows) *
                          std::min<double>(v.tile_n, c.columns);
  // CTAs that share a tile's K pass their sums on through shared memory first,
  // then each stores its part.
  const double passed =
      sizeof(float) * elements * (v.cluster_k - 1) / v.cluster_k;
  const double bytes = passed + bytes_per_element * elements / v.cluster_k;
  return q.epilogue_fixed + bytes / (q.store_bytes_per_sm_clock * c.clock);
}

double BytesPerElementOfD(const GemmProblem& p) {
  return BytesOf(p.d_type) + (p.epilogue.reads_c ? BytesOf(p.c_type) : 0);
}

bool OverlapsEpilogue(const KernelVariant& v) {
  return v.accumulators > 1 || v.schedule == MainloopSchedule::kPingPong;
}

double SupplySeconds(const Counts& c, double tile_seconds, double waves,
                     const CostParameters& q) {
  if (c.v.supply == SupplyKind::kStatic) return 0;
  const bool clc = c.v.supply == SupplyKind::kClc;
  const double latency = clc ? q.clc_latency : q.queue_latency;
  const double per_tile = clc ? q.clc_per_tile : q.queue_per_tile;
  // A request is under way while request_depth tiles are computed.
  const double hidden = std::max(1, c.v.request_depth) * tile_seconds;
  return waves * (per_tile + std::max(0.0, latency - hidden));
}

// Partial tiles go to the workspace in fp32 and are read once more, by the last
// arriver alone: its own share is what the others cannot help with.
double SplitKSeconds(const Counts& c, const CostParameters& q) {
  if (c.split == 0) return 0;
  const double tile_bytes = sizeof(float) *
                            std::min<double>(c.v.tile_m, c.rows) *
                            std::min<double>(c.v.tile_n, c.columns);
  const double reread =
      c.slices * tile_bytes / (q.l2_bytes_per_sm_clock * c.clock);
  return q.split_k_fixed + reread;
}

// What takes longest hides the rest, but not all of it: a norm between the
// maximum (infinite power) and the sum (1).
double Overlapped(double x, double y, double z) {
  constexpr double kPower = 6;
  const double most = std::max({x, y, z});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kPower); };
  return most * std::pow(part(x) + part(y) + part(z), 1 / kPower);
}

// Whether TMA can read an operand where it lies: 16-byte base and lines.
bool NeedsRepack(const GemmProblem& p, const KernelVariant& v) {
  if (v.architecture == Architecture::kAny) return false;
  const int64_t bytes = BytesOf(p.a_type);
  const bool layout =
      (v.layout_mask >> static_cast<uint32_t>(p.layout) & 1) != 0;
  return !layout || p.pointer_alignment < 16 || p.lda * bytes % 16 != 0 ||
         p.ldb * bytes % 16 != 0;
}

// Read once, write once, at memory speed.
double RepackSeconds(const GemmProblem& p, const DeviceFacts& device,
                     const CostParameters& q) {
  const double batch = static_cast<double>(p.batch);
  const double elements = batch * static_cast<double>(p.k) *
                          (static_cast<double>(p.m) + static_cast<double>(p.n));
  return q.repack_fixed +
         2 * elements * BytesOf(p.a_type) /
             (device.memory_bytes_per_second * q.dram_efficiency);
}

// The reference kernel: plain fp32 FMA, far from any of these limits.
PredictedCost PredictReference(const GemmProblem& p, const DeviceFacts& device,
                               const CostParameters& q) {
  constexpr double kFlopsPerSmAndClock = 24;
  PredictedCost prediction;
  prediction.launch = q.launch;
  prediction.compute = Flops(p) / (kFlopsPerSmAndClock * device.sm_count *
                                   std::max(1, device.max_clock_mhz) * 1e6);
  prediction.seconds = prediction.launch + prediction.compute;
  return prediction;
}

}  // namespace

PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device, const CostParameters& q) {
  const GemmProblem p = Normalized(problem);
  if (config.variant->architecture == Architecture::kAny) {
    return PredictReference(p, device, q);
  }
  PredictedCost r;
  r.launch = q.launch;
  r.seconds = r.launch;
  const std::optional<Counts> counts = CountsOf(p, config, device);
  if (!counts.has_value()) return r;
  const Counts& c = *counts;

  r.waves = c.items() / c.resident;
  const double whole_rounds = std::ceil(c.whole / c.resident);
  const double split_rounds = std::ceil(c.split * c.slices / c.resident);
  const double rounds = whole_rounds + split_rounds;
  r.wave_efficiency = r.waves / rounds;
  const double area =
      c.tiles * c.v.tile_m * c.v.cluster_m * c.v.tile_n * c.v.cluster_n;
  r.tile_efficiency = c.rows * c.columns * static_cast<double>(p.batch) / area;

  const double per_k_tile = SecondsPerKTile(c, device, q);
  const double mainloop = c.k_tiles * per_k_tile;
  r.fill = q.fill;
  r.compute =
      whole_rounds * mainloop + split_rounds * c.slice_k_tiles * per_k_tile;
  // Busy tensor cores draw power; past a share of the peak the clock gives way.
  const double sustained = Flops(p) / (device.dense_16bit_flops * 2.0 /
                                       c.bytes_per_k * q.power_share);
  r.compute = std::max(r.compute, sustained / r.tile_efficiency);

  const double epilogue = EpilogueSeconds(c, BytesPerElementOfD(p), q);
  const double partial = EpilogueSeconds(c, sizeof(float), q);
  const double hidden =
      OverlapsEpilogue(c.v) ? std::min(mainloop, q.overlap * epilogue) : 0;
  // Every tile but a CTA's last has a next mainloop to hide behind.
  r.epilogue = whole_rounds * epilogue + split_rounds * partial -
               (rounds - 1) * std::min(hidden, partial);

  const double requested = RequestedBytes(p, c);
  const double elements = c.rows * c.columns * static_cast<double>(p.batch);
  const double output = BytesPerElementOfD(p) * elements;
  const double partials =
      2 * sizeof(float) * elements * c.slices * c.split / c.tiles;
  r.l2 = (requested + output + partials) / (q.l2_bytes_per_clock * c.clock);
  const double fetched =
      std::min(requested, FetchedBytes(c, device, static_cast<double>(p.k)));
  r.l2_hit_rate = requested > 0 ? 1 - fetched / requested : 0;
  r.dram_bytes = fetched + output;
  const double busy_sms =
      std::min(c.items(), c.resident) * ClusterSize(c.v) / c.v.ctas_per_sm;
  r.dram = r.dram_bytes /
           std::min(device.memory_bytes_per_second * q.dram_efficiency,
                    busy_sms * q.dram_bytes_per_sm_second);

  r.supply = SupplySeconds(c, mainloop + epilogue - hidden, rounds, q);
  r.split_k = SplitKSeconds(c, q);
  if (NeedsRepack(p, c.v)) r.repack = RepackSeconds(p, device, q);
  r.seconds = r.launch + r.fill + Overlapped(r.compute, r.l2, r.dram) +
              r.epilogue + r.supply + r.split_k + r.repack;
  return r;
}

PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device) {
  return Predict(problem, config, device, ParametersOf(device));
}

}  // namespace tiletune
