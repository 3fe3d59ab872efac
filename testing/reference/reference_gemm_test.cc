#include "testing/reference/reference_gemm.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

GemmProblem SmallFp32(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a_type = p.b_type = p.c_type = p.d_type = DataType::kFp32;
  return p;
}

TEST(ComputeReference, MultipliesByHand) {
  // [1 2; 3 4] x [5 6; 7 8], B stored column by column (TN).
  const float a[] = {1, 2, 3, 4};
  const float b[] = {5, 7, 6, 8};
  HostArguments args;
  args.a = a;
  args.b = b;
  const ReferenceOutput out = ComputeReference(SmallFp32(2, 2, 2), args);
  EXPECT_EQ(out.value, (std::vector<double>{19, 22, 43, 50}));
}

TEST(ComputeReference, ReadsEveryLayoutAsTheSameMatrices) {
  // The same A and B, written out in each layout.
  const float a_rows[] = {1, 2, 3, 4, 5, 6};     // 2 x 3, K-major
  const float a_columns[] = {1, 4, 2, 5, 3, 6};  // M-major
  const float b_columns[] = {1, 2, 3, 4, 5, 6};  // 3 x 2, K-major
  const float b_rows[] = {1, 4, 2, 5, 3, 6};     // N-major
  GemmProblem p = SmallFp32(2, 2, 3);
  for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
    p.layout = layout;
    HostArguments args;
    args.a = AIsKMajor(layout) ? a_rows : a_columns;
    args.b = BIsKMajor(layout) ? b_columns : b_rows;
    EXPECT_EQ(ComputeReference(p, args).value,
              (std::vector<double>{14, 32, 32, 77}))
        << Name(layout);
  }
}

TEST(ComputeReference, AppliesTheEpilogueInTheOrderOfItsFormula) {
  GemmProblem p = SmallFp32(1, 2, 1);
  p.epilogue.reads_c = true;
  p.epilogue.bias = Bias::kPerColumn;
  p.epilogue.activation = Activation::kRelu;
  const float a[] = {3}, b[] = {2, -2}, c[] = {10, 20}, bias[] = {1, -15};
  HostArguments args;
  args.a = a;
  args.b = b;
  args.c = c;
  args.bias = bias;
  args.alpha = 2;
  args.beta = 0.5f;
  // 2*6 + 5 + 1 and 2*(-6) + 10 - 15 before the ReLU.
  EXPECT_EQ(ComputeReference(p, args).value, (std::vector<double>{18, 0}));
  p.epilogue.bias = Bias::kPerRow;
  EXPECT_EQ(ComputeReference(p, args).value, (std::vector<double>{18, 0}));
}

TEST(ComputeReference, WithKZeroIsBetaC) {
  GemmProblem p = SmallFp32(1, 2, 0);
  p.epilogue.reads_c = true;
  const float c[] = {10, 20};
  HostArguments args;
  args.c = c;
  args.beta = 2;
  EXPECT_EQ(ComputeReference(p, args).value, (std::vector<double>{20, 40}));
}

TEST(ComputeReference, DoesNotReadCWhenBetaIsZero) {
  GemmProblem p = SmallFp32(1, 1, 1);
  p.epilogue.reads_c = true;
  const float a[] = {3}, b[] = {2}, c[] = {NAN};
  HostArguments args;
  args.a = a;
  args.b = b;
  args.c = c;
  EXPECT_EQ(ComputeReference(p, args).value, (std::vector<double>{6}));
}

TEST(ComputeReference, BroadcastsAnOperandOfStrideZero) {
  GemmProblem p = SmallFp32(1, 1, 1);
  p.batch = 3;
  p.batch_stride_b = 0;
  const float a[] = {1, 2, 3}, b[] = {10};
  HostArguments args;
  args.a = a;
  args.b = b;
  EXPECT_EQ(ComputeReference(p, args).value, (std::vector<double>{10, 20, 30}));
}

TEST(ComputeReference, ScalesRowsAndColumnsAndTakesAmaxBeforeScaleD) {
  GemmProblem p;
  p.m = 2;
  p.n = 2;
  p.k = 1;
  p.a_type = p.b_type = p.d_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kPerRowColumn;
  p.epilogue.amax = true;
  HostOperands operands(p);
  for (int64_t i = 0; i < 2; ++i) {
    WriteElement(operands.a().data(), p.a_type, i, 1);
    WriteElement(operands.b().data(), p.b_type, i, 1);
  }
  operands.scale_a() = {2, 3};
  operands.scale_b() = {5, -7};
  HostArguments args = operands.arguments();
  args.scale_d = 0.5f;
  const ReferenceOutput out = ComputeReference(p, args);
  EXPECT_EQ(out.value, (std::vector<double>{5, -7, 7.5, -10.5}));
  EXPECT_EQ(out.amax, 21);
}

TEST(ComputeReference, ScalesEach128OfKByItself) {
  GemmProblem p;
  p.m = 2;
  p.n = 129;
  p.k = 130;
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kBlock128;
  HostOperands operands(p);
  for (int64_t i = 0; i < p.m * p.k; ++i) {
    WriteElement(operands.a().data(), p.a_type, i, 1);
  }
  for (int64_t i = 0; i < p.n * p.k; ++i) {
    WriteElement(operands.b().data(), p.b_type, i, 1);
  }
  // Lines of M and of the blocks of K, filled up to 4.
  operands.scale_a() = {1, 2, NAN, NAN, 3, 5, NAN, NAN};
  operands.scale_b() = {7, 11, NAN, NAN, -1, 0, NAN, NAN};
  const ReferenceOutput out = ComputeReference(p, operands.arguments());
  EXPECT_EQ(out.value[0], 128 * 1 * 7 + 2 * 3 * 11);
  EXPECT_EQ(out.value[127], out.value[0]);
  EXPECT_EQ(out.value[128], -128);
  EXPECT_EQ(out.value[129], 128 * 2 * 7 + 2 * 5 * 11);
}

TEST(Activate, HasTheLimitsAndTheNaNsOfItsFormula) {
  EXPECT_NEAR(Activate(Activation::kGelu, 1.0), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(Activate(Activation::kSilu, 1.0), 0.7310585786300049, 1e-15);
  for (Activation activation :
       {Activation::kRelu, Activation::kGelu, Activation::kSilu}) {
    EXPECT_TRUE(std::isnan(Activate(activation, NAN)));
    EXPECT_EQ(Activate(activation, INFINITY), INFINITY);
    EXPECT_EQ(Activate(activation, -INFINITY), 0);
  }
}

TEST(HostOperands, LeaveTheGapsBetweenLinesNaN) {
  GemmProblem p;
  p.m = 3;
  p.n = 4;
  p.k = 5;
  p.lda = 8;
  HostOperands operands(p);
  operands.FillNormal(1);
  EXPECT_FALSE(std::isnan(ReadElement(operands.a().data(), p.a_type, 4)));
  EXPECT_TRUE(std::isnan(ReadElement(operands.a().data(), p.a_type, 5)));
}

TEST(RoundTo, RoundsToNearestEvenAndSaturatesEightBits) {
  EXPECT_EQ(RoundTo(DataType::kBf16, 1 + 0x1p-8), 1);
  EXPECT_EQ(RoundTo(DataType::kBf16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(RoundTo(DataType::kFp8E4m3, 1e6), 448);
  EXPECT_EQ(RoundTo(DataType::kFp8E5m2, -1e9), -57344);
  EXPECT_EQ(RoundTo(DataType::kFp16, 1e6), INFINITY);
}

}  // namespace
}  // namespace tiletune
