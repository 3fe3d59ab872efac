// tcgen05.mma (PTX ISA 9.7.16.10): dense and block-scaled, one and two CTAs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/engines/instruction_descriptor.h"
#include "testing/emulator/engines/mma.h"
#include "testing/emulator/engines/smem_descriptor.h"
#include "testing/emulator/engines/tmem_layout.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/tensor_memory.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kPair = 1;
constexpr uint32_t kWeightStationary = 2;
constexpr uint32_t kAInTensor = 4;
constexpr uint32_t kHasEnable = 8;
constexpr uint32_t kEnableNegated = 16;
constexpr uint32_t kHasDisable = 32;
constexpr uint32_t kScaleVectorShift = 8;

// Everything the operation needs once it is in flight. op[0] D, op[1] A, op[2]
// B, op[3] descriptor, op[4] enable predicate, op[5] scales of A, op[6] of B.
struct PendingMma {
  Machine* machine;
  const Inst* inst;
  Cta* cta;  // of the issuing thread
  int thread;
  MmaKind kind;
  ScaleVector scale_vector;
  InstructionDescriptor shape;
  DataPathLayout layout;
  TmemAddress d;
  TmemAddress a_tensor;
  uint64_t a_descriptor;
  uint64_t b_descriptor;
  TmemAddress scale_a;
  TmemAddress scale_b;
  bool accumulate;
  int input_d_shift;
  uint32_t disabled[8];
  KnowledgePtr issued;
  KnowledgePtr shared;  // for accesses to shared memory
  KnowledgePtr tensor;  // for those to Tensor Memory
  uint32_t actor;
  uint32_t clock;

  int group() const { return (inst->flags & kPair) != 0 ? 2 : 1; }
};

Cta* Member(const PendingMma& mma, int i) {
  if (mma.group() == 1) return mma.cta;
  uint32_t rank = (mma.cta->rank & ~1u) | static_cast<uint32_t>(i);
  return mma.cta->cluster->ctas[rank].get();
}

Access SharedAccess(const PendingMma& mma) {
  Access access;
  access.actor = mma.actor;
  access.clock = mma.clock;
  access.async = true;
  access.line = mma.inst->line;
  access.thread = mma.thread;
  access.knowledge = mma.shared.get();
  access.unfenced = mma.issued.get();
  return access;
}

// Reads one operand from a CTA's shared memory into values.
bool ReadShared(const PendingMma& mma, Cta* cta, uint64_t bits,
                Majorness majorness, Format format, int rows, const char* name,
                float* values) {
  OperandView view;
  view.descriptor = DecodeSmemDescriptor(DescriptorKind::kTcgen05, bits);
  view.majorness = majorness;
  view.element = SmemElement(mma.kind, format);
  view.rows = rows;
  view.depth = mma.shape.k;
  if (cta->exited ||
      !LoadOperand(view, cta->shared.data(),
                   static_cast<uint32_t>(cta->shared.size()), values)) {
    mma.machine->ReportAt(
        mma.cta, mma.thread, mma.inst, "out of bounds",
        std::string("operand ") + name + " leaves the CTA's shared memory",
        view.descriptor.start_address);
    return false;
  }
  std::vector<ByteRange> ranges;
  TouchedRanges(view, &ranges);
  Access access = SharedAccess(mma);
  for (const ByteRange& range : ranges) {
    mma.machine->CheckSharedInitialised(cta, range.begin,
                                        range.end - range.begin, *mma.inst,
                                        mma.cta, mma.thread);
    mma.machine->TouchShared(cta, range.begin, range.end - range.begin, false,
                             access, *mma.inst, mma.cta);
  }
  return true;
}

Access TensorAccess(const PendingMma& mma) {
  Access access = SharedAccess(mma);
  access.async = false;
  access.knowledge = mma.tensor.get();
  access.unfenced = nullptr;
  return access;
}

