// ld and st in all state spaces and widths (PTX ISA 9.7.9.8 to 9.7.9.12).
#include <cstring>

#include "testing/emulator/machine/access_runs.h"
#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kSignExtend = 1;
constexpr uint32_t kCallParameter = 2;  // .param inside a function

MemorySpace TakeSpace(Modifiers& modifiers) {
  struct Entry {
    const char* name;
    MemorySpace space;
  };
  static constexpr Entry kSpaces[] = {
      {"global", MemorySpace::kGlobal},
      {"shared::cluster", MemorySpace::kSharedCluster},
      {"shared::cta", MemorySpace::kShared},
      {"shared", MemorySpace::kShared},
      {"local", MemorySpace::kLocal},
      {"param::entry", MemorySpace::kParameter},
      {"param::func", MemorySpace::kParameter},
      {"param", MemorySpace::kParameter},
      {"const", MemorySpace::kConst},
  };
  for (const Entry& entry : kSpaces) {
    if (modifiers.Take(entry.name)) return entry.space;
  }
  return MemorySpace::kGeneric;
}

uint64_t LaneAddress(const uint64_t* base, const Inst& inst, int lane) {
  uint64_t address = base[lane] + static_cast<uint64_t>(inst.imm);
  MemorySpace space = static_cast<MemorySpace>(inst.space);
  if (space == MemorySpace::kShared || space == MemorySpace::kSharedCluster ||
      space == MemorySpace::kLocal || space == MemorySpace::kParameter) {
    address &= 0xFFFFFFFF;
  }
  return address;
}

void CheckInitialised(Machine& machine, Warp& warp, const Inst& inst, int lane,
                      const Location& at, uint32_t bytes) {
  switch (at.space) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      machine.CheckSharedInitialised(at.cta, at.offset, bytes, inst, warp.cta,
                                     machine.ThreadIndex(warp, lane));
      break;
    case MemorySpace::kLocal:
      for (uint32_t i = 0; i < bytes; ++i) {
        if (warp.local_initialised[at.offset + i] == 0) {
          machine.Report(warp, inst, lane, "uninitialised memory",
                         "reads local memory that nothing has written",
                         at.offset % machine.program().local_bytes + i);
          break;
        }
      }
      break;
    case MemorySpace::kGlobal:
      machine.CheckGlobalInitialised(at.allocation, at.offset, bytes, inst,
                                     warp.cta, machine.ThreadIndex(warp, lane));
      break;
    default:
      break;
  }
}

Step Load(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const uint64_t* base = warp.Reg(inst.op[0]);
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t element = inst.bytes;
  const uint32_t bytes = element * inst.list_size;
  const MemorySpace space = static_cast<MemorySpace>(inst.space);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.kind);
  AccessRuns runs(warp, inst, /*write=*/false, order != MemoryOrder::kWeak);
  uint64_t addresses[kWarpSize];
  // The base register may be a destination.
  ForLanes(mask,
           [&](int lane) { addresses[lane] = LaneAddress(base, inst, lane); });
  ForLanes(mask, [&](int lane) {
    Location at =
        machine.Locate(warp, inst, lane, space, addresses[lane], bytes, false);
    const uint8_t* data = at.data;
    static const uint8_t kPoison[64] = {};
    if (data == nullptr) {
      data = kPoison;
    } else {
      CheckInitialised(machine, warp, inst, lane, at, bytes);
      if (order != MemoryOrder::kWeak) {
        ReadSync(warp, lane, at, order == MemoryOrder::kAcquire, inst.scope);
      }
      runs.Add(at, bytes, lane);
    }
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      uint64_t words[2] = {0, 0};
      std::memcpy(words, data + i * element, element);
      if ((inst.flags & kSignExtend) != 0) {
        int shift = 64 - 8 * static_cast<int>(element);
        words[0] = static_cast<uint64_t>(
            static_cast<int64_t>(words[0] << shift) >> shift);
      }
      warp.Reg(slots[i])[lane] = words[0];
      if (element == 16 && slots[i] != 0) {
        warp.Reg(slots[i] + 1)[lane] = words[1];
      }
    }
  });
  runs.Flush();
  return order == MemoryOrder::kWeak ? Step::kNext : Step::kYield;
}

// Lanes are threads: two that write different values to one byte with one
// instruction race (PTX ISA 8.7.1), though one of the values is stored.
// `written` is where each lane stored; null where it did not, or in memory of
// its own.
void CheckConflicts(Warp& warp, const Inst& inst, uint32_t mask,
                    const uint8_t* const* written) {
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  const ptrdiff_t bytes = inst.bytes * static_cast<ptrdiff_t>(inst.list_size);
  const auto is_stored = [&](int lane) {
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      uint64_t words[2] = {warp.Reg(slots[i])[lane], 0};
      if (inst.bytes == 16) words[1] = warp.Reg(slots[i] + 1)[lane];
      if (std::memcmp(written[lane] + i * inst.bytes, words, inst.bytes) != 0) {
        return false;
      }
    }
    return true;
  };
  ForLanes(mask, [&](int lane) {
    if (written[lane] == nullptr || is_stored(lane)) return;
    for (int other = kWarpSize - 1; other > lane; --other) {
      if ((mask >> other & 1) == 0 || written[other] == nullptr) continue;
      const ptrdiff_t apart = written[other] - written[lane];
      if (apart >= bytes || apart <= -bytes) continue;
      warp.machine->Report(
          warp, inst, other, "data race",
          "writes what thread " +
              std::to_string(warp.machine->ThreadIndex(warp, lane)) +
              " writes with the same instruction, and another value",
          LaneAddress(warp.Reg(inst.op[0]), inst, lane));
      return;
    }
  });
}

