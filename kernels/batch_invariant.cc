#include "kernels/batch_invariant.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/cost_model/cost_model.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

// The fastest predicted config of each sum order, with its seconds.
std::map<std::string, std::pair<double, GemmConfig>> BestOfEachOrder(
    const GemmProblem& problem, const DeviceFacts& device,
    CanLaunch can_launch) {
  std::map<std::string, std::pair<double, GemmConfig>> best;
  CandidateOptions whole;
  whole.splits = {1};
  for (const GemmConfig& config : LegalConfigs(problem, device, whole)) {
    if (config.variant->supply != SupplyKind::kStatic) continue;
    if (!device.modelled && !can_launch(*config.variant)) continue;
    const std::string order = SumOrder(config);
    if (order.empty()) continue;
    const double seconds = Predict(problem, config, device).seconds;
    const auto [it, is_new] = best.emplace(order, std::pair(seconds, config));
    if (!is_new && seconds < it->second.first) it->second = {seconds, config};
  }
  return best;
}

const char* FamilyOf(Architecture architecture) {
  switch (architecture) {
    case Architecture::kAny:
      return "any";
    case Architecture::kHopper:
      return "sm90";
    case Architecture::kBlackwell:
      return "sm100";
  }
  return "unknown";
}

}  // namespace

std::string SumOrder(const GemmConfig& config) {
  const KernelVariant& v = *config.variant;
  if (config.split_k > 1) return "";
  return absl::StrCat(FamilyOf(v.architecture), " ", v.operand_bits, "b k",
                      v.tile_k, " x", v.cluster_k,
                      v.swaps_operands ? " swapped" : "");
}

GemmProblem LayerOf(const GemmProblem& problem) {
  GemmProblem layer = problem;
  layer.m = 0;
  layer.lda = layer.ldb = layer.ldc = layer.ldd = kPacked;
  layer.batch_stride_a = layer.batch_stride_b = kPacked;
  layer.batch_stride_c = layer.batch_stride_d = kPacked;
  layer.pointer_alignment = 16;
  return Normalized(layer);
}

absl::StatusOr<std::string> PredictedSumOrder(const GemmProblem& layer,
                                              const DeviceFacts& device,
                                              CanLaunch can_launch) {
  constexpr int64_t kRows[] = {1, 16, 64, 256, 1024, 8192};
  struct Score {
    int rows = 0;
    double log_seconds = 0;
  };
  std::map<std::string, Score> scores;
  for (const int64_t m : kRows) {
    GemmProblem problem = LayerOf(layer);
    problem.m = m;
    problem.lda = problem.ldb = problem.ldc = problem.ldd = kPacked;
    problem.batch_stride_a = problem.batch_stride_b = kPacked;
    problem.batch_stride_c = problem.batch_stride_d = kPacked;
    problem = Normalized(problem);
    for (const auto& [order, best] :
         BestOfEachOrder(problem, device, can_launch)) {
      Score& score = scores[order];
      ++score.rows;
      score.log_seconds += std::log(best.first);
    }
  }
  const std::pair<const std::string, Score>* chosen = nullptr;
  for (const auto& candidate : scores) {
    if (candidate.second.rows < static_cast<int>(std::size(kRows))) continue;
    if (chosen == nullptr ||
        candidate.second.log_seconds < chosen->second.log_seconds) {
      chosen = &candidate;
    }
  }
  if (chosen != nullptr) return chosen->first;
  return absl::FailedPreconditionError(
      "no kernels here run every M of this layer with one order of its sums");
}

absl::StatusOr<GemmConfig> BestWithSumOrder(const GemmProblem& problem,
                                            const std::string& sum_order,
                                            const DeviceFacts& device,
                                            CanLaunch can_launch) {
  const auto best = BestOfEachOrder(problem, device, can_launch);
  const auto found = best.find(sum_order);
  if (found != best.end()) return found->second.second;
  return absl::FailedPreconditionError(absl::StrCat(
      "no kernel here runs this problem with the sum order ", sum_order));
}

}  // namespace tiletune
