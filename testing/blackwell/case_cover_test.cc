// That the cover holds what a kernel has to be proven with: a value that no
// case has any more would go unnoticed, since all cases would still pass.
#include "testing/blackwell/case_cover.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/registry.h"

namespace tiletune {
namespace {

std::vector<const KernelVariant*> Kernels() {
  std::vector<const KernelVariant*> kernels;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kBlackwell) kernels.push_back(&v);
  }
  return kernels;
}

// Checks that some case of every kernel that `concerns` answers true.
template <typename Predicate, typename Concerns>
void ExpectSome(const char* what, Concerns concerns, Predicate predicate) {
  for (const KernelVariant* v : Kernels()) {
    if (!concerns(*v)) continue;
    const std::vector<KernelCase> cases = CaseCover(*v, /*seed=*/1);
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), predicate))
        << what << " on " << v->name;
  }
}

bool Any(const KernelVariant&) { return true; }
bool Is8Bit(const KernelVariant& v) { return v.operand_bits == 8; }
bool Is16Bit(const KernelVariant& v) { return v.operand_bits == 16; }

TEST(CaseCover, HasLegalCasesOnlyAndAtLeastFortyForEveryType) {
  std::map<DataType, int> problems;
  for (const KernelVariant* v : Kernels()) {
    for (const KernelCase& c : CaseCover(*v, /*seed=*/1)) {
      EXPECT_TRUE(CheckLegal(c.problem, ConfigOf(c), DeviceOf(c)).ok())
          << ToString(c);
      ++problems[c.problem.a_type];
      ++problems[c.problem.b_type];
      ++problems[c.problem.d_type];
    }
  }
  ASSERT_EQ(problems.size(), 5u);
  for (const auto& [type, count] : problems) EXPECT_GE(count, 40) << Name(type);
}

TEST(CaseCover, HasEveryTypeOfOperand) {
  for (DataType type : {DataType::kBf16, DataType::kFp16}) {
    ExpectSome("16-bit operands", Is16Bit, [type](const KernelCase& c) {
      return c.problem.a_type == type && c.problem.b_type == type;
    });
  }
  for (DataType a : {DataType::kFp8E4m3, DataType::kFp8E5m2}) {
    for (DataType b : {DataType::kFp8E4m3, DataType::kFp8E5m2}) {
      ExpectSome("fp8 operands", Is8Bit, [a, b](const KernelCase& c) {
        return c.problem.a_type == a && c.problem.b_type == b;
      });
    }
  }
}

TEST(CaseCover, HasEveryTypeOfD) {
  for (DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32,
                        DataType::kFp8E4m3, DataType::kFp8E5m2}) {
    ExpectSome("D", Any, [type](const KernelCase& c) {
      return c.problem.d_type == type;
    });
  }
  ExpectSome("amax of a scaled D", Any, [](const KernelCase& c) {
    return c.problem.epilogue.amax && c.has_d_scale;
  });
}

TEST(CaseCover, HasEveryLayoutAndOrder) {
  for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
    ExpectSome("layout", Any, [layout](const KernelCase& c) {
      return c.problem.layout == layout;
    });
  }
  for (uint32_t offset : {1u, 3u, 8u}) {
    for (auto direction : {SwizzleDirection::kZn, SwizzleDirection::kNz}) {
      ExpectSome("order", Any, [offset, direction](const KernelCase& c) {
        return c.offset == offset && c.direction == direction;
      });
    }
  }
}

