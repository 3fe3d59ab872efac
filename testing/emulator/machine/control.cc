// Control flow (PTX ISA 9.7.12): branches, calls, returns and exit.
#include <cstring>
#include <string>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/printf.h"
#include "testing/emulator/machine/warp.h"
#include "testing/emulator/ptx/parser.h"

namespace tiletune::emulator {
namespace {

Step Jump(Warp& warp, const Inst& inst, uint32_t mask) {
  warp.Branch(mask, static_cast<uint32_t>(inst.imm));
  return Step::kJumped;
}

Step Exit(Warp& warp, const Inst&, uint32_t mask) {
  warp.ExitLanes(mask);
  warp.cta->live_threads -= static_cast<uint32_t>(__builtin_popcount(mask));
  warp.machine->OnWarpExit(warp);
  return Step::kJumped;
}

Step Return(Warp& warp, const Inst& inst, uint32_t mask) {
  Fragment& fragment = warp.Current();
  if (fragment.returns.empty()) return Exit(warp, inst, mask);
  uint32_t target = fragment.returns.back();
  if (mask != fragment.mask) {
    warp.Branch(mask, target);  // the returning lanes become the last fragment
    Fragment& returning = warp.fragments.back();
    returning.returns.pop_back();
    returning.waiting = true;
  } else {
    fragment.returns.pop_back();
    fragment.pc = target;
    fragment.waiting = true;
  }
  return Step::kJumped;
}

// Copies {source, destination, bytes} triples of the lanes' local memory.
void CopyParameters(Warp& warp, const int32_t* triples, uint32_t count,
                    uint32_t mask) {
  const size_t stride = warp.machine->program().local_bytes;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t* t = triples + 3 * i;
    ForLanes(mask, [&](int lane) {
      uint8_t* base = warp.local.data() + stride * static_cast<size_t>(lane);
      uint8_t* known =
          warp.local_initialised.data() + stride * static_cast<size_t>(lane);
      std::memmove(base + t[1], base + t[0], static_cast<size_t>(t[2]));
      std::memmove(known + t[1], known + t[0], static_cast<size_t>(t[2]));
    });
  }
}

// Executed twice: on the way in, and again when the callee has returned
// (waiting is set) to copy the results. list: argument triples, then result
// triples; flags: number of argument triples.
Step Call(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* triples = warp.machine->program().lists.data() + inst.list;
  const uint32_t arguments = inst.flags;
  const uint32_t results = inst.list_size / 3 - arguments;
  Fragment& fragment = warp.Current();
  if (fragment.waiting) {
    fragment.waiting = false;
    CopyParameters(warp, triples + 3 * arguments, results, mask);
    return Step::kNext;
  }
  CopyParameters(warp, triples, arguments, mask);
  uint32_t here = fragment.pc;
  warp.Branch(mask, static_cast<uint32_t>(inst.imm));
  Fragment& called = warp.Current().pc == static_cast<uint32_t>(inst.imm) &&
                             warp.Current().mask == mask
                         ? warp.Current()
                         : warp.fragments.back();
  called.returns.push_back(here);
  return Step::kJumped;
}

Step Printf(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* t = warp.machine->program().lists.data() + inst.list;
  ForLanes(mask, [&](int lane) {
    int result = FormatPrintf(warp, inst, lane, static_cast<uint32_t>(t[0]),
                              static_cast<uint32_t>(t[1]));
    if (inst.list_size > 2) {
      uint8_t* at = warp.local.data() +
                    size_t{warp.machine->program().local_bytes} *
                        static_cast<size_t>(lane) +
                    t[2];
      std::memcpy(at, &result, sizeof(result));
      std::memset(warp.local_initialised.data() + (at - warp.local.data()), 1,
                  sizeof(result));
    }
  });
  return Step::kNext;
}

// __assertfail and friends: a finding, and the run ends.
Step AssertFail(Warp& warp, const Inst& inst, uint32_t mask) {
  warp.machine->Fatal(warp, inst, __builtin_ctz(mask), "assertion",
                      "a device-side assertion failed");
  return Step::kBlocked;
}

Step Trap(Warp& warp, const Inst& inst, uint32_t mask) {
  warp.machine->Fatal(warp, inst, __builtin_ctz(mask), "trap",
                      "the kernel executed trap");
  return Step::kBlocked;
}

Step Nothing(Warp&, const Inst&, uint32_t) { return Step::kNext; }

// brx.idx: list holds the targets; op[0] the index.
Step BranchIndexed(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* targets = warp.machine->program().lists.data() + inst.list;
  uint32_t left = mask;
  Fragment& fragment = warp.Current();
  if (mask != fragment.mask) {
    // Guarded off lanes go on; the others are split below.
    warp.Branch(mask, fragment.pc);
    warp.current = warp.fragments.size() - 1;
  }
  const uint64_t* index = warp.Reg(inst.op[0]);
  while (left != 0) {
    int lane = __builtin_ctz(left);
    uint64_t which = index[lane] & 0xFFFFFFFF;
    uint32_t same = 0;
    for (uint32_t m = left; m != 0; m &= m - 1) {
      int other = __builtin_ctz(m);
      if ((index[other] & 0xFFFFFFFF) == which) same |= 1u << other;
    }
    if (which >= inst.list_size) {
      warp.machine->Fatal(warp, inst, lane, "bad branch index",
                          "the index " + std::to_string(which) +
                              " is outside the table of targets");
      return Step::kBlocked;
    }
    uint32_t target = static_cast<uint32_t>(targets[which]);
    if (same == left) {
      warp.Current().pc = target;
    } else {
      Fragment split = warp.Current();
      split.mask = same;
      split.pc = target;
      warp.Current().mask &= ~same;
      warp.fragments.push_back(split);
    }
    left &= ~same;
  }
  return Step::kJumped;
}

bool DecodeBra(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("uni");
  inst->handler = &Jump;
  return context.Operands(1) && context.Label(0, &inst->imm);
}

bool DecodeBrx(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("uni");
  if (!modifiers.Take("idx") || !context.Operands(2)) return false;
  int64_t table = 0;
  if (!context.Source(0, Type::kU32, &inst->op[0]) ||
      !context.Label(1, &table)) {
    return false;
  }
  const auto* frame = context.frame();
  const ptx::Instruction& targets =
      frame->function
          ->instructions[static_cast<size_t>(table) - frame->first_pc];
  if (targets.opcode != ".branchtargets") return context.Fail("bad targets");
  std::vector<int32_t> slots;
  for (const ptx::Operand& target : targets.operands) {
    if (target.kind != ptx::Operand::Kind::kLabel) {
      return context.Fail("unknown branch target '" + target.name + "'");
    }
    slots.push_back(static_cast<int32_t>(frame->first_pc) + target.id);
  }
  inst->list = context.AppendList(slots);
  inst->list_size = static_cast<uint32_t>(slots.size());
  inst->handler = &BranchIndexed;
  return true;
}

bool DecodeBranchTargets(DecodeContext&, Modifiers&, Inst* inst) {
  inst->handler = &Nothing;
  return true;
}

bool DecodeRet(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("uni");
  inst->handler = &Return;
  return context.Operands(0);
}

bool DecodeExit(DecodeContext& context, Modifiers&, Inst* inst) {
  inst->handler = &Exit;
  return context.Operands(0);
}

bool DecodeTrap(DecodeContext& context, Modifiers&, Inst* inst) {
  inst->handler = &Trap;
  return context.Operands(0);
}

// Address of a .param variable used as argument or result.
bool ParameterAddress(DecodeContext& context, const ptx::Operand& operand,
                      int32_t* address, int32_t* bytes) {
  if (operand.kind != ptx::Operand::Kind::kVariable) {
    return context.Fail("call arguments must be .param variables");
  }
  const auto* frame = context.frame();
  *address = static_cast<int32_t>(frame->variable_addresses[operand.id]);
  *bytes = static_cast<int32_t>(frame->function->variables[operand.id].bytes);
  return true;
}

bool DecodeCall(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  modifiers.Take("uni");
  if (!context.Operands(1, 4)) return false;
  size_t i = 0;
  const ptx::Operand* results = nullptr;
  const ptx::Operand* arguments = nullptr;
  if (context.Operand(0).kind == ptx::Operand::Kind::kList) {
    results = &context.Operand(i++);
  }
  if (i >= context.OperandCount() ||
      context.Operand(i).kind != ptx::Operand::Kind::kSymbol) {
    return context.Fail("indirect calls are not supported");
  }
  const std::string& name = context.Operand(i++).name;
  if (i < context.OperandCount() &&
      context.Operand(i).kind == ptx::Operand::Kind::kList) {
    arguments = &context.Operand(i++);
  }
  std::vector<int32_t> triples;
  if (name == "vprintf") {
    if (arguments == nullptr || arguments->elements.size() != 2) return false;
    for (const ptx::Operand& element : arguments->elements) {
      int32_t address;
      int32_t bytes;
      if (!ParameterAddress(context, element, &address, &bytes)) return false;
      triples.push_back(address);
    }
    if (results != nullptr && !results->elements.empty()) {
      int32_t address;
      int32_t bytes;
      if (!ParameterAddress(context, results->elements[0], &address, &bytes)) {
        return false;
      }
      triples.push_back(address);
    }
    inst->handler = &Printf;
    inst->list = context.AppendList(triples);
    inst->list_size = static_cast<uint32_t>(triples.size());
    return true;
  }
  if (name == "__assertfail") {
    inst->handler = &AssertFail;
    return true;
  }
  auto found = context.frames().find(name);
  if (found == context.frames().end()) {
    return context.Fail("call of unknown function '" + name + "'");
  }
  const auto* callee = found->second;
  const ptx::Function& function = *callee->function;
  size_t argument_count = arguments == nullptr ? 0 : arguments->elements.size();
  size_t result_count = results == nullptr ? 0 : results->elements.size();
  if (argument_count != function.parameters.size() ||
      result_count > function.returns.size()) {
    return context.Fail("wrong number of call arguments");
  }
  for (size_t k = 0; k < argument_count; ++k) {
    int32_t address;
    int32_t bytes;
    if (!ParameterAddress(context, arguments->elements[k], &address, &bytes)) {
      return false;
    }
    triples.push_back(address);
    triples.push_back(static_cast<int32_t>(callee->variable_addresses[k]));
    triples.push_back(
        std::min(bytes, static_cast<int32_t>(function.parameters[k].bytes)));
  }
  for (size_t k = 0; k < result_count; ++k) {
    int32_t address;
    int32_t bytes;
    if (!ParameterAddress(context, results->elements[k], &address, &bytes)) {
      return false;
    }
    triples.push_back(static_cast<int32_t>(
        callee->variable_addresses[function.parameters.size() + k]));
    triples.push_back(address);
    triples.push_back(
        std::min(bytes, static_cast<int32_t>(function.returns[k].bytes)));
  }
  inst->handler = &Call;
  inst->list = context.AppendList(triples);
  inst->list_size = static_cast<uint32_t>(triples.size());
  inst->flags = static_cast<uint32_t>(argument_count);
  context.calls().push_back(name);
  context.call_patches().push_back({context.program()->code.size(), name});
  return true;
}

}  // namespace

void RegisterControl(DecoderTable* table) {
  (*table)["bra"] = &DecodeBra;
  (*table)["brx"] = &DecodeBrx;
  (*table)[".branchtargets"] = &DecodeBranchTargets;
  (*table)["ret"] = &DecodeRet;
  (*table)["exit"] = &DecodeExit;
  (*table)["trap"] = &DecodeTrap;
  (*table)["brkpt"] = &DecodeTrap;
  (*table)["call"] = &DecodeCall;
}

}  // namespace tiletune::emulator
