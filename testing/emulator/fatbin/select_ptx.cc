#include "testing/emulator/fatbin/select_ptx.h"

#include <cctype>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "testing/emulator/fatbin/fatbin.h"

namespace tiletune::emulator {
namespace {

struct Target {
  int capability = 0;
  char suffix = ' ';  // 'a', 'f' or ' '
};

bool ParseTarget(std::string_view text, Target* target) {
  constexpr std::string_view kPrefix = "sm_";
  if (text.substr(0, kPrefix.size()) != kPrefix) return false;
  text.remove_prefix(kPrefix.size());
  size_t digits = 0;
  while (digits < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[digits]))) {
    ++digits;
  }
  if (digits < 2 || digits > 4 || text.size() - digits > 1) return false;
  target->capability = std::stoi(std::string(text.substr(0, digits)));
  target->suffix = digits < text.size() ? text[digits] : ' ';
  return target->suffix == ' ' || target->suffix == 'a' ||
         target->suffix == 'f';
}

std::string Listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : absl::StrJoin(names, ", ");
}

}  // namespace

bool TargetRunsOn(std::string_view text, int capability) {
  Target target;
  if (!ParseTarget(text, &target)) return false;
  if (target.suffix == 'a') return target.capability == capability;
  if (target.suffix == 'f') {
    return target.capability / 10 == capability / 10 &&
           target.capability <= capability;
  }
  return target.capability <= capability;
}

std::string_view TargetOf(std::string_view ptx) {
  constexpr std::string_view kDirective = "\n.target";
  size_t begin = ptx.find(kDirective);
  if (begin == std::string_view::npos) return {};
  begin = ptx.find_first_not_of(" \t", begin + kDirective.size());
  if (begin == std::string_view::npos) return {};
  const size_t end = ptx.find_first_of(" \t\r\n,", begin);
  return ptx.substr(begin, end == std::string_view::npos ? end : end - begin);
}

absl::StatusOr<std::string> SelectPtx(std::string_view fatbin, int capability) {
  absl::StatusOr<std::vector<FatbinImage>> images = ReadFatbin(fatbin);
  if (!images.ok()) return images.status();
  std::string best;
  std::pair<int, int> best_rank = {0, 0};
  std::vector<std::string> ptx_targets;
  std::vector<std::string> machine_code;
  for (const FatbinImage& image : *images) {
    if (image.kind == FatbinImage::Kind::kElf) {
      machine_code.push_back(absl::StrCat("sm_", image.architecture));
    }
    if (image.kind != FatbinImage::Kind::kPtx) continue;
    absl::StatusOr<std::string> ptx = Decompress(image);
    if (!ptx.ok()) return ptx.status();
    const std::string name(TargetOf(*ptx));
    ptx_targets.push_back(name);
    Target target;
    if (!TargetRunsOn(name, capability) || !ParseTarget(name, &target)) {
      continue;
    }
    const int specific = target.suffix == 'a' ? 2 : target.suffix == 'f';
    const std::pair<int, int> rank = {target.capability, specific};
    if (rank <= best_rank) continue;
    best_rank = rank;
    best = *std::move(ptx);
  }
  if (best_rank.first != 0) return best;
  return absl::NotFoundError(absl::StrCat(
      "the fat binary has no PTX that sm_", capability, " can run: PTX for ",
      Listed(ptx_targets), "; machine code for ", Listed(machine_code),
      ". Compile with -gencode arch=compute_X,code=[sm_X,compute_X]"));
}

}  // namespace tiletune::emulator
