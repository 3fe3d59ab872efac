// wgmma (PTX ISA 9.7.15). Each of the four warps of a warpgroup computes its
// own 16 rows when it executes the instruction. Not checked: a missing
// wgmma.fence, and that all four warps execute the same instruction.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/engines/mma.h"
#include "testing/emulator/engines/smem_descriptor.h"
#include "testing/emulator/engines/wgmma.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

constexpr int kRows = 64;         // of the whole instruction
constexpr int kRowsPerWarp = 16;  // of one warp

// Inst::flags.
constexpr uint32_t kARegisters = 1;
constexpr uint32_t kNegateA = 2;
constexpr uint32_t kNegateB = 4;
constexpr uint32_t kTransposeA = 8;
constexpr uint32_t kTransposeB = 16;
constexpr uint32_t kScalePredicate = 32;
constexpr uint32_t kScaleNegated = 64;
constexpr uint32_t kScaleZero = 128;  // literal 0
constexpr uint32_t kSaturate = 256;
constexpr uint32_t kDShift = 12;  // AccumulatorFormat
constexpr uint32_t kAShift = 16;  // Format
constexpr uint32_t kBShift = 20;  // Format

struct PendingWgmma {
  Machine* machine;
  Warp* warp;
  const Inst* inst;
  WgmmaInstruction shape;
  uint64_t a_descriptor;
  uint64_t b_descriptor;
  std::vector<uint64_t> a_registers;  // [register][lane]
  bool accumulate;
  KnowledgePtr issued;
  uint32_t clock;
  int thread;
};

// op[0]: A descriptor, op[1]: B descriptor, op[2]: scale-d predicate; bytes: K;
// imm: N; list: accumulators, then A registers (list_size counts both).
WgmmaInstruction ShapeOf(const Inst& inst) {
  WgmmaInstruction shape;
  shape.d_format =
      static_cast<AccumulatorFormat>((inst.flags >> kDShift) & 0xF);
  shape.a_format = static_cast<Format>((inst.flags >> kAShift) & 0xF);
  shape.b_format = static_cast<Format>((inst.flags >> kBShift) & 0xF);
  shape.n = static_cast<int>(inst.imm);
  shape.k = inst.bytes;
  shape.a_in_registers = (inst.flags & kARegisters) != 0;
  shape.a_majorness =
      (inst.flags & kTransposeA) != 0 ? Majorness::kMn : Majorness::kK;
  shape.b_majorness =
      (inst.flags & kTransposeB) != 0 ? Majorness::kMn : Majorness::kK;
  return shape;
}

uint32_t AccumulatorRegisters(const WgmmaInstruction& shape) {
  int elements = WgmmaAccumulatorElements(shape.n);
  return static_cast<uint32_t>(
      shape.d_format == AccumulatorFormat::kF16 ? elements / 2 : elements);
}

bool ReadOperand(const PendingWgmma& op, uint64_t bits, Majorness majorness,
                 Format format, int rows, const char* name, float* values) {
  Cta* cta = op.warp->cta;
  OperandView view;
  view.descriptor = DecodeSmemDescriptor(DescriptorKind::kWgmma, bits);
  view.majorness = majorness;
  view.element = ElementOf(format);
  view.rows = rows;
  view.depth = op.shape.k;
  if (!LoadOperand(view, cta->shared.data(),
                   static_cast<uint32_t>(cta->shared.size()), values)) {
    op.machine->ReportAt(
        cta, op.thread, op.inst, "out of bounds",
        std::string("operand ") + name + " leaves the CTA's shared memory",
        view.descriptor.start_address);
    return false;
  }
  Access access;
  access.actor = op.warp->pipe_actor;
  access.clock = op.clock;
  access.async = true;
  access.line = op.inst->line;
  access.thread = op.thread;
  access.knowledge = op.issued.get();
  std::vector<ByteRange> ranges;
  TouchedRanges(view, &ranges);
  for (const ByteRange& range : ranges) {
    op.machine->CheckSharedInitialised(
        cta, range.begin, range.end - range.begin, *op.inst, cta, op.thread);
    op.machine->TouchShared(cta, range.begin, range.end - range.begin, false,
                            access, *op.inst, cta);
  }
  return true;
}

