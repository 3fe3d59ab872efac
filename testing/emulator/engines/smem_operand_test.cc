#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/smem_descriptor.h"
#include "testing/emulator/engines/tma.h"

namespace tiletune::emulator {
namespace {

// A CuTe layout mode written out naively: (shape, stride) pairs, innermost
// first; the last shape is unbounded.
using Mode = std::vector<std::pair<uint32_t, uint32_t>>;

uint32_t Index(uint32_t coordinate, const Mode& mode) {
  uint32_t index = 0;
  for (size_t i = 0; i + 1 < mode.size(); ++i) {
    index += coordinate % mode[i].first * mode[i].second;
    coordinate /= mode[i].first;
  }
  return index + coordinate * mode.back().second;
}

// Swizzle<B, M, S> of CuTe on a byte address: XOR bits [M, M + B) with bits
// [M + S, M + S + B).
uint32_t CuteSwizzle(int b, int m, int s, uint32_t address) {
  const uint32_t mask = ((1u << b) - 1) << (m + s);
  return address ^ ((address & mask) >> s);
}

struct Canonical {
  Swizzle swizzle;
  int b, m, s;
  Mode rows;   // strides in elements
  Mode depth;  // strides in elements
};

// The table of PTX ISA 9.7.16.3.3, with LBO and SBO in elements.
std::vector<Canonical> KMajor(uint32_t t, uint32_t lbo, uint32_t sbo) {
  return {
      {Swizzle::kNone, 0, 4, 3, {{8, t}, {0, sbo}}, {{t, 1}, {0, lbo}}},
      {Swizzle::k32, 1, 4, 3, {{8, 2 * t}, {0, sbo}}, {{t, 1}, {0, t}}},
      {Swizzle::k64, 2, 4, 3, {{8, 4 * t}, {0, sbo}}, {{t, 1}, {0, t}}},
      {Swizzle::k128, 3, 4, 3, {{8, 8 * t}, {0, sbo}}, {{t, 1}, {0, t}}},
      {Swizzle::k128Atom32, 2, 5, 2, {{8, 8 * t}, {0, sbo}}, {{t, 1}, {0, t}}},
  };
}

std::vector<Canonical> MnMajor(uint32_t t, uint32_t lbo, uint32_t sbo) {
  return {
      {Swizzle::kNone, 0, 4, 3, {{t, 1}, {0, sbo}}, {{8, t}, {0, lbo}}},
      {Swizzle::k32,
       1,
       4,
       3,
       {{t, 1}, {2, t}, {0, lbo}},
       {{8, 2 * t}, {0, sbo}}},
      {Swizzle::k64,
       2,
       4,
       3,
       {{t, 1}, {4, t}, {0, lbo}},
       {{8, 4 * t}, {0, sbo}}},
      {Swizzle::k128,
       3,
       4,
       3,
       {{t, 1}, {8, t}, {0, lbo}},
       {{8, 8 * t}, {0, sbo}}},
      {Swizzle::k128Atom32,
       2,
       5,
       2,
       {{t, 1}, {8, t}, {0, lbo}},
       {{4, 8 * t}, {0, sbo}}},
  };
}

void ExpectLayout(const Canonical& canonical, Majorness majorness,
                  Format format, uint32_t lbo_bytes, uint32_t sbo_bytes) {
  const OperandElement element = ElementOf(format);
  const uint32_t bytes = static_cast<uint32_t>(element.bits) / 8;
  OperandView view;
  view.descriptor.start_address = 4096;
  view.descriptor.leading_bytes = lbo_bytes;
  view.descriptor.stride_bytes = sbo_bytes;
  view.descriptor.swizzle = canonical.swizzle;
  view.majorness = majorness;
  view.element = element;
  view.rows = 64;
  view.depth = 256 / element.bits;
  for (int row = 0; row < view.rows; ++row) {
    for (int k = 0; k < view.depth; ++k) {
      const uint32_t linear =
          4096 + bytes * (Index(static_cast<uint32_t>(row), canonical.rows) +
                          Index(static_cast<uint32_t>(k), canonical.depth));
      const uint32_t expected =
          CuteSwizzle(canonical.b, canonical.m, canonical.s, linear);
      const ElementLocation at = LocateElement(view, row, k);
      ASSERT_EQ(at.chunk_address + static_cast<uint32_t>(at.bit_offset) / 8,
                expected)
          << FormatName(format) << " row " << row << " k " << k;
    }
  }
}

TEST(SmemOperand, AddressesMatchTheCanonicalCuteLayouts) {
  for (Format format : {Format::kE4m3, Format::kBf16, Format::kTf32}) {
    const uint32_t bytes = static_cast<uint32_t>(FormatBits(format)) / 8;
    const uint32_t lbo = 4096 + 64, sbo = 2048 + 32;
    for (const Canonical& c : KMajor(16 / bytes, lbo / bytes, sbo / bytes)) {
      ExpectLayout(c, Majorness::kK, format, lbo, sbo);
    }
    for (const Canonical& c : MnMajor(16 / bytes, lbo / bytes, sbo / bytes)) {
      ExpectLayout(c, Majorness::kMn, format, lbo, sbo);
    }
  }
}

// The worked examples of PTX ISA 9.7.16.3.3, as their exact layouts and the
// descriptor encodings printed beside them.
TEST(SmemOperand, WorkedExamplesOfTheIsa) {
  const auto offset = [](Majorness majorness, Swizzle swizzle, Format format,
                         uint64_t lbo_field, uint64_t sbo_field, int row,
                         int k) {
    const uint64_t bits = lbo_field << 16 | sbo_field << 32 | uint64_t{1} << 46;
    OperandView view;
    view.descriptor = DecodeSmemDescriptor(DescriptorKind::kTcgen05, bits);
    view.descriptor.swizzle = swizzle;
    view.majorness = majorness;
    view.element = ElementOf(format);
    const ElementLocation at = LocateElement(view, row, k);
    const int element = at.bit_offset / view.element.bits;
    return SwizzleAddress(swizzle, at.chunk_address) /
               (static_cast<uint32_t>(view.element.bits) / 8) +
           static_cast<uint32_t>(element);
  };
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t k = 0; k < 16; ++k) {
      const int r = static_cast<int>(row), c = static_cast<int>(k);
      EXPECT_EQ(
          offset(Majorness::kK, Swizzle::kNone, Format::kTf32, 16, 8, r, c),
          Index(row, {{8, 4}, {2, 32}}) + Index(k, {{4, 1}, {4, 64}}));
      EXPECT_EQ(
          offset(Majorness::kMn, Swizzle::kNone, Format::kBf16, 16, 8, r, c),
          Index(row, {{8, 1}, {2, 64}}) + Index(k, {{8, 8}, {2, 128}}));
      if (k < 8) {
        EXPECT_EQ(
            offset(Majorness::kK, Swizzle::k32, Format::kTf32, 1, 16, r, c),
            Index(row, {{8, 8}, {2, 64}}) + Index(k, {{4, 1}, {4, 4}}));
      }
    }
  }
  for (uint32_t row = 0; row < 64; ++row) {
    for (uint32_t k = 0; k < 16; ++k) {
      const int r = static_cast<int>(row), c = static_cast<int>(k);
      if (row < 32) {
        EXPECT_EQ(
            offset(Majorness::kMn, Swizzle::k32, Format::kBf16, 16, 32, r, c),
            Index(row, {{8, 1}, {2, 8}, {2, 128}}) +
                Index(k, {{8, 16}, {2, 256}}));
      }
      EXPECT_EQ(
          offset(Majorness::kMn, Swizzle::k64, Format::kBf16, 32, 64, r, c),
          Index(row, {{8, 1}, {4, 8}, {2, 256}}) +
              Index(k, {{8, 32}, {2, 512}}));
    }
  }
}

