// atom and red (PTX ISA 9.7.13.5, 9.7.13.7) on global and shared memory,
// scalar and vector.
#include <algorithm>
#include <cstring>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/access_runs.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {
namespace {

enum class AtomicOp : uint8_t {
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
};

// Inst::flags: MemoryOrder in the low bits.
constexpr uint32_t kTypeShift = 8;

template <typename T>
T Apply(AtomicOp op, T old, T b, T c) {
  switch (op) {
    case AtomicOp::kAdd:
      return static_cast<T>(old + b);
    case AtomicOp::kMin:
      return std::min(old, b);
    case AtomicOp::kMax:
      return std::max(old, b);
    case AtomicOp::kExch:
      return b;
    case AtomicOp::kCas:
      return old == b ? c : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::kInc:
        return old >= b ? T{0} : static_cast<T>(old + 1);
      case AtomicOp::kDec:
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
      case AtomicOp::kAnd:
        return old & b;
      case AtomicOp::kOr:
        return old | b;
      case AtomicOp::kXor:
        return old ^ b;
      default:
        break;
    }
  }
  return old;
}

template <typename T>
uint64_t ApplyBits(AtomicOp op, uint64_t old, uint64_t b, uint64_t c) {
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    if (op == AtomicOp::kAdd) {  // wraps
      using U = std::make_unsigned_t<T>;
      return Bits(Apply<U>(op, Value<U>(old), Value<U>(b), Value<U>(c)));
    }
  }
  return Bits(Apply<T>(op, Value<T>(old), Value<T>(b), Value<T>(c)));
}

template <Format kFormat>
uint64_t ApplyHalf(AtomicOp op, uint64_t old, uint64_t b, int count) {
  uint64_t out = 0;
  for (int i = 0; i < count; ++i) {
    double x = Decode(kFormat, (old >> (16 * i)) & 0xFFFF);
    double y = Decode(kFormat, (b >> (16 * i)) & 0xFFFF);
    uint64_t bits = Encode(kFormat, Apply(op, x, y, y), EncodeOptions{});
    out |= (bits & 0xFFFF) << (16 * i);
  }
  return out;
}

uint64_t ApplyTyped(Type type, AtomicOp op, uint64_t old, uint64_t b,
                    uint64_t c) {
  switch (type) {
    case Type::kB16:
      return ApplyBits<uint16_t>(op, old, b, c);
    case Type::kB32:
    case Type::kU32:
      return ApplyBits<uint32_t>(op, old, b, c);
    case Type::kS32:
      return ApplyBits<int32_t>(op, old, b, c);
    case Type::kB64:
    case Type::kU64:
      return ApplyBits<uint64_t>(op, old, b, c);
    case Type::kS64:
      return ApplyBits<int64_t>(op, old, b, c);
    case Type::kF32:
      return ApplyBits<float>(op, old, b, c);
    case Type::kF64:
      return ApplyBits<double>(op, old, b, c);
    case Type::kF16:
      return ApplyHalf<Format::kF16>(op, old, b, 1);
    case Type::kF16x2:
      return ApplyHalf<Format::kF16>(op, old, b, 2);
    case Type::kBf16:
      return ApplyHalf<Format::kBf16>(op, old, b, 1);
    case Type::kBf16x2:
      return ApplyHalf<Format::kBf16>(op, old, b, 2);
    default:
      return old;
  }
}

// op[1] address; list: destinations (count), then sources b (count), then c.
Step Atomic(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const AtomicOp op = static_cast<AtomicOp>(inst.kind);
  const Type type = static_cast<Type>((inst.flags >> kTypeShift) & 0xFF);
  const MemoryOrder order = static_cast<MemoryOrder>(inst.flags & 0xF);
  const int32_t* slots = &machine.program().lists[inst.list];
  const uint32_t count = inst.list_size / 3;
  const uint32_t element = inst.bytes;
  const uint32_t bytes = element * count;
  const MemorySpace space = static_cast<MemorySpace>(inst.space);
  ForLanes(mask, [&](int lane) {
    uint64_t address =
        warp.Reg(inst.op[1])[lane] + static_cast<uint64_t>(inst.imm);
    if (space == MemorySpace::kShared || space == MemorySpace::kSharedCluster) {
      address &= 0xFFFFFFFF;
    }
    Location at = machine.Locate(warp, inst, lane, space, address, bytes, true);
    if (at.data == nullptr) return;
    int thread = machine.ThreadIndex(warp, lane);
    if (at.cta != nullptr) {
      machine.CheckSharedInitialised(at.cta, at.offset, bytes, inst, warp.cta,
                                     thread);
    } else if (at.allocation != nullptr) {
      machine.CheckGlobalInitialised(at.allocation, at.offset, bytes, inst,
                                     warp.cta, thread);
    }
    if (order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel) {
      ReadSync(warp, lane, at, true);
    } else {
      ReadSync(warp, lane, at, false);
    }
    WriteSync(warp, lane, at,
              order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel);
    AccessRuns runs(warp, inst, /*write=*/true, /*atomic=*/true);
    runs.Add(at, bytes, lane);
    runs.Flush();
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t old = 0;
      std::memcpy(&old, at.data + i * element, element);
      uint64_t b = warp.Reg(slots[count + i])[lane];
      uint64_t c = warp.Reg(slots[2 * count + i])[lane];
      uint64_t result = ApplyTyped(type, op, old, b, c);
      std::memcpy(at.data + i * element, &result, element);
      warp.Reg(slots[i])[lane] = old;
    }
  });
  machine.Progress();
  return Step::kYield;
}

