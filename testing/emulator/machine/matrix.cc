// Warp-level matrix instructions (PTX ISA 9.7.14): mma.sync, ldmatrix,
// stmatrix, movmatrix.
#include <cstring>
#include <string>
#include <vector>

#include "testing/emulator/engines/matrix_load_store.h"
#include "testing/emulator/engines/mma.h"
#include "testing/emulator/engines/mma_sync.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// Inst::flags of mma.sync.
constexpr uint32_t kSaturate = 1;
constexpr uint32_t kDShift = 4;   // AccumulatorFormat
constexpr uint32_t kAShift = 8;   // Format
constexpr uint32_t kBShift = 12;  // Format

constexpr int kM = 16;
constexpr int kN = 8;

int Container(Format format) {
  return format == Format::kTf32  ? 32
         : FormatBits(format) < 8 ? 8
                                  : FormatBits(format);
}

// Reads one operand's registers into values[row * k + column] (A) or, for B,
// values[n * k + k'].
void ReadOperand(Warp& warp, const int32_t* slots, Format format, int k, bool b,
                 float* values) {
  const int bits = Container(format);
  const int per_register = 32 / bits;
  const int elements = b ? MmaSyncBElements(k) : MmaSyncAElements(k);
  const uint32_t mask = bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1;
  for (int i = 0; i < elements; ++i) {
    const uint64_t* lanes = warp.Reg(slots[i / per_register]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      uint32_t element =
          static_cast<uint32_t>(lanes[lane] >> (bits * (i % per_register))) &
          mask;
      MatrixCell cell =
          b ? MmaSyncBCell(bits, lane, i) : MmaSyncACell(bits, lane, i);
      int at = b ? cell.column * k + cell.row : cell.row * k + cell.column;
      values[at] = DecodeMmaSyncElement(format, element);
    }
  }
}

// bytes: K; list: D, A, B, C registers.
Step MmaSync(Warp& warp, const Inst& inst, uint32_t mask) {
  if (mask != kFullMask) {
    warp.machine->Report(warp, inst, __builtin_ctz(mask), "diverged warp",
                         "executed without all lanes of the warp");
  }
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  const int k = inst.bytes;
  const AccumulatorFormat format =
      static_cast<AccumulatorFormat>((inst.flags >> kDShift) & 0xF);
  const Format a_format = static_cast<Format>((inst.flags >> kAShift) & 0xF);
  const Format b_format = static_cast<Format>((inst.flags >> kBShift) & 0xF);
  const bool half = format == AccumulatorFormat::kF16;
  const int d_registers = half ? 2 : 4;
  const int a_registers = MmaSyncAElements(k) * Container(a_format) / 32;
  const int b_registers = MmaSyncBElements(k) * Container(b_format) / 32;
  float a[kM * 64];
  float b[kN * 64];
  ReadOperand(warp, slots + d_registers, a_format, k, false, a);
  ReadOperand(warp, slots + d_registers + a_registers, b_format, k, true, b);
  const int32_t* c_slots = slots + d_registers + a_registers + b_registers;
  uint32_t d[kM * kN];
  for (int i = 0; i < kMmaSyncAccumulatorElements; ++i) {
    const uint64_t* lanes = warp.Reg(c_slots[half ? i / 2 : i]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      MatrixCell cell = MmaSyncAccumulatorCell(lane, i);
      uint32_t word = static_cast<uint32_t>(lanes[lane]);
      d[cell.row * kN + cell.column] =
          half ? (word >> (16 * (i & 1))) & 0xFFFF : word;
    }
  }
  MmaAccumulation options;
  options.format = format;
  options.saturate = (inst.flags & kSaturate) != 0;
  MultiplyAccumulate(MmaOperands{a, b, kM, kN, k}, options, d, kN);
  for (int i = 0; i < kMmaSyncAccumulatorElements; ++i) {
    uint64_t* lanes = warp.Reg(slots[half ? i / 2 : i]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      MatrixCell cell = MmaSyncAccumulatorCell(lane, i);
      uint64_t word = d[cell.row * kN + cell.column];
      if (!half) {
        lanes[lane] = word;
      } else if ((i & 1) == 0) {
        lanes[lane] = word & 0xFFFF;
      } else {
        lanes[lane] |= (word & 0xFFFF) << 16;
      }
    }
  }
  return Step::kNext;
}

bool ParseFormat(const std::string& name, Format* format) {
  static constexpr Format kFormats[] = {
      Format::kF16,  Format::kBf16, Format::kTf32, Format::kE4m3, Format::kE5m2,
      Format::kE2m3, Format::kE3m2, Format::kE2m1, Format::kU8,   Format::kS8};
  for (Format f : kFormats) {
    if (name == FormatName(f)) {
      *format = f;
      return true;
    }
  }
  return false;
}

