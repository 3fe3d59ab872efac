// That the list of Blackwell kernels holds what the family is to have: a line
// lost from variants.bzl takes its tests along.
#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "kernels/problem.h"
#include "kernels/tiling.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

constexpr int kSharedBytes = 232448;  // of a CTA, compute capability 10.x
constexpr int kTensorMemoryColumns = 512;
constexpr int kMostStages = 12;

template <typename Predicate>
bool Some(Predicate predicate) {
  return std::any_of(
      Variants().begin(), Variants().end(), [&](const KernelVariant& v) {
        return v.architecture == Architecture::kBlackwell && predicate(v);
      });
}

template <typename Check>
void ForEach(Check check) {
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kBlackwell) continue;
    SCOPED_TRACE(v.name);
    check(v);
  }
}

TEST(VariantList, OneSmHas64And128RowsAndColumnsFrom16To256) {
  for (int bits : {8, 16}) {
    for (int m : {64, 128}) {
      EXPECT_TRUE(Some([=](const KernelVariant& v) {
        return v.cta_group == 1 && v.tile_m == m && v.operand_bits == bits;
      })) << m;
    }
    for (int n : {16, 32, 128, 256}) {
      EXPECT_TRUE(Some([=](const KernelVariant& v) {
        return v.cta_group == 1 && v.tile_n == n && v.operand_bits == bits;
      })) << n;
    }
  }
}

TEST(VariantList, APairHas128And256RowsAndColumnsFrom32To256) {
  for (int rows : {128, 256}) {
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.cta_group == 2 && 2 * v.tile_m == rows;
    })) << rows;
  }
  for (int n : {32, 128, 192, 256}) {
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.cta_group == 2 && v.tile_n == n;
    })) << n;
  }
}

TEST(VariantList, ClustersHaveUpToFourCtasAndMulticastBothOperands) {
  for (int size : {1, 2, 4}) {
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return ClusterSize(v) == size;
    })) << size;
  }
  for (int cta_group : {1, 2}) {
    // A goes to the CTAs of a row, B to those (or the pairs) of a column.
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.cta_group == cta_group && v.cluster_n > 1;
    })) << cta_group;
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.cta_group == cta_group && v.cluster_m > cta_group;
    })) << cta_group;
  }
  ForEach([](const KernelVariant& v) { EXPECT_LE(ClusterSize(v), 4); });
}

TEST(VariantList, EverySupplyServesOneSmPairsAndClusters) {
  for (SupplyKind supply :
       {SupplyKind::kStatic, SupplyKind::kQueue, SupplyKind::kClc}) {
    for (int cta_group : {1, 2}) {
      EXPECT_TRUE(Some([=](const KernelVariant& v) {
        return v.supply == supply && v.cta_group == cta_group;
      })) << static_cast<int>(supply);
    }
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.supply == supply && ClusterSize(v) > v.cta_group;
    })) << static_cast<int>(supply);
  }
}

TEST(VariantList, LaunchControlAsksOneToFourTilesAhead) {
  for (int depth : {1, 2, 3, 4}) {
    EXPECT_TRUE(Some([=](const KernelVariant& v) {
      return v.supply == SupplyKind::kClc && v.request_depth == depth;
    })) << depth;
  }
}

TEST(VariantList, FewRowsHaveKernelsThatSwapTheOperands) {
  for (int bits : {8, 16}) {
    for (int n : {16, 32}) {
      EXPECT_TRUE(Some([=](const KernelVariant& v) {
        return v.swaps_operands && v.tile_n == n && v.operand_bits == bits;
      })) << n;
    }
  }
}

TEST(VariantList, TwoAccumulatorsOrFourFitTensorMemory) {
  ForEach([](const KernelVariant& v) {
    EXPECT_TRUE(v.accumulators == 2 || v.accumulators == 4);
    EXPECT_LE(v.accumulators * v.tile_n, kTensorMemoryColumns);
  });
  EXPECT_TRUE(Some([](const KernelVariant& v) { return v.accumulators == 4; }));
}

TEST(VariantList, StagesFillSharedMemory) {
  ForEach([](const KernelVariant& v) {
    const int stage_bytes =
        (v.tile_m + v.tile_n / v.cta_group) * v.tile_k * v.operand_bits / 8;
    EXPECT_LE(v.shared_bytes, kSharedBytes);
    EXPECT_TRUE(v.stages == kMostStages ||
                v.shared_bytes + stage_bytes > kSharedBytes)
        << v.stages << " stages";
  });
}

TEST(VariantList, EveryKernelTakesItsTypesAndWritesAll) {
  const auto has = [](uint32_t mask, DataType type) {
    return (mask >> static_cast<int>(type) & 1) != 0;
  };
  ForEach([has](const KernelVariant& v) {
    if (v.operand_bits == 16) {
      EXPECT_TRUE(has(v.type_mask, DataType::kBf16));
      EXPECT_TRUE(has(v.type_mask, DataType::kFp16));
    } else {
      EXPECT_TRUE(has(v.type_mask, DataType::kFp8E4m3));
      EXPECT_TRUE(has(v.type_mask, DataType::kFp8E5m2));
    }
    for (DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32,
                          DataType::kFp8E4m3, DataType::kFp8E5m2}) {
      EXPECT_TRUE(has(v.d_type_mask, type)) << Name(type);
    }
    for (Scaling scaling :
         {Scaling::kNone, Scaling::kPerTensor, Scaling::kPerRowColumn}) {
      EXPECT_NE(v.scaling_mask >> static_cast<int>(scaling) & 1, 0u);
    }
  });
}

TEST(VariantList, HasAtLeast24KernelsEachOfThemProven) {
  int count = 0;
  ForEach([&count](const KernelVariant& v) {
    EXPECT_TRUE(v.proven);
    ++count;
  });
  EXPECT_GE(count, 24);
}

}  // namespace
}  // namespace tiletune