MemorySpace TakeSpace(Modifiers& modifiers) {
  if (modifiers.Take("global")) return MemorySpace::kGlobal;
  if (modifiers.Take("shared::cluster")) return MemorySpace::kSharedCluster;
  if (modifiers.Take("shared") || modifiers.Take("shared::cta")) {
    return MemorySpace::kShared;
  }
  return MemorySpace::kGeneric;
}

bool DecodeAtomic(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                  bool result) {
  if (modifiers.Take("async")) return false;
  MemoryOrder order = MemoryOrder::kRelaxed;
  modifiers.Take("relaxed");
  if (modifiers.Take("acquire")) order = MemoryOrder::kAcquire;
  if (modifiers.Take("release")) order = MemoryOrder::kRelease;
  if (modifiers.Take("acq_rel")) order = MemoryOrder::kAcqRel;
  TakeScope(modifiers);
  inst->space = static_cast<uint8_t>(TakeSpace(modifiers));
  modifiers.Take("noftz");
  modifiers.TakeCacheHints();
  const char* const kOps[] = {"add", "min", "max", "inc",  "dec",
                              "and", "or",  "xor", "exch", "cas"};
  bool found = false;
  for (uint8_t i = 0; i < 10; ++i) {
    if (modifiers.Take(kOps[i])) {
      inst->kind = i;
      found = true;
    }
  }
  size_t count = 1;
  if (modifiers.Take("v2")) count = 2;
  if (modifiers.Take("v4")) count = 4;
  if (modifiers.Take("v8")) count = 8;
  Type type = modifiers.TakeType();
  if (!found || type == Type::kNone || TypeBytes(type) > 8) return false;
  inst->handler = &Atomic;
  inst->bytes = static_cast<uint8_t>(TypeBytes(type));
  inst->flags = static_cast<uint32_t>(order) |
                (static_cast<uint32_t>(type) << kTypeShift);
  bool cas = inst->kind == static_cast<uint8_t>(AtomicOp::kCas);
  size_t first = result ? 1 : 0;
  if (!context.Operands(first + (cas ? 3 : 2), first + (cas ? 4 : 3)) ||
      !context.Address(first, &inst->op[1], &inst->imm)) {
    return false;
  }
  std::vector<int32_t> list(count, 0);
  if (result) {
    const ptx::Operand& dest = context.Operand(0);
    if (dest.kind == ptx::Operand::Kind::kVector) {
      if (dest.elements.size() != count) return context.Fail("bad vector");
      for (size_t i = 0; i < count; ++i) {
        if (!context.DestOf(dest.elements[i], &list[i])) return false;
      }
    } else if (!context.DestOf(dest, &list[0])) {
      return false;
    }
  }
  if (!context.SourceSlots(context.Operand(first + 1), type, &list)) {
    return false;
  }
  if (list.size() != 2 * count) return context.Fail("bad vector");
  if (cas) {
    if (!context.SourceSlots(context.Operand(first + 2), type, &list)) {
      return false;
    }
  }
  list.resize(3 * count, 0);
  inst->list = context.AppendList(list);
  inst->list_size = static_cast<uint32_t>(list.size());
  return true;
}

bool DecodeAtom(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAtomic(context, modifiers, inst, true);
}

bool DecodeRed(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  return DecodeAtomic(context, modifiers, inst, false);
}

}  // namespace

void RegisterAtomic(DecoderTable* table) {
  (*table)["atom"] = &DecodeAtom;
  (*table)["red"] = &DecodeRed;
}

}  // namespace tiletune::emulator
