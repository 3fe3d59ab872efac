#include "dispatch/nearest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// The largest power of two, up to 16, that divides a stride in bytes. TMA
// needs 16 (PTX ISA, tensor maps), and kernels differ where it is less.
int64_t StrideAlignment(int64_t stride, DataType type) {
  const uint64_t bytes =
      static_cast<uint64_t>(stride) * static_cast<uint64_t>(BytesOf(type));
  const uint64_t lowest = bytes & (~bytes + 1);
  return bytes == 0 ? 0 : static_cast<int64_t>(std::min<uint64_t>(lowest, 16));
}

double LogRatio(int64_t x, int64_t y) {
  if (x == y) return 0;
  if (x <= 0 || y <= 0) return std::numeric_limits<double>::infinity();
  return std::log2(static_cast<double>(x) / static_cast<double>(y));
}

}  // namespace

GemmProblem FamilyOf(const GemmProblem& p) {
  GemmProblem family = p;
  family.m = family.n = family.k = 0;
  family.lda = StrideAlignment(p.lda, p.a_type);
  family.ldb = StrideAlignment(p.ldb, p.b_type);
  family.ldc = StrideAlignment(p.ldc, p.c_type);
  family.ldd = StrideAlignment(p.ldd, p.d_type);
  if (p.batch <= 1) {
    family.batch_stride_a = family.batch_stride_b = 0;
    family.batch_stride_c = family.batch_stride_d = 0;
    return family;
  }
  family.batch_stride_a = StrideAlignment(p.batch_stride_a, p.a_type);
  family.batch_stride_b = StrideAlignment(p.batch_stride_b, p.b_type);
  family.batch_stride_c = StrideAlignment(p.batch_stride_c, p.c_type);
  family.batch_stride_d = StrideAlignment(p.batch_stride_d, p.d_type);
  return family;
}

double Distance(const GemmProblem& x, const GemmProblem& y) {
  return std::hypot(LogRatio(x.m, y.m), LogRatio(x.n, y.n), LogRatio(x.k, y.k));
}

NearestIndex::NearestIndex(const ChoiceTable& table, const DeviceFacts& device)
    : device_(device) {
  for (const TableEntry* entry : table.Entries()) {
    const Why why = entry->choice.why;
    if (why != Why::kTuned && why != Why::kSystem) continue;
    families_[FamilyOf(entry->problem)].push_back(entry);
  }
}

std::optional<GemmConfig> NearestIndex::Guess(
    const GemmProblem& normalized, const GemmConfig& fallback) const {
  const auto family = families_.find(FamilyOf(normalized));
  if (family == families_.end()) return std::nullopt;
  std::vector<std::pair<double, const TableEntry*>> near;
  for (const TableEntry* entry : family->second) {
    const double distance = Distance(normalized, entry->problem);
    if (distance <= kFurthest) near.emplace_back(distance, entry);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) {
    return x.first < y.first;
  });
  if (near.size() > kNeighbours) near.resize(kNeighbours);

  const double most =
      kMostPredictedLoss * Predict(normalized, fallback, device_).seconds;
  std::optional<GemmConfig> best;
  double best_seconds = most;
  for (const auto& [distance, entry] : near) {
    GemmConfig config = entry->choice.config;
    // More CTAs than fit into launch clusters run without them.
    if (config.launch_cluster != 1 &&
        !CheckLegal(normalized, config, device_).ok()) {
      config.launch_cluster = 1;
    }
    if (!IsMeantFor(*config.variant, normalized) ||
        !CheckLegal(normalized, config, device_).ok()) {
      continue;
    }
    const double seconds = Predict(normalized, config, device_).seconds;
    // Not <=: among equals the nearest counts.
    if (best.has_value() ? seconds < best_seconds : seconds <= most) {
      best = config;
      best_seconds = seconds;
    }
  }
  return best;
}

}  // namespace tiletune
