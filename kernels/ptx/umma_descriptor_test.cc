#include "kernels/ptx/umma_descriptor.h"

#include "gtest/gtest.h"

namespace tiletune::ptx {
namespace {

// Worked out by hand from PTX ISA Table 42.
TEST(InstructionDescriptor, HasTheBitsOfTheIsa) {
  EXPECT_EQ(InstructionDescriptor({128, 256, kUmmaBf16, kUmmaBf16}),
            0x08400490u);
  EXPECT_EQ(InstructionDescriptor({256, 256, kUmmaBf16, kUmmaBf16}),
            0x10400490u);
  EXPECT_EQ(InstructionDescriptor({128, 128, kUmmaFp16, kUmmaFp16}),
            0x08200010u);
  EXPECT_EQ(InstructionDescriptor({64, 16, kUmmaE4m3, kUmmaE5m2}), 0x04040410u);
}

TEST(InstructionDescriptor, MarksMnMajorOperands) {
  const uint32_t plain =
      InstructionDescriptor({128, 128, kUmmaBf16, kUmmaBf16});
  EXPECT_EQ(InstructionDescriptor({128, 128, kUmmaBf16, kUmmaBf16, true}),
            plain | 1u << 15);
  EXPECT_EQ(
      InstructionDescriptor({128, 128, kUmmaBf16, kUmmaBf16, false, true}),
      plain | 1u << 16);
}

TEST(SharedMemoryDescriptor, HasTheBitsOfTheIsa) {
  EXPECT_EQ(SharedMemoryDescriptor(0, 0, 1024, UmmaSwizzle::k128Bytes),
            0x4000404000000000u);
  EXPECT_EQ(SharedMemoryDescriptor(0x1c00, 8192, 512, UmmaSwizzle::k64Bytes),
            0x80004020020001c0u);
}

TEST(SwizzleOfSpan, IsNoneForASpanThatHasNone) {
  EXPECT_EQ(SwizzleOfSpan(128), UmmaSwizzle::k128Bytes);
  EXPECT_EQ(SwizzleOfSpan(64), UmmaSwizzle::k64Bytes);
  EXPECT_EQ(SwizzleOfSpan(32), UmmaSwizzle::k32Bytes);
  EXPECT_EQ(SwizzleOfSpan(16), UmmaSwizzle::kNone);
}

TEST(AdvanceDescriptor, MovesTheStartAddressAlone) {
  const uint64_t d =
      SharedMemoryDescriptor(2048, 0, 1024, UmmaSwizzle::k128Bytes);
  EXPECT_EQ(AdvanceDescriptor(d, 32),
            SharedMemoryDescriptor(2080, 0, 1024, UmmaSwizzle::k128Bytes));
}

}  // namespace
}  // namespace tiletune::ptx