// What TMA writes, the MMA must read back: the two swizzles are written down in
// different chapters of the ISA.
TEST(SmemOperand, ReadsWhatTmaWrote) {
  struct Case {
    Swizzle swizzle;
    uint32_t span;
  };
  for (const Case c : {Case{Swizzle::k32, 32}, Case{Swizzle::k64, 64},
                       Case{Swizzle::k128, 128}}) {
    constexpr int kRows = 32;
    const uint32_t columns = c.span / 2;
    TensorMap map;
    map.type = TensorMapType::kBf16;
    map.rank = 2;
    map.address = 0;
    map.dims = {columns, kRows};
    map.strides = {c.span};
    map.box = {columns, kRows};
    map.swizzle = c.swizzle;
    std::vector<uint8_t> global(kRows * c.span);
    for (uint32_t i = 0; i < kRows * columns; ++i) {
      const uint16_t bits = EncodeBf16(static_cast<float>(i % 251));
      std::memcpy(&global[2 * i], &bits, 2);
    }
    TmaRequest request;
    request.shared_address = 1024;
    std::vector<uint8_t> shared(8192);
    std::vector<TmaRow> rows;
    WalkRows(map, request, &rows);
    for (const TmaRow& row : rows) {
      LoadRow(map, row, &global[row.global_address], shared.data());
    }
    for (uint32_t k0 = 0; k0 < columns; k0 += 16) {  // advance inside the span
      OperandView view;
      view.descriptor.start_address = 1024 + 2 * k0;
      view.descriptor.stride_bytes = 8 * c.span;
      view.descriptor.swizzle = c.swizzle;
      view.element = ElementOf(Format::kBf16);
      view.rows = kRows;
      view.depth = 16;
      std::vector<float> values(kRows * 16);
      ASSERT_TRUE(LoadOperand(view, shared.data(), 8192, values.data()));
      EXPECT_TRUE(CheckOperand(view, 8192).empty());
      for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t k = 0; k < 16; ++k) {
          ASSERT_EQ(values[r * 16 + k],
                    static_cast<float>((r * columns + k0 + k) % 251));
        }
      }
    }
    // The same bytes as an MN-major matrix: rows of the box are K.
    OperandView view;
    view.descriptor.start_address = 1024;
    view.descriptor.stride_bytes = 8 * c.span;
    view.descriptor.leading_bytes = 0;
    view.descriptor.swizzle = c.swizzle;
    view.majorness = Majorness::kMn;
    view.element = ElementOf(Format::kBf16);
    view.rows = static_cast<int>(columns);
    view.depth = kRows;
    std::vector<float> values(columns * kRows);
    ASSERT_TRUE(LoadOperand(view, shared.data(), 8192, values.data()));
    for (uint32_t p = 0; p < columns; ++p) {
      for (uint32_t k = 0; k < kRows; ++k) {
        ASSERT_EQ(values[p * kRows + k],
                  static_cast<float>((k * columns + p) % 251));
      }
    }
  }
}