bool ReadA(const PendingMma& mma, Cta* cta, int rows, float* values) {
  if ((mma.inst->flags & kAInTensor) == 0) {
    return ReadShared(mma, cta, mma.a_descriptor, mma.shape.a_majorness,
                      mma.shape.a_format, rows, "A", values);
  }
  const uint32_t* words = TensorWords(cta->sm);
  TouchTensor(*mma.machine, cta, mma.a_tensor.lane, rows, mma.a_tensor.column,
              TmemOperandColumns(mma.kind, mma.shape.k), false,
              TensorAccess(mma), *mma.inst, mma.cta);
  if (!LoadTmemOperand(mma.kind, mma.shape.a_format, mma.layout, mma.a_tensor,
                       mma.shape.k, words, values)) {
    mma.machine->ReportAt(mma.cta, mma.thread, mma.inst, "out of bounds",
                          "operand A leaves Tensor Memory");
    return false;
  }
  return true;
}

bool Scale(const PendingMma& mma, Cta* cta, TmemAddress base, int id, int rows,
           const char* name, float* values) {
  if (!IsBlockScaled(mma.kind)) return true;
  int count = ScaleCount(mma.kind, mma.scale_vector, mma.shape.k);
  std::vector<float> scales(static_cast<size_t>(rows) *
                            static_cast<size_t>(std::max(count, 1)));
  const uint32_t* words = TensorWords(cta->sm);
  TouchTensor(*mma.machine, cta, base.lane, 32, base.column, (rows + 31) / 32,
              false, TensorAccess(mma), *mma.inst, mma.cta);
  if (!LoadScaleFactors(mma.shape.scale_format, rows, count, id, base, words,
                        scales.data())) {
    mma.machine->ReportAt(
        mma.cta, mma.thread, mma.inst, "bad scale factors",
        std::string("the scale factors of ") + name + " cannot be read");
    return false;
  }
  if (!ScaleFactorsAreReplicated(rows, base, words)) {
    mma.machine->ReportAt(mma.cta, mma.thread, mma.inst, "bad scale factors",
                          std::string("the scale factors of ") + name +
                              " differ between the four 32-lane partitions");
  }
  ApplyScales(values, rows, mma.shape.k, scales.data(), count);
  return true;
}

void Execute(const PendingMma& mma) {
  Machine& machine = *mma.machine;
  const int group = mma.group();
  const int rows = mma.shape.m / group;
  const int columns = mma.shape.n;
  const size_t k = static_cast<size_t>(mma.shape.k);
  thread_local std::vector<float> a;
  thread_local std::vector<float> b;
  a.resize(static_cast<size_t>(rows) * k);
  b.resize(static_cast<size_t>(columns) * k);
  const int b_rows = columns / group;
  for (int i = 0; i < group; ++i) {
    Cta* cta = Member(mma, i);
    float* part = b.data() + static_cast<size_t>(i * b_rows) * k;
    if (!ReadShared(mma, cta, mma.b_descriptor, mma.shape.b_majorness,
                    mma.shape.b_format, b_rows, "B", part)) {
      return;
    }
  }
  // Scale factors of B cover all N columns in each CTA.
  if (!Scale(mma, Member(mma, 0), mma.scale_b, mma.shape.scale_b_id, columns,
             "B", b.data())) {
    return;
  }
  if (mma.shape.negate_b) Negate(b.data(), b.size());
  MmaAccumulation options;
  options.format = mma.shape.d_format;
  options.accumulate = mma.accumulate;
  options.input_d_shift = mma.input_d_shift;
  options.saturate = mma.shape.saturate;
  for (int i = 0; i < group; ++i) {
    Cta* cta = Member(mma, i);
    if (!ReadA(mma, cta, rows, a.data()) ||
        !Scale(mma, cta, mma.scale_a, mma.shape.scale_a_id, rows, "A",
               a.data())) {
      return;
    }
    if (mma.shape.negate_a) Negate(a.data(), a.size());
    uint32_t* words = TensorWords(cta->sm);
    for (const TmemBlock& block : LayoutBlocks(mma.layout, columns, mma.d)) {
      if (mma.accumulate) {
        TouchTensor(machine, cta, block.lane, block.rows, block.column,
                    block.columns, false, TensorAccess(mma), *mma.inst,
                    mma.cta);
      }
      TouchTensor(machine, cta, block.lane, block.rows, block.column,
                  block.columns, true, TensorAccess(mma), *mma.inst, mma.cta);
      if (block.lane + block.rows > kTmemLanes ||
          block.column + block.columns > kTmemColumns) {
        return;
      }
      // Rows that the program switched off keep what they held.
      std::vector<uint32_t> saved;
      if ((mma.inst->flags & kHasDisable) != 0) {
        saved.assign(words + static_cast<ptrdiff_t>(block.lane) * kTmemColumns,
                     words + static_cast<ptrdiff_t>(block.lane + block.rows) *
                                 kTmemColumns);
      }
      MmaOperands operands{a.data() + static_cast<size_t>(block.row) * k,
                           b.data() + static_cast<size_t>(block.n) * k,
                           block.rows, block.columns, mma.shape.k};
      MultiplyAccumulate(operands, options,
                         words +
                             static_cast<ptrdiff_t>(block.lane) * kTmemColumns +
                             block.column,
                         kTmemColumns);
      for (int row = 0; row < block.rows && !saved.empty(); ++row) {
        int lane = block.lane + row + 128 * i;
        if ((mma.disabled[lane / 32] >> (lane % 32) & 1) == 0) continue;
        std::memcpy(
            words + static_cast<ptrdiff_t>(block.lane + row) * kTmemColumns,
            saved.data() + static_cast<ptrdiff_t>(row) * kTmemColumns,
            kTmemColumns * sizeof(uint32_t));
      }
    }
  }
}

