#include "autotune/commands/version.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "autotune/search/model_tuner.h"
#include "autotune/store/store.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

// FNV-1a: the same on every machine (RFC 9923).
uint64_t Add(const std::string& text, uint64_t hash) {
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string ToolVersion() {
  uint64_t build = 0xcbf29ce484222325;
  for (const KernelVariant& variant : Variants()) {
    build = Add(variant.build_fingerprint, Add(variant.name, build));
  }
  return absl::StrCat(kVersion, " (", Variants().size(), " kernels, build ",
                      absl::Hex(build, absl::kZeroPad16), ", cost model ",
                      kCostModelName, ", database schema ",
                      StoreSchemaVersion(), ")");
}

}  // namespace tiletune
