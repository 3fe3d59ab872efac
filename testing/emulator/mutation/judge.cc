#include "testing/emulator/mutation/judge.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "testing/blackwell/kernel_runner.h"
#include "testing/emulator/mutation/mutation_cases.h"

namespace tiletune::emulator {
namespace {

constexpr uint64_t kFewestSteps = 1 << 12;
constexpr uint64_t kMostSteps = 1 << 24;
constexpr int kPatience = 4;  // times the steps of the unchanged kernel

// "deadlock" from "deadlock: warp 3 waits ...". What the runner says itself,
// about D and the counters, is a wrong result.
Verdict Caught(const testing::AssertionResult& failure) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kCaught;
  const std::string text = failure.message();
  verdict.message = text.substr(0, text.find('\n'));
  const bool is_finding = text.find(" [line ") != std::string::npos;
  verdict.check = is_finding ? text.substr(0, text.find(':')) : "wrong result";
  return verdict;
}

// Sets the limit of steps of `c` to many times what `run` needs.
template <typename Run>
absl::Status SetPatience(KernelCase* c, Run run) {
  c->max_steps = kFewestSteps;
  testing::AssertionResult result = run(*c);
  while (!result && c->max_steps < kMostSteps) {
    c->max_steps *= 2;
    result = run(*c);
  }
  if (!result) {
    return absl::InvalidArgumentError("the unchanged kernel fails: " +
                                      ToString(*c) + ": " + result.message());
  }
  c->max_steps *= kPatience;
  return absl::OkStatus();
}

}  // namespace

Judge::Judge(const KernelVariant& variant, const std::string& kernel_ptx,
             const std::string& repack_ptx, int seeds)
    : variant_(variant),
      kernel_ptx_(kernel_ptx),
      repack_ptx_(repack_ptx),
      cases_(MutationCases(variant, seeds)),
      pair_(MutationPair(variant)) {}

absl::StatusOr<std::unique_ptr<Judge>> Judge::Create(
    const KernelVariant& variant, const std::string& kernel_ptx,
    const std::string& repack_ptx, int seeds) {
  std::unique_ptr<Judge> judge(
      new Judge(variant, kernel_ptx, repack_ptx, seeds));
  absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
      KernelRunner::Create(variant, kernel_ptx, repack_ptx);
  if (!runner.ok()) return runner.status();
  for (KernelCase& c : judge->cases_) {
    const absl::Status status = SetPatience(
        &c, [&runner](const KernelCase& k) { return (*runner)->Run(k); });
    if (!status.ok()) return status;
  }
  const KernelCase& second = judge->pair_.second;
  const absl::Status status =
      SetPatience(&judge->pair_.first, [&](const KernelCase& first) {
        return (*runner)->RunDependent(first, second);
      });
  if (!status.ok()) return status;
  return judge;
}

Verdict Judge::RunAll(const std::string& kernel_ptx) const {
  absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
      KernelRunner::Create(variant_, kernel_ptx, repack_ptx_);
  if (!runner.ok()) {
    return {Verdict::Kind::kCaught, "rejected",
            std::string(runner.status().message())};
  }
  for (const KernelCase& c : cases_) {
    const testing::AssertionResult result = (*runner)->Run(c);
    if (!result) return Caught(result);
  }
  const testing::AssertionResult result =
      (*runner)->RunDependent(pair_.first, pair_.second);
  return result ? Verdict() : Caught(result);
}

Verdict Judge::Try(const Mutant& mutant) const {
  Verdict verdict = RunAll(Apply(mutant, kernel_ptx_));
  if (verdict.kind == Verdict::Kind::kCaught) return verdict;
  const Verdict probe = RunAll(Apply(ProbeOf(mutant), kernel_ptx_));
  if (probe.kind == Verdict::Kind::kSurvived) {
    verdict.kind = Verdict::Kind::kUnreached;
  }
  return verdict;
}

Verdict Judge::TryTogether(const Mutant& mutant,
                           const std::vector<const Mutant*>& others) const {
  Mutant both = mutant;
  std::set<int> changed;
  for (const auto& edit : mutant.edits) changed.insert(edit.first);
  for (const Mutant* other : others) {
    bool overlaps = false;
    for (const auto& edit : other->edits) {
      overlaps = overlaps || changed.count(edit.first) != 0;
    }
    if (overlaps) continue;
    for (const auto& edit : other->edits) {
      changed.insert(edit.first);
      both.edits.push_back(edit);
    }
  }
  return RunAll(Apply(both, kernel_ptx_));
}

}  // namespace tiletune::emulator