bool CheckOperands(Warp& warp, const Inst& inst, int lane,
                   const PendingMma& mma, uint32_t bits) {
  Machine& machine = *warp.machine;
  MmaQualifiers qualifiers;
  qualifiers.cta_group = mma.group();
  qualifiers.weight_stationary = (inst.flags & kWeightStationary) != 0;
  qualifiers.a_in_tmem = (inst.flags & kAInTensor) != 0;
  qualifiers.scale_vector = mma.scale_vector;
  qualifiers.target = 100;
  Findings wrong = CheckInstructionDescriptor(mma.kind, bits, qualifiers);
  if (!wrong.empty()) {
    machine.Fatal(warp, inst, lane, "bad instruction descriptor", wrong.front(),
                  bits);
    return false;
  }
  if (!qualifiers.a_in_tmem) {
    wrong = CheckSmemDescriptor(DescriptorKind::kTcgen05, mma.a_descriptor,
                                mma.shape.a_majorness,
                                SmemElement(mma.kind, mma.shape.a_format));
    if (!wrong.empty()) {
      machine.Fatal(warp, inst, lane, "bad matrix descriptor",
                    "A: " + wrong.front(), mma.a_descriptor);
      return false;
    }
  }
  wrong = CheckSmemDescriptor(DescriptorKind::kTcgen05, mma.b_descriptor,
                              mma.shape.b_majorness,
                              SmemElement(mma.kind, mma.shape.b_format));
  if (!wrong.empty()) {
    machine.Fatal(warp, inst, lane, "bad matrix descriptor",
                  "B: " + wrong.front(), mma.b_descriptor);
    return false;
  }
  wrong = CheckAccumulator(mma.layout, mma.shape.n, mma.d);
  if (!wrong.empty()) {
    machine.Fatal(warp, inst, lane, "bad tensor memory access", wrong.front());
    return false;
  }
  return true;
}

void ShowMma(Timeline* timeline, const Warp& warp, const PendingMma& mma) {
  std::vector<TileSlices::SharedAddress> operands;
  std::vector<TileSlices::TensorColumn> accumulator;
  for (int i = 0; i < mma.group(); ++i) {
    const Cta* cta = Member(mma, i);
    for (uint64_t bits : {mma.a_descriptor, mma.b_descriptor}) {
      if (bits == mma.a_descriptor && (mma.inst->flags & kAInTensor) != 0) {
        continue;
      }
      operands.emplace_back(
          cta,
          DecodeSmemDescriptor(DescriptorKind::kTcgen05, bits).start_address);
    }
    accumulator.emplace_back(cta->sm, mma.d.column);
  }
  timeline->OnTensorMma(warp, !mma.accumulate, operands, accumulator);
}