bool ParseAccumulator(const std::string& name, AccumulatorFormat* format) {
  if (name == "f16") {
    *format = AccumulatorFormat::kF16;
  } else if (name == "f32") {
    *format = AccumulatorFormat::kF32;
  } else if (name == "s32") {
    *format = AccumulatorFormat::kS32;
  } else {
    return false;
  }
  return true;
}

bool DecodeMma(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("sync") || !modifiers.Take("aligned")) return false;
  if (modifiers.Take("sp") || modifiers.Take("block_scale")) {
    return context.Fail("sparse and block-scaled mma.sync are not modelled");
  }
  std::string shape = modifiers.TakePrefix("m16n8k");
  if (shape.empty() || !modifiers.Take("row") || !modifiers.Take("col")) {
    return false;
  }
  modifiers.Take("kind::f8f6f4");
  if (modifiers.Take("satfinite")) inst->flags |= kSaturate;
  std::vector<std::string> types = modifiers.parts();
  MmaSyncInstruction mma;
  mma.k = std::atoi(shape.c_str() + 6);
  AccumulatorFormat c;
  if (types.size() != 4 || !ParseAccumulator(types[0], &mma.d_format) ||
      !ParseFormat(types[1], &mma.a_format) ||
      !ParseFormat(types[2], &mma.b_format) ||
      !ParseAccumulator(types[3], &c)) {
    return false;
  }
  for (const std::string& type : types) modifiers.Take(type);
  if (c != mma.d_format) {
    return context.Fail("different types of C and D are not modelled");
  }
  Findings wrong = CheckMmaSync(mma);
  if (!wrong.empty()) return context.Fail(wrong.front());
  inst->handler = &MmaSync;
  inst->aligned = true;
  inst->bytes = static_cast<uint8_t>(mma.k);
  inst->flags |= (static_cast<uint32_t>(mma.d_format) << kDShift) |
                 (static_cast<uint32_t>(mma.a_format) << kAShift) |
                 (static_cast<uint32_t>(mma.b_format) << kBShift);
  if (!context.Operands(4)) return false;
  const size_t d_registers = mma.d_format == AccumulatorFormat::kF16 ? 2 : 4;
  const size_t counts[4] = {d_registers,
                            static_cast<size_t>(MmaSyncAElements(mma.k) *
                                                Container(mma.a_format) / 32),
                            static_cast<size_t>(MmaSyncBElements(mma.k) *
                                                Container(mma.b_format) / 32),
                            d_registers};
  if (!context.DestList(context.Operand(0), inst)) return false;
  const auto& lists = context.program()->lists;
  std::vector<int32_t> list(lists.begin() + inst->list,
                            lists.begin() + inst->list + inst->list_size);
  if (list.size() != counts[0]) return context.Fail("wrong register count");
  for (size_t i = 1; i < 4; ++i) {
    size_t before = list.size();
    if (!context.SourceSlots(context.Operand(i), Type::kB32, &list)) {
      return false;
    }
    if (list.size() - before != counts[i]) {
      return context.Fail("wrong register count");
    }
  }
  inst->list = context.AppendList(list);
  inst->list_size = static_cast<uint32_t>(list.size());
  return true;
}

// kind: MatrixShape; bytes: number of matrices; flags: 1 transposed, 2 store.
MatrixAccess AccessOf(const Inst& inst) {
  MatrixAccess access;
  access.shape = static_cast<MatrixShape>(inst.kind);
  access.num = inst.bytes;
  access.transposed = (inst.flags & 1) != 0;
  return access;
}

Step MoveMatrices(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const bool store = (inst.flags & 2) != 0;
  if (mask != kFullMask) {
    machine.Report(warp, inst, __builtin_ctz(mask), "diverged warp",
                   "executed without all lanes of the warp");
  }
  MatrixAccess access = AccessOf(inst);
  const int32_t* slots = &machine.program().lists[inst.list];
  const MemorySpace space = static_cast<MemorySpace>(inst.space);
  uint8_t* rows[kWarpSize] = {};
  for (int lane = 0; lane < MatrixAddressLanes(access); ++lane) {
    uint64_t address =
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
    if (space == MemorySpace::kShared) address &= 0xFFFFFFFF;
    Location at = machine.Locate(warp, inst, lane, space, address, 16, store);
    if (at.data == nullptr || at.cta == nullptr) {
      if (at.data != nullptr) {
        machine.Report(warp, inst, lane, "wrong state space",
                       "the address is not in shared memory", address);
      }
      return Step::kNext;
    }
    if (!store) {
      machine.CheckSharedInitialised(at.cta, at.offset, 16, inst, warp.cta,
                                     machine.ThreadIndex(warp, lane));
    }
    // What one lane addresses, all lanes hold a part of.
    warp.known.ForViews(mask, [&](uint32_t lanes) {
      Access who = machine.WarpAccess(warp, inst, __builtin_ctz(lanes));
      who.thread = machine.ThreadIndex(warp, lane);
      if (warp.known.by_lane()) who.lanes = LaneSet::Mask(mask);
      machine.TouchShared(at.cta, at.offset, 16, store, who, inst, warp.cta);
    });
    rows[lane] = at.data;
  }
  const int registers = MatrixRegisters(access);
  const int per_register = MatrixElementsPerRegister(access);
  const int bits = 32 / per_register;
  const uint32_t field = (1u << bits) - 1;
  for (int r = 0; r < registers; ++r) {
    uint64_t* lanes = warp.Reg(slots[r]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      uint32_t word = store ? static_cast<uint32_t>(lanes[lane]) : 0;
      for (int e = 0; e < per_register; ++e) {
        MatrixSource source = MatrixElement(access, lane, r, e);
        uint8_t* at = rows[source.address_lane] + source.byte_offset;
        if (store) {
          uint32_t element = (word >> (bits * e)) & field;
          std::memcpy(at, &element, static_cast<size_t>(bits / 8));
        } else {
          uint32_t element = 0;
          std::memcpy(&element, at, static_cast<size_t>(bits / 8));
          word |= element << (bits * e);
        }
      }
      if (!store) lanes[lane] = word;
    }
  }
  return Step::kNext;
}

