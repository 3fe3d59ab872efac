#include "testing/emulator/engines/bulk_reduce.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

template <typename T>
T Apply(ReduceOp op, ReduceType type, T destination, T source) {
  uint8_t s[sizeof(T)], d[sizeof(T)];
  std::memcpy(s, &source, sizeof(T));
  std::memcpy(d, &destination, sizeof(T));
  Reduce(op, type, s, d, sizeof(T));
  std::memcpy(&destination, d, sizeof(T));
  return destination;
}

TEST(BulkReduce, Integers) {
  using Op = ReduceOp;
  using Type = ReduceType;
  EXPECT_EQ(Apply<uint32_t>(Op::kAdd, Type::kU32, 0xFFFFFFFF, 2), 1u);
  EXPECT_EQ(Apply<int32_t>(Op::kMin, Type::kS32, 3, -4), -4);
  EXPECT_EQ(Apply<uint32_t>(Op::kMin, Type::kU32, 3, 0xFFFFFFFC), 3u);
  EXPECT_EQ(Apply<int64_t>(Op::kMax, Type::kS64, -5, -6), -5);
  EXPECT_EQ(Apply<uint64_t>(Op::kXor, Type::kB64, 0xFF, 0x0F), 0xF0u);
  EXPECT_EQ(Apply<uint32_t>(Op::kAnd, Type::kB32, 0xFC, 0x3F), 0x3Cu);
  EXPECT_EQ(Apply<uint32_t>(Op::kOr, Type::kB32, 0xC0, 0x03), 0xC3u);
}

TEST(BulkReduce, IncrementWrapsAtTheLimitAndDecrementBelowZero) {
  using Op = ReduceOp;
  const ReduceType type = ReduceType::kU32;
  EXPECT_EQ(Apply<uint32_t>(Op::kInc, type, 4, 5), 5u);
  EXPECT_EQ(Apply<uint32_t>(Op::kInc, type, 5, 5), 0u);
  EXPECT_EQ(Apply<uint32_t>(Op::kInc, type, 9, 5), 0u);
  EXPECT_EQ(Apply<uint32_t>(Op::kDec, type, 4, 5), 3u);
  EXPECT_EQ(Apply<uint32_t>(Op::kDec, type, 0, 5), 5u);
  EXPECT_EQ(Apply<uint32_t>(Op::kDec, type, 9, 5), 5u);
}

TEST(BulkReduce, OnlyTheFtzTypeFlushesSubnormals) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(Apply(ReduceOp::kAdd, ReduceType::kF32, 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(Apply(ReduceOp::kAdd, ReduceType::kF32, tiny, tiny), 2 * tiny);
  EXPECT_EQ(Apply(ReduceOp::kAdd, ReduceType::kF32Ftz, tiny, tiny), 0.0f);
}

TEST(BulkReduce, HalvesRoundOnceAndKeepSubnormals) {
  const ReduceType type = ReduceType::kF16;
  // 2048 + 1 is a tie in f16; even wins.
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kAdd, type, 0x6800, 0x3C00), 0x6800);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kAdd, type, 0x0001, 0x0001), 0x0002);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kMax, type, 0x3C00, 0xC000), 0x3C00);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kMin, type, 0x7FFF, 0x3C00), 0x3C00);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kMin, type, 0x0000, 0x8000), 0x8000);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kMax, type, 0x8000, 0x0000), 0x0000);
  EXPECT_EQ(Apply<uint16_t>(ReduceOp::kAdd, ReduceType::kBf16, 0x3F80, 0x3F80),
            0x4000);
}

TEST(BulkReduce, ReducesEveryElementOfTheRange) {
  const uint32_t source[3] = {1, 2, 3};
  uint32_t destination[3] = {10, 20, 30};
  Reduce(ReduceOp::kAdd, ReduceType::kU32,
         reinterpret_cast<const uint8_t*>(source),
         reinterpret_cast<uint8_t*>(destination), sizeof(source));
  EXPECT_EQ(destination[0], 11u);
  EXPECT_EQ(destination[1], 22u);
  EXPECT_EQ(destination[2], 33u);
}

// The table of PTX ISA 9.7.9.25.5.3, type by type.
TEST(BulkReduce, OnlyTheListedCombinationsExist) {
  using Map = TensorMapType;
  const auto ops = [](Map map_type) {
    std::string names;
    constexpr const char* kNames[] = {"add ", "min ", "max ", "inc ",
                                      "dec ", "and ", "or ",  "xor "};
    for (int op = 0; op < 8; ++op) {
      ReduceType type;
      std::string why;
      if (ReduceTypeOf(map_type, static_cast<ReduceOp>(op), &type, &why)) {
        names += kNames[op];
        EXPECT_EQ(ReduceElementBytes(type), TensorMapElementBits(map_type) / 8);
      } else {
        EXPECT_NE(why.find(TensorMapTypeName(map_type)), std::string::npos);
      }
    }
    return names;
  };
  EXPECT_EQ(ops(Map::kU32), "add min max inc dec and or xor ");
  EXPECT_EQ(ops(Map::kS32), "add min max and or xor ");
  EXPECT_EQ(ops(Map::kU64), "add min max and or xor ");
  EXPECT_EQ(ops(Map::kS64), "min max ");
  EXPECT_EQ(ops(Map::kF32), "add and or xor ");
  EXPECT_EQ(ops(Map::kF16), "add min max ");
  EXPECT_EQ(ops(Map::kBf16), "add min max ");
  EXPECT_EQ(ops(Map::kF64), "and or xor ");
  EXPECT_EQ(ops(Map::kU8), "");
  EXPECT_EQ(ops(Map::kU16), "");
  EXPECT_EQ(ops(Map::k16U4Align8B), "");
}

}  // namespace
}  // namespace tiletune::emulator