void ReadARegisters(const PendingWgmma& op, float* rows) {
  const int bits = FormatBits(op.shape.a_format) == 19
                       ? 32
                       : ContainerBits(op.shape.a_format);
  const int per_register = 32 / bits;
  const int elements = WgmmaOperandElements(bits);
  const uint32_t mask = bits == 32 ? 0xFFFFFFFFu : (1u << bits) - 1;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = 0; i < elements; ++i) {
      uint64_t word = op.a_registers[static_cast<size_t>(
          (i / per_register) * kWarpSize + lane)];
      uint32_t element =
          static_cast<uint32_t>(word >> (bits * (i % per_register))) & mask;
      // Thread `lane` of warp 0: rows 0 to 15.
      MatrixCell cell = WgmmaOperandCell(bits, lane, i);
      rows[cell.row * op.shape.k + cell.column] =
          Decode(op.shape.a_format, element);
    }
  }
}

void Execute(const PendingWgmma& op) {
  if (op.warp->live == 0) return;
  const size_t k = static_cast<size_t>(op.shape.k);
  const int n = op.shape.n;
  thread_local std::vector<float> a;
  thread_local std::vector<float> b;
  a.resize(kRows * k);
  b.resize(static_cast<size_t>(n) * k);
  if (!ReadOperand(op, op.b_descriptor, op.shape.b_majorness, op.shape.b_format,
                   n, "B", b.data())) {
    return;
  }
  const float* rows = a.data();
  if (op.shape.a_in_registers) {
    ReadARegisters(op, a.data());
  } else {
    if (!ReadOperand(op, op.a_descriptor, op.shape.a_majorness,
                     op.shape.a_format, kRows, "A", a.data())) {
      return;
    }
    rows += static_cast<size_t>(op.warp->index % 4 * kRowsPerWarp) * k;
  }
  if ((op.inst->flags & kNegateA) != 0) Negate(a.data(), a.size());
  if ((op.inst->flags & kNegateB) != 0) Negate(b.data(), b.size());
  // Accumulators of this warp as a matrix; thread `lane` of warp 0 names the
  // same registers as in any other warp.
  const int32_t* slots = &op.machine->program().lists[op.inst->list];
  const bool half = op.shape.d_format == AccumulatorFormat::kF16;
  const int elements = WgmmaAccumulatorElements(n);
  thread_local std::vector<uint32_t> d;
  d.resize(static_cast<size_t>(kRowsPerWarp * n));
  for (int i = 0; i < elements; ++i) {
    const uint64_t* lanes = op.warp->Reg(slots[half ? i / 2 : i]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      MatrixCell cell = WgmmaAccumulatorCell(lane, i);
      uint32_t word = static_cast<uint32_t>(lanes[lane]);
      if (half) word = (word >> (16 * (i & 1))) & 0xFFFF;
      d[static_cast<size_t>(cell.row * n + cell.column)] = word;
    }
  }
  MmaAccumulation options;
  options.format = op.shape.d_format;
  options.accumulate = op.accumulate;
  options.saturate = (op.inst->flags & kSaturate) != 0;
  MmaOperands operands{rows, b.data(), kRowsPerWarp, n, op.shape.k};
  MultiplyAccumulate(operands, options, d.data(), n);
  for (int i = 0; i < elements; ++i) {
    uint64_t* lanes = op.warp->Reg(slots[half ? i / 2 : i]);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      MatrixCell cell = WgmmaAccumulatorCell(lane, i);
      uint32_t word = d[static_cast<size_t>(cell.row * n + cell.column)];
      if (!half) {
        lanes[lane] = word;
      } else if ((i & 1) == 0) {
        lanes[lane] = word & 0xFFFF;
      } else {
        lanes[lane] |= static_cast<uint64_t>(word & 0xFFFF) << 16;
      }
    }
  }
}

void ShowMma(Timeline* timeline, const PendingWgmma& op) {
  std::vector<TileSlices::SharedAddress> operands;
  auto add = [&](uint64_t bits) {
    operands.emplace_back(
        op.warp->cta,
        DecodeSmemDescriptor(DescriptorKind::kWgmma, bits).start_address);
  };
  if (!op.shape.a_in_registers) add(op.a_descriptor);
  add(op.b_descriptor);
  timeline->OnWarpgroupMma(*op.warp, operands);
}

