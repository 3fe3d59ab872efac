// Instructions that change little or nothing here: hints, register
// reallocation, nanosleep (PTX ISA 9.7.9.15 prefetch, 9.7.19).
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

Step Nothing(Warp&, const Inst&, uint32_t) { return Step::kNext; }

Step Yield(Warp& warp, const Inst&, uint32_t) {
  warp.machine->Progress();
  return Step::kYield;
}

// prefetch.tensormap reads the map; other prefetches are hints.
Step PrefetchMap(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    warp.machine->FindTensorMap(
        warp, inst, lane,
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm));
  });
  return Step::kNext;
}

bool DecodePrefetch(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  bool map = modifiers.Take("tensormap");
  for (const char* name : {"param", "const", "global", "local", "L1", "L2"}) {
    modifiers.Take(name);
  }
  while (!modifiers.TakePrefix("L2::").empty()) {
  }
  inst->handler = map ? &PrefetchMap : &Nothing;
  return context.Operands(1) && context.Address(0, &inst->op[0], &inst->imm);
}

Step Zero(Warp& warp, const Inst& inst, uint32_t mask) {
  uint64_t* d = warp.Reg(inst.op[0]);
  ForLanes(mask, [&](int lane) { d[lane] = 0; });
  return Step::kNext;
}

// Cache policies are opaque, and nothing here depends on them.
bool DecodeCreatePolicy(DecodeContext& context, Modifiers& modifiers,
                        Inst* inst) {
  while (!modifiers.empty()) modifiers.Take(modifiers.parts()[0]);
  inst->handler = &Zero;
  return context.Operands(1, 5) && context.Dest(0, &inst->op[0]);
}

bool DecodeHint(DecodeContext&, Modifiers& modifiers, Inst* inst) {
  while (!modifiers.empty()) modifiers.Take(modifiers.parts()[0]);
  inst->handler = &Nothing;
  return true;
}

bool DecodeSetmaxnreg(DecodeContext& context, Modifiers& modifiers,
                      Inst* inst) {
  inst->handler = &Nothing;
  inst->aligned = true;
  bool direction = modifiers.Take("inc") || modifiers.Take("dec");
  int64_t count = 0;
  if (!direction || !modifiers.Take("sync") || !modifiers.Take("aligned") ||
      modifiers.TakeType() != Type::kU32 || !context.Operands(1) ||
      !context.Immediate(0, &count)) {
    return false;
  }
  if (count < 24 || count > 256 || count % 8 != 0) {
    return context.Fail(
        "the register count is not a multiple of 8 in "
        "[24, 256]");
  }
  return true;
}

bool DecodeNanosleep(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  inst->handler = &Yield;
  return modifiers.TakeType() == Type::kU32 && context.Operands(1) &&
         context.Source(0, Type::kU32, &inst->op[0]);
}

}  // namespace

void RegisterMiscellaneous(DecoderTable* table) {
  (*table)["prefetch"] = &DecodePrefetch;
  (*table)["prefetchu"] = &DecodePrefetch;
  (*table)["applypriority"] = &DecodeHint;
  (*table)["discard"] = &DecodeHint;
  (*table)["pmevent"] = &DecodeHint;
  (*table)["createpolicy"] = &DecodeCreatePolicy;
  (*table)["setmaxnreg"] = &DecodeSetmaxnreg;
  (*table)["nanosleep"] = &DecodeNanosleep;
}

}  // namespace tiletune::emulator
