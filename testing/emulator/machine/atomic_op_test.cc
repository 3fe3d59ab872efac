#include "testing/emulator/machine/atomic_op.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(AtomicOp, WrapsCountersAtTheirBound) {
  EXPECT_EQ(ApplyAtomic(Type::kU32, AtomicOp::kInc, 4, 5, 0), 5u);
  EXPECT_EQ(ApplyAtomic(Type::kU32, AtomicOp::kInc, 5, 5, 0), 0u);
  EXPECT_EQ(ApplyAtomic(Type::kU32, AtomicOp::kDec, 0, 5, 0), 5u);
}

TEST(AtomicOp, ComparesByTheType) {
  EXPECT_EQ(ApplyAtomic(Type::kS32, AtomicOp::kMin, 1, 0xFFFFFFFF, 0),
            0xFFFFFFFFu);
  EXPECT_EQ(ApplyAtomic(Type::kU32, AtomicOp::kMin, 1, 0xFFFFFFFF, 0), 1u);
}

TEST(AtomicOp, ExchangesOnlyWhatItExpects) {
  EXPECT_EQ(ApplyAtomic(Type::kB32, AtomicOp::kCas, 3, 3, 9), 9u);
  EXPECT_EQ(ApplyAtomic(Type::kB32, AtomicOp::kCas, 4, 3, 9), 4u);
}

TEST(AtomicOp, AddsBothHalvesOfAPair) {
  // {1, 2} + {3, 4} in bf16x2.
  EXPECT_EQ(
      ApplyAtomic(Type::kBf16x2, AtomicOp::kAdd, 0x40003F80, 0x40804040, 0),
      0x40C04080u);
}

}  // namespace
}  // namespace tiletune::emulator