TEST(SmemOperand, DecodesEveryElementWidth) {
  std::vector<uint8_t> shared(256);
  const auto load = [&shared](OperandElement element) {
    OperandView view;
    view.element = element;
    view.rows = 1;
    view.depth = element.per_chunk;
    std::vector<float> values(static_cast<size_t>(view.depth));
    EXPECT_TRUE(LoadOperand(view, shared.data(), 256, values.data()));
    return values;
  };
  shared[0] = 0x72;  // e2m1: low nibble 1.0, high nibble 6.0
  std::vector<float> values = load(ElementOf(Format::kE2m1));
  ASSERT_EQ(values.size(), 32u);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], 6.0f);
  values = load(PaddedElementOf(Format::kE2m1));
  ASSERT_EQ(values.size(), 16u);
  EXPECT_EQ(values[1], 6.0f);
  // e2m3 elements 0 and 1: patterns 0x08 (1.0) and 0x3F (-7.5), packed.
  shared[0] = 0x08 | (0x3F & 3) << 6;
  shared[1] = 0x3F >> 2;
  values = load(PaddedElementOf(Format::kE2m3));
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -7.5f);
  const uint32_t one = 0x3F801FFF;
  std::memcpy(&shared[4], &one, 4);
  EXPECT_EQ(load(ElementOf(Format::kTf32))[1], 1.0f);
  shared[15] = 0xFF;
  EXPECT_EQ(load(ElementOf(Format::kS8))[15], -1.0f);
  EXPECT_EQ(load(ElementOf(Format::kU8))[15], 255.0f);
}

