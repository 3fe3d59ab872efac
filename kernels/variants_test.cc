#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

TEST(Variants, HaveUniqueNamesThatFindThem) {
  std::set<std::string> names;
  for (const KernelVariant& v : Variants()) {
    EXPECT_TRUE(names.insert(v.name).second) << v.name;
    EXPECT_EQ(FindVariant(v.name), &v);
  }
  EXPECT_EQ(FindVariant("no such variant"), nullptr);
}

// The grammar of kernels/README.md.
std::string HopperName(const KernelVariant& v, bool has_block_scales) {
  constexpr const char* kSchedules[] = {"coop", "pp", "side"};
  return absl::StrCat(
      "sm90_", v.operand_bits, "b_", has_block_scales ? "block128_" : "",
      v.swaps_operands ? "t" : "", v.shifted_rows ? "u" : "", v.tile_m, "x",
      v.tile_n, "x", v.tile_k, "_c", v.cluster_m, "x", v.cluster_n,
      v.cluster_k == 1 ? "" : absl::StrCat("x", v.cluster_k), "_s", v.stages,
      "_", kSchedules[static_cast<int>(v.schedule)],
      v.supply == SupplyKind::kStatic ? "_static" : "_queue");
}

std::string BlackwellName(const KernelVariant& v) {
  constexpr const char* kSupplies[] = {"_static", "_queue", "_clc"};
  return absl::StrCat(
      "sm100_", v.operand_bits, "b_", v.tile_m, "x", v.tile_n, "x", v.tile_k,
      "_c", v.cluster_m, "x", v.cluster_n, v.cta_group == 2 ? "_2sm" : "", "_s",
      v.stages, v.swaps_operands ? "_swap" : "",
      kSupplies[static_cast<int>(v.supply)],
      v.request_depth == 0 ? "" : absl::StrCat(v.request_depth));
}

TEST(Variants, AreNamedAfterWhatIsCompiledIn) {
  for (const KernelVariant& v : Variants()) {
    const std::string name = v.name;
    if (v.architecture == Architecture::kBlackwell) {
      EXPECT_EQ(name, BlackwellName(v));
    } else if (v.architecture == Architecture::kHopper) {
      EXPECT_EQ(name,
                HopperName(v, name.find("_block128_") != std::string::npos));
    }
  }
}

TEST(Variants, IncludeTheReferenceKernel) {
  const KernelVariant* reference = FindVariant("reference_naive");
  ASSERT_NE(reference, nullptr);
  EXPECT_EQ(reference->architecture, Architecture::kAny);
}

TEST(Variants, HaveDistinctBuildFingerprints) {
  std::set<std::string> fingerprints;
  for (const KernelVariant& v : Variants()) {
    const std::string fingerprint = v.build_fingerprint;
    EXPECT_EQ(fingerprint.size(), 16u) << v.name;
    EXPECT_EQ(fingerprint.find_first_not_of("0123456789abcdef"),
              std::string::npos)
        << v.name;
    EXPECT_TRUE(fingerprints.insert(fingerprint).second) << v.name;
  }
}

TEST(Variants, AreWithinWhatTheirArchitectureHas) {
  for (const KernelVariant& v : Variants()) {
    EXPECT_GT(v.tile_m * v.tile_n * v.tile_k, 0) << v.name;
    EXPECT_GE(v.stages, 1) << v.name;
    EXPECT_LE(v.shared_bytes, 227 << 10) << v.name;
    EXPECT_LE(v.threads, 1024) << v.name;
    EXPECT_LE(v.cluster_m * v.cluster_n, 16) << v.name;
    EXPECT_NE(v.type_mask, 0u) << v.name;
    EXPECT_EQ(v.request_depth == 0, v.supply == SupplyKind::kStatic) << v.name;
    if (v.supply == SupplyKind::kClc) {
      EXPECT_EQ(v.architecture, Architecture::kBlackwell) << v.name;
    }
    if (v.cta_group == 2) {
      EXPECT_EQ(v.architecture, Architecture::kBlackwell) << v.name;
      EXPECT_EQ(v.cluster_m % 2, 0) << v.name;
    }
  }
}

}  // namespace
}  // namespace tiletune