TEST(CaseCover, HasEveryPartOfTheEpilogue) {
  for (auto activation : {Activation::kNone, Activation::kRelu,
                          Activation::kGelu, Activation::kSilu}) {
    ExpectSome("activation", Any, [activation](const KernelCase& c) {
      return c.problem.epilogue.activation == activation;
    });
  }
  for (Bias bias : {Bias::kPerRow, Bias::kPerColumn}) {
    ExpectSome("bias", Any, [bias](const KernelCase& c) {
      return c.problem.epilogue.bias == bias;
    });
  }
  for (Scaling scaling : {Scaling::kPerTensor, Scaling::kPerRowColumn}) {
    ExpectSome("scales", Is8Bit, [scaling](const KernelCase& c) {
      return c.problem.scaling == scaling;
    });
  }
  ExpectSome("C in place of D", Any,
             [](const KernelCase& c) { return c.in_place && c.beta != 0; });
  ExpectSome("C beside D", Any, [](const KernelCase& c) {
    return c.problem.epilogue.reads_c && !c.in_place && c.beta != 0;
  });
  ExpectSome("scalars on the device", Any,
             [](const KernelCase& c) { return c.scalars_on_device; });
}

TEST(CaseCover, WritesBetaCWhereKIsZero) {
  ExpectSome("K = 0", Any, [](const KernelCase& c) {
    return c.problem.k == 0 && c.problem.epilogue.reads_c && c.beta != 0;
  });
}

TEST(CaseCover, HasBatchesAndOnesThatAreBroadcast) {
  // Without K the strides of A and B are 0 anyway.
  ExpectSome("batch", Any, [](const KernelCase& c) {
    return c.problem.batch > 1 && c.problem.batch_stride_a != 0 &&
           c.problem.batch_stride_b != 0;
  });
  ExpectSome("one A for all", Any, [](const KernelCase& c) {
    return c.problem.batch > 1 && c.problem.k != 0 &&
           c.problem.batch_stride_a == 0;
  });
  ExpectSome("one B for all", Any, [](const KernelCase& c) {
    return c.problem.batch > 1 && c.problem.k != 0 &&
           c.problem.batch_stride_b == 0;
  });
}

TEST(CaseCover, HasTailsAndOperandsThatTmaCannotDescribe) {
  ExpectSome("a tail of M", Any, [](const KernelCase& c) {
    const int tile =
        c.variant->swaps_operands ? c.variant->tile_n : c.variant->tile_m;
    return c.problem.m % tile != 0;
  });
  ExpectSome("a tail of N", Any, [](const KernelCase& c) {
    const int tile =
        c.variant->swaps_operands ? c.variant->tile_m : c.variant->tile_n;
    return c.problem.n % tile != 0;
  });
  ExpectSome("a tail of K", Any, [](const KernelCase& c) {
    return c.problem.k % c.variant->tile_k != 0;
  });
  ExpectSome("rows of no 16 bytes", Any, [](const KernelCase& c) {
    return c.problem.lda * BytesOf(c.problem.a_type) % 16 != 0;
  });
  ExpectSome("pointers of no 16 bytes", Any, [](const KernelCase& c) {
    return c.problem.pointer_alignment < 16;
  });
}

TEST(CaseCover, HasOneWaveAndManyAndSlicesOfK) {
  for (uint32_t splits : {1u, 2u, 3u}) {
    ExpectSome("split-K", Any,
               [splits](const KernelCase& c) { return c.split_k == splits; });
  }
  const auto tiles = [](const KernelCase& c) {
    const KernelVariant& v = *c.variant;
    const int64_t rows = v.swaps_operands ? c.problem.n : c.problem.m;
    const int64_t columns = v.swaps_operands ? c.problem.m : c.problem.n;
    return CeilDiv<int64_t>(rows, v.tile_m * v.cluster_m) *
           CeilDiv<int64_t>(columns, v.tile_n * v.cluster_n);
  };
  ExpectSome("one tile", Any,
             [tiles](const KernelCase& c) { return tiles(c) == 1; });
  ExpectSome("four tiles for one cluster", Any, [tiles](const KernelCase& c) {
    return tiles(c) >= 4 && c.resident_clusters == 1;
  });
}

TEST(CaseCover, RefusesOneRequestInTen) {
  for (const KernelVariant* v : Kernels()) {
    for (const KernelCase& c : CaseCover(*v, /*seed=*/1)) {
      EXPECT_EQ(c.refusal_rate, v->supply == SupplyKind::kClc ? 0.1 : 0);
    }
  }
}

}  // namespace
}  // namespace tiletune
