#include "testing/emulator/engines/smem_descriptor.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(SmemDescriptor, KnownConstantOfTheUsualKMajorTile) {
  SmemDescriptor d;
  d.stride_bytes = 1024;
  d.swizzle = Swizzle::k128;
  EXPECT_EQ(EncodeSmemDescriptor(d), 0x4000404000000000u);
}

TEST(SmemDescriptor, EncodingRoundTrips) {
  for (DescriptorKind kind :
       {DescriptorKind::kWgmma, DescriptorKind::kTcgen05}) {
    for (Swizzle swizzle : {Swizzle::kNone, Swizzle::k32, Swizzle::k64,
                            Swizzle::k128, Swizzle::k128Atom32}) {
      if (kind == DescriptorKind::kWgmma && swizzle == Swizzle::k128Atom32) {
        continue;
      }
      SmemDescriptor d;
      d.kind = kind;
      d.start_address = 0x3FFF0;
      d.leading_bytes = 0x120;
      d.stride_bytes = 0x3FFE0;
      d.base_offset = 5;
      d.swizzle = swizzle;
      const SmemDescriptor back =
          DecodeSmemDescriptor(kind, EncodeSmemDescriptor(d));
      EXPECT_EQ(back.start_address, d.start_address);
      EXPECT_EQ(back.leading_bytes, d.leading_bytes);
      EXPECT_EQ(back.stride_bytes, d.stride_bytes);
      EXPECT_EQ(back.base_offset, d.base_offset);
      EXPECT_EQ(back.swizzle, d.swizzle);
    }
  }
}

TEST(SmemDescriptor, EachBrokenRuleGetsItsSentence) {
  const uint64_t fixed = uint64_t{1} << 46;
  const auto swizzle = [](uint64_t code) { return code << 61; };
  const auto only = [](DescriptorKind kind, uint64_t bits, Majorness majorness,
                       OperandElement element) {
    const Findings f = CheckSmemDescriptor(kind, bits, majorness, element);
    EXPECT_EQ(f.size(), 1u);
    return f.empty() ? std::string() : f[0];
  };
  const auto tcgen05 = DescriptorKind::kTcgen05;
  const OperandElement bf16 = ElementOf(Format::kBf16);
  const OperandElement tf32 = ElementOf(Format::kTf32);
  EXPECT_TRUE(
      CheckSmemDescriptor(tcgen05, fixed | swizzle(2), Majorness::kK, bf16)
          .empty());
  EXPECT_NE(only(tcgen05, swizzle(2), Majorness::kK, bf16).find("46-48"),
            std::string::npos);
  EXPECT_NE(only(tcgen05, fixed | uint64_t{1} << 53, Majorness::kK, bf16)
                .find("53-60"),
            std::string::npos);
  for (uint64_t code : {3, 5, 7}) {
    EXPECT_NE(only(tcgen05, fixed | swizzle(code), Majorness::kK, bf16)
                  .find("invalid"),
              std::string::npos);
  }
  EXPECT_NE(
      only(tcgen05, fixed | swizzle(4) | uint64_t{1} << 52, Majorness::kK, bf16)
          .find("absolute"),
      std::string::npos);
  EXPECT_NE(only(tcgen05, fixed | swizzle(2), Majorness::kMn, tf32)
                .find("32-bit MN-major"),
            std::string::npos);
  EXPECT_TRUE(
      CheckSmemDescriptor(tcgen05, fixed | swizzle(1), Majorness::kMn, tf32)
          .empty());
  EXPECT_NE(only(tcgen05, fixed | swizzle(1), Majorness::kMn, bf16)
                .find("below 32 bits"),
            std::string::npos);
  EXPECT_NE(only(tcgen05, fixed, Majorness::kMn, ElementOf(Format::kE2m1))
                .find("must be K-major"),
            std::string::npos);
  const auto wgmma = DescriptorKind::kWgmma;
  EXPECT_TRUE(
      CheckSmemDescriptor(wgmma, uint64_t{1} << 62, Majorness::kMn, bf16)
          .empty());
  EXPECT_TRUE(CheckSmemDescriptor(wgmma, uint64_t{1} << 62 | uint64_t{3} << 49,
                                  Majorness::kK, bf16)
                  .empty());
  EXPECT_NE(only(wgmma, uint64_t{3} << 49, Majorness::kK, bf16)
                .find("only valid with a swizzle"),
            std::string::npos);
  EXPECT_NE(only(wgmma, uint64_t{1} << 62, Majorness::kMn, tf32)
                .find("only for f16 and bf16"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune::emulator