// CUTLASS leaves in the address, too, the byte of a column that the scale
// factors start at (bits 30 and 31; the descriptor says so again). The PTX ISA
// knows nothing of that; its GEMMs run on GPUs.
TmemAddress ScaleAddress(Warp& warp, int slot, int lane) {
  const uint32_t address = static_cast<uint32_t>(warp.Reg(slot)[lane]);
  return SplitTmemAddress(warp.machine->strict() ? address
                                                 : address & 0x3FFFFFFFu);
}

Step Mma(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    auto mma = std::make_shared<PendingMma>();
    mma->machine = &machine;
    mma->inst = &inst;
    mma->cta = warp.cta;
    mma->thread = machine.ThreadIndex(warp, lane);
    mma->kind = static_cast<MmaKind>(inst.kind);
    mma->scale_vector =
        static_cast<ScaleVector>((inst.flags >> kScaleVectorShift) & 0xF);
    CheckCtaGroup(warp, inst, lane, mma->group());
    uint32_t bits = static_cast<uint32_t>(warp.Reg(inst.op[3])[lane]);
    mma->shape = DecodeInstructionDescriptor(mma->kind, bits);
    const int32_t* slots = &machine.program().lists[inst.list];
    mma->d = SplitTmemAddress(static_cast<uint32_t>(
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm)));
    mma->a_descriptor = warp.Reg(inst.op[1])[lane];
    mma->a_tensor = SplitTmemAddress(static_cast<uint32_t>(
        warp.Reg(inst.op[1])[lane] + warp.Reg(slots[0])[lane]));
    mma->b_descriptor = warp.Reg(inst.op[2])[lane];
    mma->scale_a = ScaleAddress(warp, inst.op[5], lane);
    mma->scale_b = ScaleAddress(warp, inst.op[6], lane);
    mma->input_d_shift = inst.bytes;
    mma->accumulate = true;
    if ((inst.flags & kHasEnable) != 0) {
      bool enable = (warp.Pred(inst.op[4]) >> lane & 1) != 0;
      mma->accumulate = enable != ((inst.flags & kEnableNegated) != 0);
    }
    for (uint32_t i = 0; i < 8; ++i) {
      mma->disabled[i] =
          i + 1 < inst.list_size
              ? static_cast<uint32_t>(warp.Reg(slots[i + 1])[lane])
              : 0;
    }
    if (mma->group() == 2 &&
        (warp.cta->rank | 1u) >= warp.cta->cluster->ctas.size()) {
      machine.Fatal(warp, inst, lane, "bad instruction descriptor",
                    ".cta_group::2 needs a cluster with CTA pairs");
      return;
    }
    if (!ChooseLayout(mma->shape.m, mma->group(),
                      (inst.flags & kWeightStationary) != 0, false,
                      &mma->layout)) {
      machine.Fatal(
          warp, inst, lane, "bad instruction descriptor",
          "M = " + std::to_string(mma->shape.m) + " has no data path layout",
          bits);
      return;
    }
    if (!CheckOperands(warp, inst, lane, *mma, bits)) return;
    mma->issued = warp.known.Snapshot(1u << lane);
    mma->shared = TensorSharedKnowledge(warp, lane, mma->issued);
    mma->tensor = TensorKnowledge(machine, mma->issued);
    mma->actor = warp.pipe_actor;
    mma->clock = ++warp.pipe_clock;
    if (Timeline* timeline = machine.timeline()) ShowMma(timeline, warp, *mma);
    // Operations of one thread's tcgen05 pipe complete in order.
    warp.pipe_due =
        machine.Schedule(warp.cta, "tcgen05.mma", &inst, mma->thread,
                         warp.pipe_due, [mma] { Execute(*mma); });
  });
  return Step::kNext;
}

bool TakeKind(Modifiers& modifiers, MmaKind* kind) {
  struct Entry {
    const char* name;
    MmaKind kind;
  };
  static constexpr Entry kKinds[] = {
      {"kind::f16", MmaKind::kF16},           {"kind::tf32", MmaKind::kTf32},
      {"kind::f8f6f4", MmaKind::kF8f6f4},     {"kind::i8", MmaKind::kI8},
      {"kind::mxf8f6f4", MmaKind::kMxf8f6f4}, {"kind::mxf4", MmaKind::kMxf4},
      {"kind::mxf4nvf4", MmaKind::kMxf4nvf4}};
  for (const Entry& entry : kKinds) {
    if (modifiers.Take(entry.name)) {
      *kind = entry.kind;
      return true;
    }
  }
  return false;
}

