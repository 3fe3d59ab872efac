#include "testing/blackwell/kernel_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/glob.h"

namespace tiletune {
namespace {

constexpr size_t kNamesShown = 5;

// Insertions, deletions and replacements between two names.
size_t Distance(const std::string& x, const std::string& y) {
  std::vector<size_t> row(y.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= x.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j < row.size(); ++j) {
      const size_t replaced = diagonal + (x[i - 1] != y[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> Nearest(const std::string& name) {
  std::vector<std::string> names = BlackwellKernels("*");
  std::stable_sort(names.begin(), names.end(),
                   [&name](const std::string& x, const std::string& y) {
                     return Distance(name, x) < Distance(name, y);
                   });
  names.resize(std::min(names.size(), kNamesShown));
  return names;
}

}  // namespace

std::vector<std::string> BlackwellKernels(const std::string& glob) {
  std::vector<std::string> names;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kBlackwell) continue;
    if (GlobMatches(glob, v.name)) names.push_back(v.name);
  }
  return names;
}

absl::StatusOr<const KernelVariant*> FindBlackwellKernel(
    const std::string& name) {
  const KernelVariant* variant = FindVariant(name);
  if (variant != nullptr && variant->architecture == Architecture::kBlackwell) {
    return variant;
  }
  const std::string what =
      variant == nullptr ? "there is no kernel " : "no Blackwell kernel: ";
  return absl::NotFoundError(
      absl::StrCat(what, name, "; --list names all, the nearest are\n  ",
                   absl::StrJoin(Nearest(name), "\n  ")));
}

}  // namespace tiletune