Step MmaAsync(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int lane = __builtin_ctz(mask);
  auto op = std::make_shared<PendingWgmma>();
  op->machine = &machine;
  op->warp = &warp;
  op->inst = &inst;
  op->shape = ShapeOf(inst);
  op->thread = machine.ThreadIndex(warp, lane);
  op->b_descriptor = warp.Reg(inst.op[1])[lane];
  op->a_descriptor = warp.Reg(inst.op[0])[lane];
  Findings wrong;
  if (!op->shape.a_in_registers) {
    wrong = CheckSmemDescriptor(DescriptorKind::kWgmma, op->a_descriptor,
                                op->shape.a_majorness,
                                ElementOf(op->shape.a_format));
  }
  if (wrong.empty()) {
    wrong = CheckSmemDescriptor(DescriptorKind::kWgmma, op->b_descriptor,
                                op->shape.b_majorness,
                                ElementOf(op->shape.b_format));
  }
  if (!wrong.empty()) {
    machine.Fatal(warp, inst, lane, "bad matrix descriptor", wrong.front(),
                  op->b_descriptor);
    return Step::kBlocked;
  }
  op->accumulate = (inst.flags & kScaleZero) == 0;
  if ((inst.flags & kScalePredicate) != 0) {
    bool p = (warp.Pred(inst.op[2]) >> lane & 1) != 0;
    op->accumulate = p != ((inst.flags & kScaleNegated) != 0);
  }
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t accumulators = AccumulatorRegisters(op->shape);
  for (uint32_t i = accumulators; i < inst.list_size; ++i) {
    const uint64_t* lanes = warp.Reg(slots[i]);
    op->a_registers.insert(op->a_registers.end(), lanes, lanes + kWarpSize);
  }
  // The warp's part is the work of all its lanes.
  op->issued = warp.known.Snapshot(mask);
  op->clock = ++warp.pipe_clock;
  if (Timeline* timeline = machine.timeline()) ShowMma(timeline, *op);
  if (warp.open_wgmma == nullptr) {
    warp.open_wgmma = std::make_shared<WarpgroupGroup>();
  }
  std::shared_ptr<WarpgroupGroup> group = warp.open_wgmma;
  ++group->pending;
  group->clock = op->clock;
  warp.MarkInFlight(slots, accumulators, inst.line);
  group->slots.insert(group->slots.end(), slots, slots + accumulators);
  warp.pipe_due = machine.Schedule(warp.cta, "wgmma.mma_async", &inst,
                                   op->thread, warp.pipe_due, [op, group] {
                                     Execute(*op);
                                     --group->pending;
                                     op->machine->Wake(op->warp->cta);
                                   });
  return Step::kNext;
}

Step Commit(Warp& warp, const Inst&, uint32_t) {
  if (warp.open_wgmma == nullptr) {
    warp.open_wgmma = std::make_shared<WarpgroupGroup>();
  }
  warp.wgmma_groups.push_back(warp.open_wgmma);
  warp.open_wgmma.reset();
  return Step::kNext;
}

