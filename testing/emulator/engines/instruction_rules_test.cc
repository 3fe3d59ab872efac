#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/instruction_descriptor.h"

namespace tiletune::emulator {
namespace {

InstructionDescriptor Plain(Format a, Format b, int m, int n) {
  InstructionDescriptor d;
  d.a_format = a;
  d.b_format = b;
  d.m = m;
  d.n = n;
  return d;
}

// Which M and N pass, straight from the rows of Table 39.
void ExpectShapes(MmaKind kind, Format format, const MmaQualifiers& qualifiers,
                  const std::function<bool(int, int)>& legal) {
  for (int m = 16; m <= 256; m += 16) {
    if (IsBlockScaled(kind) && m % 128 != 0) continue;
    for (int n = 8; n <= 256; n += 8) {
      InstructionDescriptor d = Plain(format, format, m, n);
      d.sparse = qualifiers.sparse;
      if (kind == MmaKind::kI8) d.d_format = AccumulatorFormat::kS32;
      const Findings findings = CheckInstructionDescriptor(
          kind, EncodeInstructionDescriptor(kind, d), qualifiers);
      EXPECT_EQ(findings.empty(), legal(m, n))
          << MmaKindName(kind) << " " << m << "x" << n << " "
          << (findings.empty() ? "" : findings[0]);
    }
  }
}

TEST(InstructionRules, ShapesAreThoseOfTable39) {
  MmaQualifiers one, two, ws;
  two.cta_group = 2;
  ws.weight_stationary = true;
  const auto m_one = [](int m) { return m == 64 || m == 128; };
  const auto m_two = [](int m) { return m == 128 || m == 256; };
  for (auto [kind, format] : {std::pair{MmaKind::kF16, Format::kF16},
                              std::pair{MmaKind::kTf32, Format::kTf32},
                              std::pair{MmaKind::kF8f6f4, Format::kE5m2}}) {
    ExpectShapes(kind, format, one, [&](int m, int) { return m_one(m); });
    ExpectShapes(kind, format, two,
                 [&](int m, int n) { return m_two(m) && n % 16 == 0; });
    ExpectShapes(kind, format, ws, [&](int m, int n) {
      return (m == 32 || m_one(m)) && (n == 64 || n == 128 || n == 256);
    });
  }
  ExpectShapes(MmaKind::kI8, Format::kS8, one, [&](int m, int n) {
    return m_one(m) && (n <= 32 || n % 16 == 0);
  });
  ExpectShapes(MmaKind::kI8, Format::kU8, two,
               [&](int m, int n) { return m_two(m) && n % 32 == 0; });
  ExpectShapes(MmaKind::kMxf8f6f4, Format::kE4m3, one,
               [](int m, int) { return m == 128; });
  ExpectShapes(MmaKind::kMxf4, Format::kE2m1, two,
               [&](int m, int n) { return m_two(m) && n % 16 == 0; });
  two.sparse = true;
  ExpectShapes(MmaKind::kMxf4, Format::kE2m1, two,
               [](int m, int n) { return m == 256 && n % 16 == 0; });
  ws.sparse = true;
  ExpectShapes(MmaKind::kF16, Format::kF16, ws, [&](int m, int n) {
    return (m == 32 || m_one(m)) && (n == 64 || n == 128);
  });
}

struct IllegalCase {
  const char* expected;
  MmaKind kind;
  std::function<void(InstructionDescriptor*, MmaQualifiers*, uint32_t*)> change;
};

TEST(InstructionRules, EachBrokenRuleGetsItsSentence) {
  using D = InstructionDescriptor;
  using Q = MmaQualifiers;
  const std::vector<IllegalCase> cases = {
      {"Reserved bits 6 ", MmaKind::kF16,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 6; }},
      {"Reserved bits 23 ", MmaKind::kF16,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 23; }},
      {"Reserved bits 29 ", MmaKind::kF16,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 29; }},
      {"Reserved bits 24-26 ", MmaKind::kMxf8f6f4,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 25; }},
      {"Reserved bits 31 ", MmaKind::kMxf8f6f4,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 31; }},
      {"Reserved bits 12 ", MmaKind::kMxf4,
       [](D*, Q*, uint32_t* flip) { *flip = 1u << 12; }},
      {"says sparse", MmaKind::kF16,
       [](D* d, Q*, uint32_t*) { d->sparse = true; }},
      {"says dense", MmaKind::kF16,
       [](D*, Q* q, uint32_t*) { q->sparse = true; }},
      {"selector", MmaKind::kF16,
       [](D* d, Q*, uint32_t*) { d->sparsity_selector = 1; }},
      {"type code of A", MmaKind::kF16,
       [](D*, Q*, uint32_t* flip) { *flip = 2u << 7; }},
      {"type code of B", MmaKind::kF8f6f4,
       [](D*, Q*, uint32_t* flip) { *flip = 2u << 10; }},
      {"D type code", MmaKind::kTf32,
       [](D* d, Q*, uint32_t*) { d->d_format = AccumulatorFormat::kF16; }},
      {"needs A and B of type f16", MmaKind::kF16,
       [](D* d, Q*, uint32_t*) {
         d->d_format = AccumulatorFormat::kF16;
         d->b_format = Format::kBf16;
       }},
      {"Saturation", MmaKind::kF16,
       [](D* d, Q*, uint32_t*) { d->saturate = true; }},
      {"cannot negate", MmaKind::kI8,
       [](D* d, Q*, uint32_t*) { d->negate_a = true; }},
      {"cannot transpose", MmaKind::kMxf4,
       [](D* d, Q*, uint32_t*) { d->b_majorness = Majorness::kMn; }},
      {"A in Tensor Memory", MmaKind::kF16,
       [](D* d, Q* q, uint32_t*) {
         q->a_in_tmem = true;
         d->a_majorness = Majorness::kMn;
       }},
      {"transposed 8-bit B", MmaKind::kF8f6f4,
       [](D* d, Q*, uint32_t*) {
         d->b_majorness = Majorness::kMn;
         d->n = 24;
       }},
      {"cta_group must be", MmaKind::kF16,
       [](D*, Q* q, uint32_t*) { q->cta_group = 4; }},
      {"does not exist", MmaKind::kMxf8f6f4,
       [](D*, Q* q, uint32_t*) { q->weight_stationary = true; }},
      {"M = 256", MmaKind::kF16, [](D* d, Q*, uint32_t*) { d->m = 256; }},
      {"N = 8 ", MmaKind::kF16,
       [](D* d, Q* q, uint32_t*) {
         q->cta_group = 2;
         d->n = 8;
       }},
      {"N = 0 ", MmaKind::kF16, [](D* d, Q*, uint32_t*) { d->n = 0; }},
      {"N = 264 ", MmaKind::kF16, [](D* d, Q*, uint32_t*) { d->n = 264; }},
      {"maximum shift", MmaKind::kF16,
       [](D* d, Q*, uint32_t*) { d->max_shift = 16; }},
      {"sm_100a or sm_110a", MmaKind::kI8,
       [](D*, Q* q, uint32_t*) { q->family = true; }},
      {"needs the target sm_103a", MmaKind::kMxf4,
       [](D* d, Q* q, uint32_t*) {
         d->k = 96;
         d->m = 256;
         q->cta_group = 2;
       }},
      {"takes no scale_vec", MmaKind::kF16,
       [](D*, Q* q, uint32_t*) { q->scale_vector = ScaleVector::k1X; }},
      {"must say scale_vec", MmaKind::kMxf4nvf4, [](D*, Q*, uint32_t*) {}},
      {"not allowed for kind::mxf4", MmaKind::kMxf4,
       [](D*, Q* q, uint32_t*) { q->scale_vector = ScaleVector::k4X; }},
      {"family targets", MmaKind::kMxf4,
       [](D*, Q* q, uint32_t*) {
         q->scale_vector = ScaleVector::k2X;
         q->family = true;
       }},
      {"needs ue8m0", MmaKind::kMxf4,
       [](D* d, Q*, uint32_t*) { d->scale_format = Format::kUe4m3; }},
      {"ue4m3 scale factors need", MmaKind::kMxf4nvf4,
       [](D* d, Q* q, uint32_t*) {
         d->scale_format = Format::kUe4m3;
         q->scale_vector = ScaleVector::k2X;
       }},
      {"scale-factor ids", MmaKind::kMxf4,
       [](D* d, Q*, uint32_t*) { d->scale_a_id = 1; }},
      {"scale-factor ids", MmaKind::kMxf4nvf4,
       [](D* d, Q* q, uint32_t*) {
         d->scale_b_id = 2;
         q->scale_vector = ScaleVector::kBlock16;
       }},
  };
  for (const IllegalCase& c : cases) {
    const Format format =
        c.kind == MmaKind::kTf32  ? Format::kTf32
        : c.kind == MmaKind::kI8  ? Format::kS8
        : c.kind == MmaKind::kF16 ? Format::kF16
        : c.kind == MmaKind::kMxf4 || c.kind == MmaKind::kMxf4nvf4
            ? Format::kE2m1
            : Format::kE4m3;
    InstructionDescriptor d = Plain(format, format, 128, 64);
    if (c.kind == MmaKind::kI8) d.d_format = AccumulatorFormat::kS32;
    MmaQualifiers qualifiers;
    uint32_t flip = 0;
    c.change(&d, &qualifiers, &flip);
    const Findings findings = CheckInstructionDescriptor(
        c.kind, EncodeInstructionDescriptor(c.kind, d) ^ flip, qualifiers);
    ASSERT_EQ(findings.size(), 1u)
        << c.expected << (findings.empty() ? "" : " / " + findings.back());
    EXPECT_NE(findings[0].find(c.expected), std::string::npos) << findings[0];
  }
}

TEST(InstructionRules, K96ExistsForPairsOnSm103a) {
  InstructionDescriptor d = Plain(Format::kE2m1, Format::kE2m1, 256, 128);
  d.k = 96;
  const uint32_t bits = EncodeInstructionDescriptor(MmaKind::kMxf4, d);
  EXPECT_EQ(DecodeInstructionDescriptor(MmaKind::kMxf4, bits).k, 96);
  MmaQualifiers qualifiers;
  qualifiers.cta_group = 2;
  qualifiers.target = 103;
  EXPECT_TRUE(
      CheckInstructionDescriptor(MmaKind::kMxf4, bits, qualifiers).empty());
  qualifiers.scale_vector = ScaleVector::k2X;
  EXPECT_EQ(CheckInstructionDescriptor(MmaKind::kMxf4, bits, qualifiers).size(),
            1u);
}

}  // namespace
}  // namespace tiletune::emulator
