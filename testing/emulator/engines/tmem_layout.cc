#include "testing/emulator/engines/tmem_layout.h"

#include <string>

namespace tiletune::emulator {
namespace {

// Into how many parts the N extent is cut, each in its own group of lanes.
int NParts(DataPathLayout layout) {
  switch (layout) {
    case DataPathLayout::kB:
    case DataPathLayout::kE:
      return 2;
    case DataPathLayout::kG:
      return 4;
    default:
      return 1;
  }
}

// C and F use 16 of every 32 lanes.
bool UsesHalfTheLanes(DataPathLayout layout) {
  return layout == DataPathLayout::kC || layout == DataPathLayout::kF;
}

// Lane of a row relative to the base lane, for the first N part.
int RowLane(DataPathLayout layout, int row) {
  return UsesHalfTheLanes(layout) ? row / 16 * 32 + row % 16 : row;
}

// Bits of one A element's place in a TMEM word.
int TmemContainerBits(MmaKind kind) {
  switch (kind) {
    case MmaKind::kF16:
      return 16;
    case MmaKind::kTf32:
      return 32;
    case MmaKind::kMxf4:
    case MmaKind::kMxf4nvf4:
      return 4;
    default:
      return 8;
  }
}

uint32_t Word(const uint32_t* tmem, int lane, int column) {
  return tmem[lane * kTmemColumns + column];
}

}  // namespace

bool ChooseLayout(int m, int cta_group, bool weight_stationary, bool sparse,
                  DataPathLayout* layout) {
  if (cta_group == 2) {
    if (weight_stationary) return false;
    if (m == 256) {
      *layout = DataPathLayout::kA;
    } else if (m == 128) {
      *layout = sparse ? DataPathLayout::kC : DataPathLayout::kB;
    } else {
      return false;
    }
    return true;
  }
  if (cta_group != 1) return false;
  switch (m) {
    case 128:
      *layout = DataPathLayout::kD;
      return true;
    case 64:
      *layout = weight_stationary ? DataPathLayout::kE : DataPathLayout::kF;
      return true;
    case 32:
      *layout = DataPathLayout::kG;
      return weight_stationary;
    default:
      return false;
  }
}

char LayoutName(DataPathLayout layout) {
  return static_cast<char>('A' + static_cast<int>(layout));
}

int LayoutRows(DataPathLayout layout) {
  switch (layout) {
    case DataPathLayout::kA:
    case DataPathLayout::kD:
      return 128;
    case DataPathLayout::kG:
      return 32;
    default:
      return 64;
  }
}

int LayoutColumns(DataPathLayout layout, int n) { return n / NParts(layout); }

TmemAddress AccumulatorCell(DataPathLayout layout, int n_extent,
                            TmemAddress base, int row, int n) {
  const int columns = LayoutColumns(layout, n_extent);
  return {base.lane + RowLane(layout, row) + n / columns * LayoutRows(layout),
          base.column + n % columns};
}

std::vector<TmemBlock> LayoutBlocks(DataPathLayout layout, int n_extent,
                                    TmemAddress base) {
  const int rows = LayoutRows(layout);
  const int block_rows = UsesHalfTheLanes(layout) ? 16 : rows;
  const int columns = LayoutColumns(layout, n_extent);
  std::vector<TmemBlock> blocks;
  for (int row = 0; row < rows; row += block_rows) {
    for (int n = 0; n < n_extent; n += columns) {
      const TmemAddress at = AccumulatorCell(layout, n_extent, base, row, n);
      blocks.push_back({row, block_rows, n, columns, at.lane, at.column});
    }
  }
  return blocks;
}

Findings CheckAccumulator(DataPathLayout layout, int n_extent,
                          TmemAddress base) {
  Findings findings;
  const bool half = UsesHalfTheLanes(layout);
  if (base.lane != 0 && !(half && base.lane == 16)) {
    findings.push_back(std::string("Layout ") + LayoutName(layout) +
                       " needs lane " + (half ? "0 or 16" : "0") + ", not " +
                       std::to_string(base.lane) + ".");
  }
  const int columns = LayoutColumns(layout, n_extent);
  if (base.column + columns > kTmemColumns) {
    findings.push_back("D takes columns " + std::to_string(base.column) +
                       " to " + std::to_string(base.column + columns - 1) +
                       ", but Tensor Memory has 512.");
  }
  return findings;
}

int TmemOperandColumns(MmaKind kind, int depth) {
  return depth * TmemContainerBits(kind) / 32;
}

bool LoadTmemOperand(MmaKind kind, Format format, DataPathLayout layout,
                     TmemAddress base, int depth, const uint32_t* tmem,
                     float* values) {
  const int bits = TmemContainerBits(kind);
  const int per_word = 32 / bits;
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  // e2m1 is centred in its byte; every other format starts at bit 0.
  const int inset = bits == 8 && format == Format::kE2m1 ? 2 : 0;
  const int rows = LayoutRows(layout);
  const int last_lane = base.lane + RowLane(layout, rows - 1);
  if (base.lane < 0 || last_lane >= kTmemLanes || base.column < 0 ||
      base.column + TmemOperandColumns(kind, depth) > kTmemColumns) {
    return false;
  }
  for (int row = 0; row < rows; ++row) {
    const int lane = base.lane + RowLane(layout, row);
    for (int k = 0; k < depth; ++k) {
      const uint32_t word = Word(tmem, lane, base.column + k / per_word);
      const uint32_t container = (word >> (k % per_word * bits)) & mask;
      values[row * depth + k] = Decode(format, container >> inset);
    }
  }
  return true;
}

bool LoadScaleFactors(Format scale_format, int rows, int count, int id,
                      TmemAddress base, const uint32_t* tmem, float* values) {
  if (count != 1 && count != 2 && count != 4) return false;
  if (id < 0 || id + count > 4) return false;
  if (base.lane < 0 || base.lane + 32 > kTmemLanes || base.column < 0 ||
      base.column + (rows + 31) / 32 > kTmemColumns) {
    return false;
  }
  for (int row = 0; row < rows; ++row) {
    const uint32_t word =
        Word(tmem, base.lane + row % 32, base.column + row / 32);
    for (int i = 0; i < count; ++i) {
      values[row * count + i] =
          Decode(scale_format, (word >> (8 * (id + i))) & 0xFF);
    }
  }
  return true;
}

bool ScaleFactorsAreReplicated(int rows, TmemAddress base,
                               const uint32_t* tmem) {
  for (int lane = 32; lane < kTmemLanes; ++lane) {
    for (int column = 0; column < (rows + 31) / 32; ++column) {
      if (Word(tmem, lane, base.column + column) !=
          Word(tmem, lane % 32, base.column + column)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tiletune::emulator
