#include "testing/emulator/engines/mma.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/formats.h"

namespace tiletune::emulator {
namespace {

uint32_t Bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  return word;
}

float Value(uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

std::vector<float> SmallIntegers(int count, uint32_t seed, int limit) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) {
    v = static_cast<float>(static_cast<int>(random() % (2 * limit + 1)) -
                           limit);
  }
  return values;
}

int64_t Dot(const MmaOperands& o, int i, int j) {
  int64_t sum = 0;
  for (int l = 0; l < o.k; ++l) {
    sum += static_cast<int64_t>(o.a[i * o.k + l]) *
           static_cast<int64_t>(o.b[j * o.k + l]);
  }
  return sum;
}

TEST(Mma, IntegersAreExactInEveryShape) {
  for (int m : {1, 5, 16, 64, 128}) {
    for (int n : {8, 16, 24, 40, 256}) {
      for (int k : {4, 8, 16, 32, 64}) {
        const std::vector<float> a = SmallIntegers(m * k, 1, 8);
        const std::vector<float> b = SmallIntegers(n * k, 2, 8);
        const MmaOperands operands{a.data(), b.data(), m, n, k};
        const int stride = n + 3;
        std::vector<uint32_t> d(static_cast<size_t>(m * stride), Bits(7));
        MmaAccumulation options;
        MultiplyAccumulate(operands, options, d.data(), stride);
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) {
            ASSERT_EQ(Value(d[i * stride + j]),
                      static_cast<float>(7 + Dot(operands, i, j)));
          }
          for (int j = n; j < stride; ++j) {
            ASSERT_EQ(d[i * stride + j], Bits(7));  // not D
          }
        }
      }
    }
  }
}

TEST(Mma, WithoutAccumulationDIsNotRead) {
  const std::vector<float> a = SmallIntegers(4 * 16, 1, 4);
  const std::vector<float> b = SmallIntegers(16 * 16, 2, 4);
  const MmaOperands operands{a.data(), b.data(), 4, 16, 16};
  MmaAccumulation options;
  options.accumulate = false;
  for (AccumulatorFormat format :
       {AccumulatorFormat::kF32, AccumulatorFormat::kF16,
        AccumulatorFormat::kS32}) {
    options.format = format;
    std::vector<uint32_t> d(64, 0x7FC00001);  // NaN, or a large integer
    MultiplyAccumulate(operands, options, d.data(), 16);
    const float expected = static_cast<float>(Dot(operands, 1, 2));
    const uint32_t word = d[18];
    EXPECT_EQ(format == AccumulatorFormat::kF32 ? Value(word)
              : format == AccumulatorFormat::kF16
                  ? DecodeF16(static_cast<uint16_t>(word))
                  : static_cast<float>(static_cast<int32_t>(word)),
              expected);
  }
}

// The documented order: D first, then ascending k, each sum rounded.
TEST(Mma, AccumulatesInAscendingKFromD) {
  std::mt19937 random(3);
  const int m = 7, n = 24, k = 16;
  std::vector<float> a(m * k), b(n * k);
  for (float& v : a) {  // bf16 values, so that products are exact
    v = DecodeBf16(EncodeBf16(std::normal_distribution<float>()(random)));
  }
  for (float& v : b) {
    v = DecodeBf16(EncodeBf16(std::normal_distribution<float>()(random)));
  }
  std::vector<uint32_t> d(m * n, Bits(0.1f));
  MultiplyAccumulate({a.data(), b.data(), m, n, k}, MmaAccumulation{}, d.data(),
                     n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0.1f;
      for (int l = 0; l < k; ++l)
        sum = std::fma(a[i * k + l], b[j * k + l], sum);
      ASSERT_EQ(d[i * n + j], Bits(sum));
    }
  }
}

TEST(Mma, InputDShiftScalesTheOldValue) {
  const std::vector<float> a(16, 1), b(16 * 16, 1);
  MmaAccumulation options;
  options.input_d_shift = 3;
  std::vector<uint32_t> d(16, Bits(64));
  MultiplyAccumulate({a.data(), b.data(), 1, 16, 16}, options, d.data(), 16);
  EXPECT_EQ(Value(d[5]), 8 + 16);
}

TEST(Mma, F16AccumulatorsRoundOnceAndClearTheUpperHalf) {
  const std::vector<float> a(8, 1), b(8 * 8, 0.25);
  MmaAccumulation options;
  options.format = AccumulatorFormat::kF16;
  std::vector<uint32_t> d(8, 0xABCD6800);  // 2048 in f16: its ulp is 2
  MultiplyAccumulate({a.data(), b.data(), 1, 8, 8}, options, d.data(), 8);
  EXPECT_EQ(d[0], 0x6801u);  // 2050: eight sums of 0.25 were not lost
}

TEST(Mma, IntegersWrapOrSaturate) {
  const std::vector<float> a(32, 127), b(8 * 32, 127);
  MmaAccumulation options;
  options.format = AccumulatorFormat::kS32;
  const int32_t sum = 32 * 127 * 127;
  std::vector<uint32_t> d(8, 0x7FFFFFFF);
  MultiplyAccumulate({a.data(), b.data(), 1, 8, 32}, options, d.data(), 8);
  EXPECT_EQ(d[0], 0x7FFFFFFFu + static_cast<uint32_t>(sum));
  d.assign(8, 0x7FFFFFFF);
  options.saturate = true;
  MultiplyAccumulate({a.data(), b.data(), 1, 8, 32}, options, d.data(), 8);
  EXPECT_EQ(d[0], 0x7FFFFFFFu);
  // Far from zero every unit still counts.
  d.assign(8, 0x40000001);
  MultiplyAccumulate({a.data(), b.data(), 1, 8, 32}, options, d.data(), 8);
  EXPECT_EQ(d[0], 0x40000001u + static_cast<uint32_t>(sum));
}

TEST(Mma, InfinityAndNanPassThrough) {
  std::vector<float> a(16, 1), b(16 * 16, 1);
  a[3] = std::numeric_limits<float>::infinity();
  b[16 + 3] = 0;  // column 1: infinity times zero
  std::vector<uint32_t> d(16);
  MultiplyAccumulate({a.data(), b.data(), 1, 16, 16}, MmaAccumulation{},
                     d.data(), 16);
  EXPECT_TRUE(std::isinf(Value(d[0])));
  EXPECT_TRUE(std::isnan(Value(d[1])));
}

TEST(Mma, ScalesApplyToTheirBlocks) {
  std::vector<float> operand(2 * 64, 1);
  const float scales[4] = {2, 3, 5, 7};
  ApplyScales(operand.data(), 2, 64, scales, 2);
  EXPECT_EQ(operand[0], 2);
  EXPECT_EQ(operand[31], 2);
  EXPECT_EQ(operand[32], 3);
  EXPECT_EQ(operand[64], 5);
  EXPECT_EQ(operand[127], 7);
  Negate(operand.data(), operand.size());
  EXPECT_EQ(operand[0], -2);
  EXPECT_EQ(operand[127], -7);
}

}  // namespace
}  // namespace tiletune::emulator
