#include <string_view>
#include <vector>

#include "kernels/variant.h"

namespace tiletune {

// The tables are written by variant_table.bzl from the families' variants.bzl.
const std::vector<KernelVariant>& Variants() {
  static const auto* const variants = new std::vector<KernelVariant>{
#include "kernels/blackwell_variants.inc"
#include "kernels/hopper_variants.inc"
#include "kernels/reference_variants.inc"
  };
  return *variants;
}

const KernelVariant* FindVariant(std::string_view name) {
  for (const KernelVariant& variant : Variants()) {
    if (name == variant.name) return &variant;
  }
  return nullptr;
}

}  // namespace tiletune
