#include "autotune/store/row_check.h"

#include <cmath>
#include <cstdint>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autotune/store/convert.h"
#include "autotune/store/row_clock.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

absl::Status CheckDuration(const Row& row, const char* column) {
  const double ns = row.Find(column) == nullptr ? 1 : row.Real(column);
  if (std::isfinite(ns) && ns > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column, " of ", ns, " is no time"));
}

absl::Status CheckDate(const Row& row) {
  const Value* const date = row.Find("recorded_at_us");
  if (date == nullptr) return absl::OkStatus();
  // SQLite would take "9000000000000000000" and 9e18 for one, too.
  if (!std::holds_alternative<int64_t>(*date)) {
    return absl::InvalidArgumentError("recorded_at_us is no whole number");
  }
  const int64_t at = std::get<int64_t>(*date);
  if (at < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("recorded_at_us of ", at, " is no date"));
  }
  if (at - kMostAheadMicros <= NowMicros()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("recorded_at_us of ", at, " is more than a century ahead"));
}

// Of the quarantine; an empty one is every policy.
absl::Status CheckPolicy(const Row& row) {
  const std::string policy = row.Text("policy");
  return policy.empty() ? absl::OkStatus() : ParsePolicy(policy).status();
}

absl::Status CheckDevice(const Row& row) {
  const std::string fingerprint = DeviceFrom(row).Fingerprint();
  if (row.Text("device") == fingerprint) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("its columns make another device, ", fingerprint,
                   ", than its name, ", row.Text("device")));
}

}  // namespace

RowClaim ClaimOf(const Row& row) {
  return {row.Text("problem"), row.Text("config"), row.Text("build"),
          row.Text("variant"), row.Text("supply"), DeviceFrom(row)};
}

absl::Status CheckClaim(const RowClaim& claim) {
  const KernelVariant* const variant = FindVariant(claim.variant);
  if (variant == nullptr || claim.build != variant->build_fingerprint) {
    return absl::OkStatus();
  }
  const absl::StatusOr<GemmConfig> config = ParseConfig(claim.config);
  if (!config.ok()) {
    return absl::FailedPreconditionError(config.status().message());
  }
  if (config->variant != variant || claim.supply != RecordOf(*config).supply) {
    return absl::FailedPreconditionError(
        absl::StrCat(claim.config, " is no config of the kernel ",
                     claim.variant, " with supply ", claim.supply));
  }
  const absl::StatusOr<GemmProblem> problem = ParseProblemKey(claim.problem);
  if (!problem.ok()) return absl::OkStatus();  // of a newer program
  const std::string key = ProblemKey(Normalized(*problem));
  if (key != claim.problem) {
    return absl::FailedPreconditionError(
        absl::StrCat("the problem ", claim.problem, " is written ", key));
  }
  const absl::Status legal = CheckLegal(*problem, *config, claim.device);
  if (legal.ok()) return legal;
  return absl::FailedPreconditionError(
      absl::StrCat(claim.problem, ": ", legal.message()));
}

absl::Status CheckRow(const Transfer& transfer, const Row& row) {
  const bool is_prediction = &transfer == &kPredictions;
  // A file knows a device by the facts of the first row that names it, of
  // whatever kind.
  absl::Status status =
      row.Find("sm_count") == nullptr ? absl::OkStatus() : CheckDevice(row);
  if (status.ok() && &transfer == &kQuarantine) status = CheckPolicy(row);
  if (!is_prediction && &transfer != &kMeasurements) return status;
  if (status.ok()) status = CheckDate(row);
  if (!status.ok()) return status;
  // One that failed claims no time, and never wins.
  if (!is_prediction && row.Text("outcome") != Name(Outcome::kOk))
    return status;
  status = CheckDuration(row, is_prediction ? "predicted_ns" : "median_ns");
  if (!status.ok()) return status;
  return CheckClaim(ClaimOf(row));
}

}  // namespace tiletune
