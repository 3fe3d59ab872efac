#include "testing/emulator/mutation/mutation_cases.h"

#include <algorithm>
#include <cstdint>

namespace tiletune::emulator {
namespace {

// Several times the warp instructions of an epilogue.
constexpr uint32_t kLongDelay = 200000;
// One in ten to one in three delays a certain commit beyond all else.
constexpr int kLateInterleavings = 32;

// tiles_m x tiles_n cluster tiles of k_tiles stages; the last of each
// dimension is partial.
GemmProblem Problem(const KernelVariant& v, int tiles_m, int tiles_n,
                    int k_tiles) {
  GemmProblem p;
  const int64_t m = tiles_m * v.tile_m * v.cluster_m - 24;
  const int64_t n = tiles_n * v.tile_n * v.cluster_n - 8;
  p.m = v.swaps_operands ? n : m;
  p.n = v.swaps_operands ? m : n;
  p.k = k_tiles * v.tile_k - 8;
  return p;
}

KernelCase Plain(const KernelVariant& variant) {
  KernelCase c;
  c.variant = &variant;
  c.problem = Problem(variant, 2, 3, 4);
  c.refusal_rate = 0.1;
  return c;
}

KernelCase EveryTileInOneCluster(const KernelVariant& variant) {
  KernelCase c;
  c.variant = &variant;
  const int tiles_n = std::max(3, variant.accumulators * 3 / 2);
  const int k_tiles = std::max(2, 3 * variant.stages / (2 * tiles_n) + 1);
  c.problem = Problem(variant, 2, tiles_n, k_tiles);
  c.problem.layout = Layout::kNT;
  c.problem.epilogue.reads_c = true;
  c.problem.epilogue.bias = Bias::kPerColumn;
  c.beta = 2;
  c.in_place = true;
  c.resident_clusters = 1;
  return c;
}

KernelCase SplitK(const KernelVariant& variant) {
  KernelCase c = Plain(variant);
  c.problem.d_type = DataType::kFp32;
  c.split_k = 2;
  c.resident_clusters = 5;
  return c;
}

KernelCase EverySliceInOneCluster(const KernelVariant& variant) {
  KernelCase c = SplitK(variant);
  c.problem.k = 2 * variant.tile_k - 8;
  c.resident_clusters = 1;
  c.refusal_rate = 0;
  return c;
}

// Two clusters with a tile each, which fills every stage once. The rows of D
// are no multiple of 16 bytes, so that no TMA store keeps a CTA from exiting.
KernelCase Late(const KernelVariant& variant) {
  KernelCase c = Plain(variant);
  c.problem = Problem(variant, 2, 1, variant.stages);
  c.problem.n -= 1;
  c.refusal_rate = 0;
  c.max_delay = kLongDelay;
  c.interleavings = kLateInterleavings;
  return c;
}

KernelCase Starved(const KernelVariant& variant, int warp) {
  KernelCase c = Plain(variant);
  c.problem = Problem(variant, 1, 3, 2);
  c.resident_clusters = 1;
  c.refusal_rate = 0;
  c.starved_warp = warp;
  return c;
}

}  // namespace

std::vector<KernelCase> MutationCases(const KernelVariant& variant, int seeds) {
  std::vector<KernelCase> cases;
  const auto add = [&cases](KernelCase c, int seed) {
    c.seed = static_cast<uint64_t>(seed);
    c.problem = Normalized(c.problem);
    cases.push_back(c);
  };
  for (int seed = 1; seed <= seeds; ++seed) {
    add(Plain(variant), seed);
    add(EveryTileInOneCluster(variant), seed);
    add(SplitK(variant), seed);
    add(EverySliceInOneCluster(variant), seed);
  }
  for (int warp = 0; warp < variant.threads / 32; ++warp) {
    add(Starved(variant, warp), 1);
  }
  for (int seed = 1; seed <= seeds; ++seed) add(Late(variant), seed);
  return cases;
}

DependentCases MutationPair(const KernelVariant& variant) {
  KernelCase c;
  c.variant = &variant;
  c.resident_clusters = 5;  // a few for the grid that starts early
  c.interleavings = 2;
  GemmProblem p;
  p.m = 2 * variant.tile_m * variant.cluster_m - 24;
  p.d_type = p.a_type = p.b_type =
      variant.operand_bits == 8 ? DataType::kFp8E4m3 : DataType::kBf16;
  DependentCases pair = {c, c};
  p.n = 2 * variant.tile_k;
  p.k = variant.tile_k;
  pair.first.problem = Normalized(p);
  p.k = p.n;
  p.n = 80;
  pair.second.problem = Normalized(p);
  pair.second.split_k = 2;
  return pair;
}

}  // namespace tiletune::emulator