Step WaitGroup(Warp& warp, const Inst& inst, uint32_t mask) {
  size_t keep = static_cast<size_t>(inst.imm);
  if (warp.wgmma_groups.size() <= keep) return Step::kNext;
  size_t count = warp.wgmma_groups.size() - keep;
  for (size_t i = 0; i < count; ++i) {
    if (warp.wgmma_groups[i]->pending != 0) {
      warp.Current().WaitFor("waits for wgmma groups");
      return Step::kBlocked;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    warp.ClearInFlight(warp.wgmma_groups[i]->slots);
    warp.known.LearnOrder(mask, warp.pipe_actor, warp.wgmma_groups[i]->clock);
  }
  warp.wgmma_groups.erase(
      warp.wgmma_groups.begin(),
      warp.wgmma_groups.begin() + static_cast<std::ptrdiff_t>(count));
  return Step::kNext;
}

Step Fence(Warp&, const Inst&, uint32_t) { return Step::kNext; }

bool ParseShape(const std::string& text, int* n, int* k) {
  // m64nNkK
  if (text.compare(0, 4, "m64n") != 0) return false;
  size_t at = text.find('k');
  if (at == std::string::npos) return false;
  *n = std::atoi(text.c_str() + 4);
  *k = std::atoi(text.c_str() + at + 1);
  return *n > 0 && *k > 0;
}

bool ParseFormat(const std::string& name, Format* format) {
  static constexpr Format kFormats[] = {
      Format::kF16,  Format::kBf16, Format::kTf32, Format::kE4m3,
      Format::kE5m2, Format::kU8,   Format::kS8};
  for (Format f : kFormats) {
    if (name == FormatName(f)) {
      *format = f;
      return true;
    }
  }
  return false;
}

bool DecodeMmaAsync(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("sp")) return context.Fail("sparse wgmma is not modelled");
  std::string shape = modifiers.TakePrefix("m64n");
  int n = 0;
  int k = 0;
  if (!ParseShape(shape, &n, &k)) return false;
  if (modifiers.Take("satfinite")) inst->flags |= kSaturate;
  std::vector<std::string> types = modifiers.parts();
  if (types.size() != 3) return false;
  AccumulatorFormat d;
  if (types[0] == "f32") {
    d = AccumulatorFormat::kF32;
  } else if (types[0] == "f16") {
    d = AccumulatorFormat::kF16;
  } else if (types[0] == "s32") {
    d = AccumulatorFormat::kS32;
  } else {
    return false;
  }
  Format a;
  Format b;
  if (!ParseFormat(types[1], &a) || !ParseFormat(types[2], &b)) return false;
  for (const std::string& type : types) modifiers.Take(type);
  inst->flags |= (static_cast<uint32_t>(d) << kDShift) |
                 (static_cast<uint32_t>(a) << kAShift) |
                 (static_cast<uint32_t>(b) << kBShift);
  inst->imm = n;
  inst->bytes = static_cast<uint8_t>(k);
  inst->handler = &MmaAsync;
  if (!context.Operands(4, 8)) return false;
  std::vector<int32_t> list;
  if (!context.SourceSlots(context.Operand(0), Type::kB32, &list)) return false;
  context.reads().clear();  // accumulators in flight may be accumulated upon
  size_t accumulators = list.size();
  const ptx::Operand& a_operand = context.Operand(1);
  if (a_operand.kind == ptx::Operand::Kind::kVector) {
    inst->flags |= kARegisters;
    if (!context.SourceSlots(a_operand, Type::kB32, &list)) return false;
    if (list.size() != accumulators + 4) {
      return context.Fail("A takes four registers");
    }
  } else if (!context.Source(1, Type::kB64, &inst->op[0])) {
    return false;
  }
  if (!context.Source(2, Type::kB64, &inst->op[1])) return false;
  if (context.IsPredicate(context.Operand(3))) {
    bool negated = false;
    if (!context.PredSource(3, &inst->op[2], &negated)) return false;
    inst->flags |= kScalePredicate | (negated ? kScaleNegated : 0);
  } else {
    int64_t scale = 0;
    if (!context.Immediate(3, &scale)) return false;
    if (scale == 0) inst->flags |= kScaleZero;
  }
  // imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, as far as present;
  // with A in registers there is no imm-trans-a.
  int64_t values[4] = {1, 1, 0, 0};
  size_t extra = context.OperandCount() - 4;
  for (size_t i = 0; i < extra; ++i) {
    if (!context.Immediate(4 + i, &values[i])) return false;
  }
  if (values[0] == -1) inst->flags |= kNegateA;
  if (values[1] == -1) inst->flags |= kNegateB;
  bool registers = (inst->flags & kARegisters) != 0;
  if (!registers && values[2] != 0) inst->flags |= kTransposeA;
  if ((registers ? values[2] : values[3]) != 0) inst->flags |= kTransposeB;
  inst->list = context.AppendList(list);
  inst->list_size = static_cast<uint32_t>(list.size());
  WgmmaInstruction instruction = ShapeOf(*inst);
  Findings wrong = CheckWgmma(instruction);
  if (!wrong.empty()) return context.Fail(wrong.front());
  if (accumulators != AccumulatorRegisters(instruction)) {
    return context.Fail("wrong number of accumulator registers");
  }
  return true;
}

bool DecodeWgmma(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("sync") || !modifiers.Take("aligned")) return false;
  inst->aligned = true;
  if (modifiers.Take("mma_async")) {
    return DecodeMmaAsync(context, modifiers, inst);
  }
  if (modifiers.Take("fence")) {
    inst->handler = &Fence;
    return context.Operands(0);
  }
  if (modifiers.Take("commit_group")) {
    inst->handler = &Commit;
    return context.Operands(0);
  }
  if (!modifiers.Take("wait_group")) return false;
  inst->handler = &WaitGroup;
  return context.Operands(1) && context.Immediate(0, &inst->imm);
}

}  // namespace

void RegisterWarpgroup(DecoderTable* table) {
  (*table)["wgmma"] = &DecodeWgmma;
}

}  // namespace tiletune::emulator
