#include "autotune/planted/defect_list.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kernels/glob.h"

namespace tiletune {
namespace {

// In the order of the enum.
constexpr const char* kNames[] = {
    "none",
    "skips-last-rows",
    "skips-last-columns",
    "skips-last-k-block",
    "one-k-too-many",
    "ignores-beta",
    "beta-is-one",
    "ignores-bias",
    "bias-of-wrong-side",
    "forgets-activation",
    "writes-nothing",
    "writes-before",
    "writes-behind",
    "writes-between",
    "one-nan",
    "off-by-one-column",
    "transposed-tile",
    "skips-one-tile",
    "one-tile-twice",
    "skips-a-tile-at-times",
    "tears-at-times",
    "adds-to-old-output",
    "sums-in-bf16",
    "truncates",
    "swaps-scales",
    "batch-zero-only",
    "wrong-amax",
    "hangs",
    "takes-seconds",
    "traps",
    "illegal-address",
    "misaligned",
    "overflows-stack",
    "out-of-memory",
    "aborts",
    "exits",
    "segfaults",
};
constexpr int kCount = sizeof(kNames) / sizeof(kNames[0]);
static_assert(static_cast<int>(Defect::kSegfaults) == kCount - 1);

}  // namespace

std::string_view Name(Defect defect) {
  return kNames[static_cast<int>(defect)];
}

std::vector<Defect> AllDefects() {
  std::vector<Defect> all;
  for (int i = 1; i < kCount; ++i) all.push_back(static_cast<Defect>(i));
  return all;
}

bool IsBug(Defect defect) {
  return defect != Defect::kNone && defect < Defect::kHangs;
}

absl::StatusOr<DefectList> DefectList::Parse(std::string_view text) {
  DefectList list;
  for (absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',',
                      absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(part, ':');
    Defect found = Defect::kNone;
    for (Defect defect : AllDefects()) {
      if (fields[0] == Name(defect)) found = defect;
    }
    if (fields.size() != 2 || found == Defect::kNone) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", part, "' is no DEFECT:GLOB"));
    }
    list.entries_.emplace_back(found, fields[1]);
  }
  return list;
}

Defect DefectList::Of(std::string_view config_key) const {
  for (const auto& [defect, glob] : entries_) {
    if (GlobMatches(glob, config_key)) return defect;
  }
  return Defect::kNone;
}

}  // namespace tiletune
