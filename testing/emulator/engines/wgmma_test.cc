#include "testing/emulator/engines/wgmma.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

WgmmaInstruction Form(Format a, Format b, AccumulatorFormat d, int n, int k) {
  WgmmaInstruction w;
  w.a_format = a;
  w.b_format = b;
  w.d_format = d;
  w.n = n;
  w.k = k;
  return w;
}

TEST(Wgmma, AcceptsEveryListedShape) {
  using D = AccumulatorFormat;
  for (int n = 8; n <= 256; n += 8) {
    const auto ok = [n](Format f, D d, int k) {
      return CheckWgmma(Form(f, f, d, n, k)).empty();
    };
    EXPECT_TRUE(ok(Format::kF16, D::kF32, 16));
    EXPECT_TRUE(ok(Format::kF16, D::kF16, 16));
    EXPECT_TRUE(ok(Format::kBf16, D::kF32, 16));
    EXPECT_TRUE(ok(Format::kTf32, D::kF32, 8));
    EXPECT_TRUE(ok(Format::kE4m3, D::kF16, 32));
    EXPECT_EQ(ok(Format::kS8, D::kS32, 32), n <= 32 || n % 16 == 0);
  }
  EXPECT_TRUE(
      CheckWgmma(Form(Format::kE4m3, Format::kE5m2, D::kF32, 8, 32)).empty());
  EXPECT_TRUE(
      CheckWgmma(Form(Format::kU8, Format::kS8, D::kS32, 8, 32)).empty());
}

TEST(Wgmma, EachBrokenRuleGetsItsSentence) {
  using W = WgmmaInstruction;
  const std::vector<std::pair<std::string, std::function<void(W*)>>> cases = {
      {"not modelled", [](W* w) { w->sparse = true; }},
      {"no form", [](W* w) { w->b_format = Format::kF16; }},
      {"no form", [](W* w) { w->a_format = Format::kE4m3; }},
      {"no form", [](W* w) { w->b_format = Format::kE4m3; }},
      {"this D type", [](W* w) { w->d_format = AccumulatorFormat::kF16; }},
      {"has K = 16, not 32", [](W* w) { w->k = 32; }},
      {"no N = 264", [](W* w) { w->n = 264; }},
      {"no N = 12", [](W* w) { w->n = 12; }},
      {"only of types f16 and bf16",
       [](W* w) {
         *w = Form(Format::kTf32, Format::kTf32, AccumulatorFormat::kF32, 8, 8);
         w->b_majorness = Majorness::kMn;
       }},
      {"A in registers",
       [](W* w) {
         w->a_in_registers = true;
         w->a_majorness = Majorness::kMn;
       }},
  };
  for (const auto& [expected, change] : cases) {
    W w;
    change(&w);
    const Findings findings = CheckWgmma(w);
    ASSERT_EQ(findings.size(), 1u) << expected;
    EXPECT_NE(findings[0].find(expected), std::string::npos) << findings[0];
  }
}

TEST(Wgmma, FragmentsCoverTheMatricesOnce) {
  for (int n : {8, 64, 256}) {
    std::set<std::pair<int, int>> cells;
    for (int t = 0; t < 128; ++t) {
      for (int i = 0; i < WgmmaAccumulatorElements(n); ++i) {
        const MatrixCell c = WgmmaAccumulatorCell(t, i);
        EXPECT_LT(c.column, n);
        cells.insert({c.row, c.column});
      }
    }
    EXPECT_EQ(cells.size(), static_cast<size_t>(64 * n));
  }
  for (int bits : {8, 16, 32}) {
    std::set<std::pair<int, int>> cells;
    for (int t = 0; t < 128; ++t) {
      for (int i = 0; i < WgmmaOperandElements(bits); ++i) {
        const MatrixCell c = WgmmaOperandCell(bits, t, i);
        EXPECT_LT(c.column, 256 / bits);
        cells.insert({c.row, c.column});
      }
    }
    EXPECT_EQ(cells.size(), static_cast<size_t>(64 * 256 / bits));
  }
}

// CuTe's accumulator layout of a 64xN wgmma: threads ((4,8,4)) with strides
// (128, 1, 16) and values ((2,2,N/8)) with strides (64, 8, 512) in a
// column-major 64 x N matrix.
TEST(Wgmma, AccumulatorMatchesTheCuteLayout) {
  for (int t = 0; t < 128; ++t) {
    for (int i = 0; i < 128; ++i) {
      const int offset = 128 * (t % 4) + t / 4 % 8 + 16 * (t / 32) +
                         64 * (i % 2) + 8 * (i / 2 % 2) + 512 * (i / 4);
      EXPECT_EQ(WgmmaAccumulatorCell(t, i),
                (MatrixCell{offset % 64, offset / 64}));
    }
  }
}

// Figures 148, 150, 152: a few places read off by hand.
TEST(Wgmma, OperandPlacesOfTheFigures) {
  EXPECT_EQ(WgmmaOperandCell(16, 0, 2), (MatrixCell{8, 0}));
  EXPECT_EQ(WgmmaOperandCell(16, 0, 4), (MatrixCell{0, 8}));
  EXPECT_EQ(WgmmaOperandCell(16, 5, 7), (MatrixCell{9, 11}));
  EXPECT_EQ(WgmmaOperandCell(32, 1, 2), (MatrixCell{0, 5}));
  EXPECT_EQ(WgmmaOperandCell(8, 3, 4), (MatrixCell{8, 12}));
  EXPECT_EQ(WgmmaOperandCell(8, 33, 8), (MatrixCell{16, 20}));
}

}  // namespace
}  // namespace tiletune::emulator