bool DecodeMatrices(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                    bool store) {
  if (!modifiers.Take("sync") || !modifiers.Take("aligned")) return false;
  MatrixAccess access;
  if (modifiers.Take("m8n8")) {
    access.shape = MatrixShape::kM8N8B16;
  } else if (modifiers.Take("m16n16")) {
    access.shape = MatrixShape::kM16N16B8;
  } else if (modifiers.Take("m16n8")) {
    access.shape = MatrixShape::kM16N8B8;
  } else {
    return context.Fail("this matrix shape is not modelled");
  }
  for (uint8_t num : {1, 2, 4}) {
    if (modifiers.Take("x" + std::to_string(num))) inst->bytes = num;
  }
  access.num = inst->bytes;
  if (access.num == 0) return false;
  access.transposed = modifiers.Take("trans");
  if (modifiers.Take("shared") || modifiers.Take("shared::cta")) {
    inst->space = static_cast<uint8_t>(MemorySpace::kShared);
  } else {
    inst->space = static_cast<uint8_t>(MemorySpace::kGeneric);
  }
  if (!modifiers.Take("b16") && !modifiers.Take("b8")) return false;
  Findings wrong = CheckMatrixAccess(access, store);
  if (!wrong.empty()) return context.Fail(wrong.front());
  inst->handler = &MoveMatrices;
  inst->aligned = true;
  inst->kind = static_cast<uint8_t>(access.shape);
  inst->flags = (access.transposed ? 1u : 0u) | (store ? 2u : 0u);
  if (!context.Operands(2)) return false;
  bool ok = store ? context.SourceList(context.Operand(1), Type::kB32, inst)
                  : context.DestList(context.Operand(0), inst);
  if (!ok || !context.Address(store ? 0 : 1, &inst->op[0], &inst->imm)) {
    return false;
  }
  return static_cast<int>(inst->list_size) == MatrixRegisters(access) ||
         context.Fail("wrong number of registers");
}

bool DecodeLdmatrix(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeMatrices(context, modifiers, inst, false);
}

bool DecodeStmatrix(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeMatrices(context, modifiers, inst, true);
}

// movmatrix: transposes an 8x8 matrix of 16 bits; row r is in lanes 4r to
// 4r + 3, two columns each.
Step Transpose(Warp& warp, const Inst& inst, uint32_t) {
  uint64_t in[kWarpSize];
  std::memcpy(in, warp.Reg(inst.op[1]), sizeof(in));
  uint64_t* d = warp.Reg(inst.op[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    uint64_t word = 0;
    for (int half = 0; half < 2; ++half) {
      int row = 2 * (lane % 4) + half;  // of the source
      int column = lane / 4;
      uint64_t source = in[row * 4 + column / 2] >> (16 * (column % 2));
      word |= (source & 0xFFFF) << (16 * half);
    }
    d[lane] = word;
  }
  return Step::kNext;
}

bool DecodeMovmatrix(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &Transpose;
  inst->aligned = true;
  for (const char* part : {"sync", "aligned", "m8n8", "trans", "b16"}) {
    if (!modifiers.Take(part)) return false;
  }
  return context.Operands(2) && context.Dest(0, &inst->op[0]) &&
         context.Source(1, Type::kB32, &inst->op[1]);
}

}  // namespace

void RegisterMatrix(DecoderTable* table) {
  (*table)["mma"] = &DecodeMma;
  (*table)["ldmatrix"] = &DecodeLdmatrix;
  (*table)["stmatrix"] = &DecodeStmatrix;
  (*table)["movmatrix"] = &DecodeMovmatrix;
}

}  // namespace tiletune::emulator
