#include <set>
#include <string>

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
