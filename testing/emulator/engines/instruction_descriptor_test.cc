#include "testing/emulator/engines/instruction_descriptor.h"

#include "gtest/gtest.h"

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

TEST(InstructionDescriptor, KnownConstants) {
  struct Known {
    MmaKind kind;
    uint32_t bits;
    Format format;
    int m, n, k;
  };
  for (const Known& c : {
           Known{MmaKind::kF16, 0x08400490, Format::kBf16, 128, 256, 16},
           Known{MmaKind::kF16, 0x10400490, Format::kBf16, 256, 256, 16},
           Known{MmaKind::kF16, 0x08200010, Format::kF16, 128, 128, 16},
           Known{MmaKind::kF8f6f4, 0x08400010, Format::kE4m3, 128, 256, 32},
           Known{MmaKind::kTf32, 0x08400910, Format::kTf32, 128, 256, 8},
           Known{MmaKind::kI8, 0x084004A0, Format::kS8, 128, 256, 32},
           Known{MmaKind::kMxf8f6f4, 0x08C00000, Format::kE4m3, 128, 256, 32},
           Known{MmaKind::kMxf4nvf4, 0x08400480, Format::kE2m1, 128, 256, 64},
       }) {
    const InstructionDescriptor d = DecodeInstructionDescriptor(c.kind, c.bits);
    EXPECT_EQ(d.a_format, c.format);
    EXPECT_EQ(d.b_format, c.format);
    EXPECT_EQ(d.m, c.m);
    EXPECT_EQ(d.n, c.n);
    EXPECT_EQ(d.k, c.k);
    EXPECT_EQ(EncodeInstructionDescriptor(c.kind, d), c.bits);
    MmaQualifiers qualifiers;
    qualifiers.cta_group = c.m == 256 ? 2 : 1;
    if (c.kind == MmaKind::kMxf4nvf4) {
      qualifiers.scale_vector = ScaleVector::k4X;
    }
    EXPECT_TRUE(CheckInstructionDescriptor(c.kind, c.bits, qualifiers).empty());
  }
}

TEST(InstructionDescriptor, FieldsRoundTrip) {
  for (MmaKind kind : {MmaKind::kF8f6f4, MmaKind::kMxf8f6f4}) {
    for (Format a : {Format::kE4m3, Format::kE5m2, Format::kE2m3, Format::kE3m2,
                     Format::kE2m1}) {
      InstructionDescriptor d = Plain(a, Format::kE3m2, 128, 96);
      d.negate_b = true;
      d.b_majorness = Majorness::kMn;
      d.scale_a_id = 3;
      d.scale_b_id = 1;
      const InstructionDescriptor back = DecodeInstructionDescriptor(
          kind, EncodeInstructionDescriptor(kind, d));
      EXPECT_EQ(back.a_format, a);
      EXPECT_EQ(back.b_format, Format::kE3m2);
      EXPECT_FALSE(back.negate_a);
      EXPECT_TRUE(back.negate_b);
      EXPECT_EQ(back.a_majorness, Majorness::kK);
      EXPECT_EQ(back.b_majorness, Majorness::kMn);
      EXPECT_EQ(back.m, 128);
      EXPECT_EQ(back.n, 96);
      if (IsBlockScaled(kind)) {
        EXPECT_EQ(back.scale_a_id, 3);
        EXPECT_EQ(back.scale_b_id, 1);
      }
    }
  }
  InstructionDescriptor ws = Plain(Format::kF16, Format::kF16, 32, 64);
  for (int shift : {0, 8, 16, 32}) {
    ws.max_shift = shift;
    EXPECT_EQ(DecodeInstructionDescriptor(
                  MmaKind::kF16, EncodeInstructionDescriptor(MmaKind::kF16, ws))
                  .max_shift,
              shift);
  }
}

TEST(InstructionDescriptor, ReservedTypeCodesAreMarked) {
  for (uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(
        DecodeInstructionDescriptor(MmaKind::kF8f6f4, code << 7).a_format_valid,
        code <= 5 && code != 2);
    EXPECT_EQ(
        DecodeInstructionDescriptor(MmaKind::kTf32, code << 10).b_format_valid,
        code == 2);
    EXPECT_EQ(
        DecodeInstructionDescriptor(MmaKind::kI8, code << 7).a_format_valid,
        code <= 1);
  }
}

TEST(InstructionDescriptor, ScaleBlocks) {
  EXPECT_EQ(ScaleCount(MmaKind::kMxf8f6f4, ScaleVector::kDefault, 32), 1);
  EXPECT_EQ(ScaleCount(MmaKind::kMxf4, ScaleVector::kBlock32, 64), 2);
  EXPECT_EQ(ScaleCount(MmaKind::kMxf4nvf4, ScaleVector::k4X, 64), 4);
  EXPECT_EQ(ScaleCount(MmaKind::kMxf4nvf4, ScaleVector::kBlock16, 96), 6);
  EXPECT_EQ(ScaleBlock(MmaKind::kF16, ScaleVector::kDefault), 0);
  EXPECT_EQ(ScaleCount(MmaKind::kF16, ScaleVector::kDefault, 16), 0);
}

TEST(InstructionDescriptor, OnlyTheF8f6f4KindsPadSubByteElements) {
  EXPECT_EQ(SmemElement(MmaKind::kF8f6f4, Format::kE2m1).per_chunk, 16);
  EXPECT_EQ(SmemElement(MmaKind::kMxf8f6f4, Format::kE2m3).per_chunk, 16);
  EXPECT_EQ(SmemElement(MmaKind::kMxf4, Format::kE2m1).per_chunk, 32);
  EXPECT_EQ(SmemElement(MmaKind::kF16, Format::kF16).per_chunk, 8);
}

}  // namespace
}  // namespace tiletune::emulator