ScaleVector TakeScaleVector(Modifiers& modifiers) {
  if (modifiers.Take("scale_vec::1X")) return ScaleVector::k1X;
  if (modifiers.Take("scale_vec::2X")) return ScaleVector::k2X;
  if (modifiers.Take("scale_vec::4X")) return ScaleVector::k4X;
  if (modifiers.Take("block16")) return ScaleVector::kBlock16;
  if (modifiers.Take("block32")) return ScaleVector::kBlock32;
  return ScaleVector::kDefault;
}

}  // namespace

bool DecodeTensorMma(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("sp")) return context.Fail("sparse MMA is not modelled");
  if (modifiers.Take("ws")) inst->flags |= kWeightStationary;
  int group;
  MmaKind kind;
  if (!TakeCtaGroup(modifiers, &group) || !TakeKind(modifiers, &kind)) {
    return false;
  }
  if (group == 2) inst->flags |= kPair;
  bool scaled = modifiers.Take("block_scale");
  if (scaled != IsBlockScaled(kind)) return false;
  inst->flags |= static_cast<uint32_t>(TakeScaleVector(modifiers))
                 << kScaleVectorShift;
  // Buffering hints: results do not depend on them.
  while (!modifiers.TakePrefix("collector::").empty()) {
  }
  inst->kind = static_cast<uint8_t>(kind);
  inst->handler = &Mma;
  size_t i = 4;
  if (context.OperandCount() < 4) return context.Fail("missing operands");
  std::vector<int32_t> list;
  int64_t a_offset = 0;
  if (!context.Address(0, &inst->op[0], &inst->imm)) return false;
  if (context.Operand(1).kind == ptx::Operand::Kind::kAddress) {
    inst->flags |= kAInTensor;
    if (!context.Address(1, &inst->op[1], &a_offset)) return false;
  } else if (!context.Source(1, Type::kB64, &inst->op[1])) {
    return false;
  }
  list.push_back(context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                         static_cast<uint64_t>(a_offset)));
  if (!context.Source(2, Type::kB64, &inst->op[2]) ||
      !context.Source(3, Type::kB32, &inst->op[3])) {
    return false;
  }
  if (scaled) {
    int64_t offset_a = 0;
    int64_t offset_b = 0;
    if (!context.Address(4, &inst->op[5], &offset_a) ||
        !context.Address(5, &inst->op[6], &offset_b)) {
      return false;
    }
    if (offset_a != 0 || offset_b != 0) {
      return context.Fail("scale addresses with an offset are not supported");
    }
    i = 6;
  }
  if (i < context.OperandCount() &&
      context.Operand(i).kind == ptx::Operand::Kind::kVector) {
    inst->flags |= kHasDisable;
    if (!context.SourceSlots(context.Operand(i), Type::kB32, &list)) {
      return false;
    }
    if (list.size() != (group == 2 ? 9u : 5u)) {
      return context.Fail("wrong length of the disable-output-lane vector");
    }
    ++i;
  }
  if (i < context.OperandCount() && context.IsPredicate(context.Operand(i))) {
    bool negated = false;
    if (!context.PredSource(i, &inst->op[4], &negated)) return false;
    inst->flags |= kHasEnable | (negated ? kEnableNegated : 0);
    ++i;
  } else if (i < context.OperandCount() &&
             context.Operand(i).kind == ptx::Operand::Kind::kImmediate) {
    return context.Fail("enable-input-d must be a predicate");
  }
  if (i < context.OperandCount()) {
    int64_t shift = 0;
    if ((inst->flags & kWeightStationary) != 0) {
      return context.Fail("zero-column-mask is not modelled");
    }
    if (!context.Immediate(i, &shift) || shift < 0 || shift > 15) {
      return context.Fail("bad scale-input-d");
    }
    inst->bytes = static_cast<uint8_t>(shift);
    ++i;
  }
  inst->list = context.AppendList(list);
  inst->list_size = static_cast<uint32_t>(list.size());
  return i == context.OperandCount();
}

}  // namespace tiletune::emulator