TEST(SmemOperand, TouchedRangesAreTheChunksOfTheOperand) {
  OperandView view;
  view.descriptor.start_address = 1024;
  view.descriptor.stride_bytes = 1024;
  view.descriptor.swizzle = Swizzle::k128;
  view.element = ElementOf(Format::kBf16);
  view.rows = 16;
  view.depth = 64;
  std::vector<ByteRange> ranges;
  TouchedRanges(view, &ranges);
  ASSERT_EQ(ranges.size(), 1u);  // whole lines: the swizzle stays inside
  EXPECT_EQ(ranges[0].begin, 1024u);
  EXPECT_EQ(ranges[0].end, 1024u + 16 * 128);
  view.depth = 16;
  TouchedRanges(view, &ranges);
  uint32_t bytes = 0;
  for (const ByteRange& r : ranges) bytes += r.end - r.begin;
  EXPECT_EQ(bytes, 16u * 32);
}

TEST(SmemOperand, PaddingIsNotTouched) {
  OperandView view;
  view.descriptor.start_address = 1024;
  view.descriptor.stride_bytes = 256;
  view.descriptor.leading_bytes = 128;
  view.rows = 8;
  view.depth = 32;
  for (const auto& [format, bytes] :
       {std::pair(Format::kE2m1, 8u), std::pair(Format::kE2m3, 12u)}) {
    view.element = PaddedElementOf(format);
    std::vector<ByteRange> ranges;
    TouchedRanges(view, &ranges);
    ASSERT_EQ(ranges.size(), 16u);
    for (const ByteRange& r : ranges) EXPECT_EQ(r.end - r.begin, bytes);
  }
}

TEST(SmemOperand, AbsoluteLeadingAddressContinuesTheRowElsewhere) {
  OperandView view;
  view.descriptor.start_address = 1024 + 96;
  view.descriptor.leading_bytes = 8192;
  view.descriptor.leading_is_absolute = true;
  view.descriptor.stride_bytes = 1024;
  view.descriptor.swizzle = Swizzle::k128;
  view.element = ElementOf(Format::kE2m1);
  view.rows = 8;
  view.depth = 96;
  EXPECT_EQ(LocateElement(view, 0, 0).chunk_address, 1024u + 96);
  EXPECT_EQ(LocateElement(view, 0, 32).chunk_address, 1024u + 112);
  EXPECT_EQ(LocateElement(view, 0, 64).chunk_address, 8192u);
  EXPECT_EQ(LocateElement(view, 1, 64).chunk_address, 8192u + 128 + 16);
  EXPECT_TRUE(CheckOperand(view, 1 << 16).empty());
  view.descriptor.leading_is_absolute = false;
  EXPECT_EQ(CheckOperand(view, 1 << 16).size(), 1u);
}

TEST(SmemOperand, OperandsOutsideSharedMemoryAreReported) {
  OperandView view;
  view.descriptor.start_address = 4096 - 128;
  view.element = ElementOf(Format::kBf16);
  view.descriptor.leading_bytes = 128;
  view.rows = 8;
  view.depth = 16;
  std::vector<uint8_t> shared(4096);
  std::vector<float> values(8 * 16);
  EXPECT_FALSE(LoadOperand(view, shared.data(), 4096, values.data()));
  ASSERT_EQ(CheckOperand(view, 4096).size(), 1u);
  EXPECT_NE(CheckOperand(view, 4096)[0].find("0x1070"), std::string::npos);
  view.descriptor.start_address -= 128;
  EXPECT_TRUE(LoadOperand(view, shared.data(), 4096, values.data()));
  EXPECT_TRUE(CheckOperand(view, 4096).empty());
}

}  // namespace
}  // namespace tiletune::emulator
