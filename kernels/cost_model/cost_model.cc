#include "kernels/cost_model/cost_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/tiling.h"

namespace tiletune {
namespace {

double ClockOf(const DeviceFacts& device) { return device.max_clock_mhz * 1e6; }

// Bytes of A and B count for more where rows are off the lines of L2.
double LoadCost(const CostCounts& c, const CostParameters& q) {
  return c.misaligned_load ? q.misaligned_load : 1;
}

// Of the whole device, in operations per second with operands of this width:
// 8-bit ones run twice as fast as 16-bit ones.
double PeakOf(const CostCounts& c, const DeviceFacts& device) {
  return device.dense_16bit_flops * 2.0 / c.bytes_per_k;
}

bool AddsBlocks(const KernelVariant& v) {
  return (v.scaling_mask >> static_cast<uint32_t>(Scaling::kBlock128) & 1) != 0;
}

// Whether a consumer's registers hold two products of 64 rows beside the sums,
// so that one is added while the other is computed; as
// hopper/mainloop_block_scaled.cuh has it.
bool HoldsTwoProducts(const KernelVariant& v) {
  constexpr int kRegisters = 192;
  const int consumers = v.threads / 128 - 1;
  const int row_blocks = v.tile_m / 64 / std::max(1, consumers);
  return (row_blocks + 2) * v.tile_n / 2 <= kRegisters;
}

// Seconds of one CTA's CUDA cores for one stage of K, in which the tensor cores
// wait: with scales per block they add each product of 128 of K to the sums.
double SecondsOfAdditions(const KernelVariant& v, const DeviceFacts& device,
                          const CostParameters& q) {
  if (!AddsBlocks(v)) return 0;
  const double additions = v.tile_m * v.tile_n * (v.tile_k / 128.0);
  const double rate = HoldsTwoProducts(v) ? q.block_additions_per_clock
                                          : q.lone_block_additions_per_clock;
  return v.ctas_per_sm * additions / (rate * ClockOf(device));
}

// Seconds of one CTA for one stage of K: tensor cores, the shared memory that
// feeds them, the L2 that feeds the SM, or the latency of a load over the
// stages that are under way together, whichever is slowest.
double SecondsPerKTile(const CostCounts& c, const DeviceFacts& device,
                       const CostParameters& q) {
  const KernelVariant& v = *c.variant;
  const double clock = ClockOf(device);
  const double flops = 2.0 * v.tile_m * v.tile_n * v.tile_k;
  const double mma =
      flops * v.ctas_per_sm /
      (PeakOf(c, device) / device.sm_count * q.mainloop_efficiency);
  // Each MMA of 64 (Hopper) or 128 rows reads its A once and the whole of B;
  // a pair of SMs holds half of B each.
  const double rows_per_mma =
      v.architecture == Architecture::kBlackwell ? std::min(128, v.tile_m) : 64;
  const double passes = std::ceil(v.tile_m / rows_per_mma);
  const double row_bytes = v.tile_k * c.bytes_per_k;
  const double smem_bytes =
      row_bytes * (v.tile_m + passes * v.tile_n / v.cta_group);
  const double load_bytes =
      row_bytes * (v.tile_m + static_cast<double>(v.tile_n) / v.cta_group);
  const double products =
      std::max(mma, smem_bytes / (q.smem_bytes_per_clock * clock));
  return std::max(
      {products + SecondsOfAdditions(v, device, q),
       load_bytes * LoadCost(c, q) / (q.l2_bytes_per_sm_clock * clock),
       q.load_latency / v.stages});
}

// Elements of D in one CTA's tile, at most all of them.
double ElementsOfTile(const CostCounts& c) {
  return std::min<double>(c.variant->tile_m, c.rows) *
         std::min<double>(c.variant->tile_n, c.columns);
}

// Bytes that a CTA writes to D in a clock.
double StoreRate(const CostCounts& c, const CostParameters& q) {
  const double rate = c.variant->swaps_operands
                          ? q.swapped_store_bytes_per_sm_clock
                          : q.store_bytes_per_sm_clock;
  return c.scalar_store ? std::min(rate, q.scalar_store_bytes_per_sm_clock)
                        : rate;
}

// One CTA's epilogue of one tile, `bytes_per_element` read and written.
double EpilogueSeconds(const CostCounts& c, double bytes_per_element,
                       double rate, const DeviceFacts& device,
                       const CostParameters& q) {
  const KernelVariant& v = *c.variant;
  const double clock = ClockOf(device);
  double seconds = q.epilogue_fixed;
  double elements = ElementsOfTile(c);
  if (v.cluster_k > 1) {
    // CTAs that share a tile's K pass their sums on through shared memory
    // first, then each stores its part.
    const double passed =
        sizeof(float) * elements * (v.cluster_k - 1) / v.cluster_k;
    seconds += q.cluster_sum_fixed +
               passed / (q.cluster_sum_bytes_per_sm_clock * clock);
    elements /= v.cluster_k;
  }
  return seconds + bytes_per_element * elements / (rate * clock);
}

bool OverlapsEpilogue(const KernelVariant& v) {
  return v.accumulators > 1 || v.schedule == MainloopSchedule::kPingPong;
}

double LaunchSeconds(const KernelVariant& v, const CostParameters& q) {
  double seconds = q.launch;
  if (ClusterSize(v) > 1) seconds += q.cluster_launch;
  if (v.supply == SupplyKind::kQueue) seconds += q.queue_launch;
  if (v.supply == SupplyKind::kClc) seconds += q.clc_launch;
  return seconds;
}

double SupplySeconds(const CostCounts& c, double tile_seconds, double waves,
                     const CostParameters& q) {
  const KernelVariant& v = *c.variant;
  if (v.supply == SupplyKind::kStatic) return 0;
  const bool clc = v.supply == SupplyKind::kClc;
  const double latency = clc ? q.clc_latency : q.queue_latency;
  const double per_tile = clc ? q.clc_per_tile : q.queue_per_tile;
  // A request is under way while request_depth tiles are computed.
  const double hidden = std::max(1, v.request_depth) * tile_seconds;
  return waves * (per_tile + std::max(0.0, latency - hidden));
}

// Whether all slices of a tile run at once and share the work of its sum.
bool SharesSums(const CostCounts& c) {
  const KernelVariant& v = *c.variant;
  return v.architecture == Architecture::kHopper &&
         v.supply == SupplyKind::kStatic && c.split * c.slices <= c.resident;
}

// Partial tiles go to the workspace in fp32. Where slices share the sum, each
// writes, reads and clears what makes one tile; else the last to arrive reads
// them all.
double SplitKSeconds(const CostCounts& c, const DeviceFacts& device,
                     const CostParameters& q) {
  if (c.split == 0) return 0;
  const double moved =
      (SharesSums(c) ? 3 : c.slices) * sizeof(float) * ElementsOfTile(c);
  return q.split_k_fixed +
         moved / (q.split_k_bytes_per_sm_clock * ClockOf(device));
}

// What takes longest hides the rest, but not all of it: a norm between the
// maximum (infinite power) and the sum (1).
double Overlapped(double x, double y, double z = 0) {
  constexpr double kPower = 6;
  const double most = std::max({x, y, z});
  if (most <= 0) return 0;
  const auto part = [most](double t) { return std::pow(t / most, kPower); };
  return most * std::pow(part(x) + part(y) + part(z), 1 / kPower);
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

PredictedCost Price(const CostCounts& c, const DeviceFacts& device,
                    const CostParameters& q) {
  const KernelVariant& v = *c.variant;
  PredictedCost r;
  r.launch = LaunchSeconds(v, q);
  r.fill = q.fill;
  r.waves = c.items() / c.resident;
  const double whole_rounds = std::ceil(c.whole / c.resident);
  const double split_rounds = std::ceil(c.split * c.slices / c.resident);
  const double rounds = whole_rounds + split_rounds;
  r.wave_efficiency = r.waves / rounds;
  r.tile_efficiency = c.tile_efficiency();

  const double per_k_tile = SecondsPerKTile(c, device, q);
  const double mainloop = c.k_tiles * per_k_tile;
  r.compute =
      whole_rounds * mainloop + split_rounds * c.slice_k_tiles * per_k_tile;

  const double epilogue =
      EpilogueSeconds(c, c.d_bytes_per_element, StoreRate(c, q), device, q);
  // A slice's sums leave in vectors, whichever way D does; then its share of D.
  const double partial =
      EpilogueSeconds(c, sizeof(float), q.store_bytes_per_sm_clock, device, q) +
      c.d_bytes_per_element * ElementsOfTile(c) /
          ((SharesSums(c) ? c.slices : 1) * StoreRate(c, q) * ClockOf(device));
  const double hidden =
      OverlapsEpilogue(v) ? std::min(mainloop, q.overlap * epilogue) : 0;
  // Every tile but a CTA's last has a next mainloop to hide behind.
  r.epilogue = whole_rounds * epilogue + split_rounds * partial -
               (rounds - 1) * std::min(hidden, partial);

  const double elements = c.rows * c.columns * c.batches;
  const double output = c.d_bytes_per_element * elements;
  const double partials =
      2 * sizeof(float) * elements * c.slices * c.split / c.tiles;
  r.l2 = (c.requested_bytes * LoadCost(c, q) + output + partials) /
         (q.l2_bytes_per_clock * ClockOf(device));
  r.l2_hit_rate =
      c.requested_bytes > 0 ? 1 - c.fetched_bytes / c.requested_bytes : 0;
  r.dram_bytes = c.fetched_bytes + output;
  const double busy_sms =
      std::min(c.items(), c.resident) * ClusterSize(v) / v.ctas_per_sm;
  r.dram = r.dram_bytes /
           std::min(device.memory_bytes_per_second * q.dram_efficiency,
                    busy_sms * q.dram_bytes_per_sm_second);

  r.supply = SupplySeconds(c, mainloop + epilogue - hidden, rounds, q);
  r.split_k = SplitKSeconds(c, device, q);
  // MMAs of what lies outside D multiply zeros: they draw power all the same.
  r.power =
      c.flops() / r.tile_efficiency / (PeakOf(c, device) * q.power_share) +
      c.received_bytes / q.power_bytes_per_second;
  if (c.repack_bytes > 0) {
    r.repack =
        q.repack_fixed +
        c.repack_bytes / (device.memory_bytes_per_second * q.repack_efficiency);
  }
  const double busy = r.launch + r.fill + Overlapped(r.compute, r.l2, r.dram) +
                      r.epilogue + r.supply + r.split_k;
  r.seconds = Overlapped(busy, r.power) + r.repack;
  return r;
}

PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device, const CostParameters& q) {
  const GemmProblem p = Normalized(problem);
  if (config.variant->architecture == Architecture::kAny) {
    return PredictReference(p, device, q);
  }
  const std::optional<CostCounts> counts = CountCosts(p, config, device);
  if (counts.has_value()) return Price(*counts, device, q);
  PredictedCost nothing;
  nothing.seconds = nothing.launch = q.launch;
  return nothing;
}

double LeastSeconds(const GemmProblem& problem, const GemmConfig& config,
                    const DeviceFacts& device) {
  if (config.variant->architecture == Architecture::kAny) return 0;
  const std::optional<CostCounts> counts =
      CountLeastCosts(Normalized(problem), config, device);
  if (!counts.has_value()) return 0;
  // A sum of powers rises with each of them but for its rounding.
  constexpr double kRounding = 1e-9;
  return Price(*counts, device, ParametersOf(device)).seconds * (1 - kRounding);
}

PredictedCost Predict(const GemmProblem& problem, const GemmConfig& config,
                      const DeviceFacts& device) {
  return Predict(problem, config, device, ParametersOf(device));
}

}  // namespace tiletune