Step Store(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const uint64_t* base = warp.Reg(inst.op[0]);
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t element = inst.bytes;
  const uint32_t bytes = element * inst.list_size;
  const MemorySpace space = static_cast<MemorySpace>(inst.space);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.kind);
  AccessRuns runs(warp, inst, /*write=*/true, order != MemoryOrder::kWeak);
  bool results = false;
  const uint8_t* written[kWarpSize] = {};
  ForLanes(mask, [&](int lane) {
    Location at =
        machine.Locate(warp, inst, lane, space, LaneAddress(base, inst, lane),
                       bytes, (inst.flags & kCallParameter) == 0);
    if (at.data == nullptr) return;
    if (order != MemoryOrder::kWeak) {
      WriteSync(warp, lane, at, order == MemoryOrder::kRelease, inst.scope);
    }
    runs.Add(at, bytes, lane);
    for (uint32_t i = 0; i < inst.list_size; ++i) {
      uint64_t words[2] = {warp.Reg(slots[i])[lane], 0};
      if (element == 16) words[1] = warp.Reg(slots[i] + 1)[lane];
      if (std::memcmp(at.data + i * element, words, element) != 0) {
        runs.Changes();
      }
      std::memcpy(at.data + i * element, words, element);
    }
    if (at.space != MemorySpace::kLocal) written[lane] = at.data;
    if (at.space == MemorySpace::kLocal) {
      std::memset(warp.local_initialised.data() + at.offset, 1, bytes);
    }
    results |= at.space == MemorySpace::kGlobal;
  });
  if (machine.strict() && order == MemoryOrder::kWeak && !runs.AreDisjoint()) {
    CheckConflicts(warp, inst, mask, written);
  }
  runs.Flush();
  // Nobody waits for a weak write, but a grid that writes results works.
  if (results) machine.Progress();
  if (order == MemoryOrder::kWeak) return Step::kNext;
  machine.Progress();
  machine.WakeAll();
  return Step::kYield;
}

bool DecodeAccess(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                  bool load) {
  MemoryOrder order = MemoryOrder::kWeak;
  modifiers.Take("weak");
  if (modifiers.Take("volatile") || modifiers.Take("relaxed")) {
    order = MemoryOrder::kRelaxed;
  }
  if (modifiers.Take("mmio")) order = MemoryOrder::kRelaxed;
  if (load && modifiers.Take("acquire")) order = MemoryOrder::kAcquire;
  if (!load && modifiers.Take("release")) order = MemoryOrder::kRelease;
  TakeScope(modifiers, Scope::kGpu, inst);
  if (modifiers.Take("async")) {
    return !load && DecodeStoreAsync(context, modifiers, inst);
  }
  MemorySpace space = TakeSpace(modifiers);
  modifiers.TakeCacheHints();
  size_t count = 1;
  if (modifiers.Take("v2")) count = 2;
  if (modifiers.Take("v4")) count = 4;
  if (modifiers.Take("v8")) count = 8;
  Type type = modifiers.TakeType();
  if (type == Type::kNone || type == Type::kPred) return false;
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  if (inst->bytes * count > 32) return context.Fail("access too wide");
  inst->kind = static_cast<uint8_t>(order);
  if (IsSigned(type)) inst->flags |= kSignExtend;
  // A cache policy may follow the address or the value.
  if (!context.Operands(2, 3)) return false;
  const ptx::Operand& address = context.Operand(load ? 1 : 0);
  const ptx::Operand& value = context.Operand(load ? 0 : 1);
  if (!context.AddressOf(address, &inst->op[0], &inst->imm)) return false;
  if (space == MemorySpace::kParameter) {
    // Parameters of calls live in the thread's local memory.
    const ptx::Operand& base = address.elements[0];
    bool kernel = base.kind != ptx::Operand::Kind::kVariable ||
                  context.program()->entry == context.frame()->function;
    if (base.kind == ptx::Operand::Kind::kVariable && kernel) {
      kernel = static_cast<size_t>(base.id) <
               context.frame()->function->parameters.size();
    }
    if (!kernel) space = MemorySpace::kLocal;
  }
  if (space == MemorySpace::kConst) space = MemorySpace::kGlobal;
  inst->space = static_cast<uint8_t>(space);
  bool ok = load ? context.DestList(value, inst)
                 : context.SourceList(value, type, inst);
  if (!ok) return false;
  if (inst->list_size != count) return context.Fail("wrong vector length");
  inst->handler = load ? &Load : &Store;
  return true;
}

bool DecodeLd(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAccess(context, modifiers, inst, true);
}

bool DecodeSt(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAccess(context, modifiers, inst, false);
}

}  // namespace

void RegisterLoadStore(DecoderTable* table) {
  (*table)["ld"] = &DecodeLd;
  (*table)["ldu"] = &DecodeLd;
  (*table)["st"] = &DecodeSt;
}

}  // namespace tiletune::emulator
