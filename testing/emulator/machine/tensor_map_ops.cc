// Tensor maps edited by a kernel (PTX ISA 9.7.9.28 tensormap.replace, 9.7.13.16
// tensormap.cp_fenceproxy). That a TMA copy sees an edited map only after a
// proxy fence is not checked.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/machine/access_runs.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/memory_order.h"

namespace tiletune::emulator {
namespace {

// The 128 bytes of a map in shared or global memory; data is null after a
// finding.
Location LocateMap(Warp& warp, const Inst& inst, int lane, MemorySpace space,
                   uint64_t address, bool write) {
  Machine& machine = *warp.machine;
  // Vectors are at most 64 bytes, which Locate takes as the alignment too.
  constexpr uint32_t kHalf = kTensorMapBytes / 2;
  Location at = machine.Locate(warp, inst, lane, space, address, kHalf, write);
  if (at.data == nullptr) return at;
  Location end =
      machine.Locate(warp, inst, lane, space, address + kHalf, kHalf, write);
  if (end.data == nullptr) at.data = nullptr;
  return at;
}

void CheckInitialised(Warp& warp, const Inst& inst, int lane,
                      const Location& at) {
  Machine& machine = *warp.machine;
  const int thread = machine.ThreadIndex(warp, lane);
  if (at.cta != nullptr) {
    machine.CheckSharedInitialised(at.cta, at.offset, kTensorMapBytes, inst,
                                   warp.cta, thread);
  } else if (at.allocation != nullptr) {
    machine.CheckGlobalInitialised(at.allocation, at.offset, kTensorMapBytes,
                                   inst, warp.cta, thread);
  }
}

// A kernel may clear the 128 bytes and then set every field: zeros are the map
// whose fields are all zero.
void EncodeIfZero(uint8_t* bytes) {
  if (std::any_of(bytes, bytes + kTensorMapBytes,
                  [](uint8_t byte) { return byte != 0; })) {
    return;
  }
  TensorMap zero;
  zero.element_strides.fill(0);
  EncodeTensorMap(zero, bytes);
}

// op[0] address, op[1] new value; kind: TensorMapField; bytes: ordinal.
Step Replace(Warp& warp, const Inst& inst, uint32_t mask) {
  AccessRuns writes(warp, inst, /*write=*/true, /*atomic=*/false);
  ForLanes(mask, [&](int lane) {
    const uint64_t address =
        warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
    Location at = LocateMap(warp, inst, lane,
                            static_cast<MemorySpace>(inst.space), address,
                            /*write=*/true);
    if (at.data == nullptr) return;
    CheckInitialised(warp, inst, lane, at);
    EncodeIfZero(at.data);
    Findings wrong =
        ReplaceTensorMapField(static_cast<TensorMapField>(inst.kind),
                              inst.bytes, warp.Reg(inst.op[1])[lane], at.data);
    if (!wrong.empty()) {
      warp.machine->Report(warp, inst, lane, "bad tensor map", wrong.front(),
                           address);
    }
    writes.Add(at, kTensorMapBytes, lane);
  });
  writes.Flush();
  return Step::kNext;
}

// All lanes name the same maps: one copy, then a release. op[0] destination,
// op[1] source, op[2] constant slot of the source's offset.
Step CopyAndFence(Warp& warp, const Inst& inst, uint32_t mask) {
  const int lane = __builtin_ctz(mask);
  Location from =
      LocateMap(warp, inst, lane, MemorySpace::kShared,
                warp.Reg(inst.op[1])[lane] + warp.Reg(inst.op[2])[lane], false);
  Location to = LocateMap(
      warp, inst, lane, MemorySpace::kGlobal,
      warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm), true);
  if (from.data == nullptr || to.data == nullptr) return Step::kNext;
  CheckInitialised(warp, inst, lane, from);
  AccessRuns reads(warp, inst, /*write=*/false, /*atomic=*/false);
  reads.Add(from, kTensorMapBytes, lane);
  reads.Flush();
  std::memcpy(to.data, from.data, kTensorMapBytes);
  AccessRuns writes(warp, inst, /*write=*/true, /*atomic=*/false);
  writes.Add(to, kTensorMapBytes, lane);
  writes.Flush();
  warp.known.Fence(mask, inst.scope);
  return Step::kNext;
}

bool DecodeReplace(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  static constexpr std::pair<const char*, TensorMapField> kFields[] = {
      {"global_address", TensorMapField::kGlobalAddress},
      {"rank", TensorMapField::kRank},
      {"box_dim", TensorMapField::kBoxDim},
      {"global_dim", TensorMapField::kGlobalDim},
      {"global_stride", TensorMapField::kGlobalStride},
      {"element_stride", TensorMapField::kElementStride},
      {"elemtype", TensorMapField::kElementType},
      {"interleave_layout", TensorMapField::kInterleaveLayout},
      {"swizzle_mode", TensorMapField::kSwizzleMode},
      {"swizzle_atomicity", TensorMapField::kSwizzleAtomicity},
      {"fill_mode", TensorMapField::kFillMode}};
  if (!modifiers.Take("tile") || !modifiers.Take("b1024")) return false;
  bool found = false;
  TensorMapField field = TensorMapField::kGlobalAddress;
  for (const auto& [name, value] : kFields) {
    if (modifiers.Take(name)) {
      field = value;
      found = true;
    }
  }
  const Type type = modifiers.TakeType();
  if (!found || (type != Type::kB32 && type != Type::kB64)) return false;
  MemorySpace space = MemorySpace::kGeneric;
  if (modifiers.Take("global")) space = MemorySpace::kGlobal;
  if (modifiers.Take("shared::cta")) space = MemorySpace::kShared;
  inst->handler = &Replace;
  inst->kind = static_cast<uint8_t>(field);
  inst->space = static_cast<uint8_t>(space);
  const bool per_dimension = field == TensorMapField::kBoxDim ||
                             field == TensorMapField::kGlobalDim ||
                             field == TensorMapField::kGlobalStride ||
                             field == TensorMapField::kElementStride;
  int64_t ordinal = 0;
  if (!context.Operands(per_dimension ? 3 : 2) ||
      !context.Address(0, &inst->op[0], &inst->imm) ||
      (per_dimension && !context.Immediate(1, &ordinal))) {
    return false;
  }
  if (ordinal < 0 || ordinal >= kTensorMapMaxRank) {
    return context.Fail("the ordinal names no dimension of a tensor map");
  }
  inst->bytes = static_cast<uint8_t>(ordinal);
  return context.Source(per_dimension ? 2 : 1, type, &inst->op[1]);
}

bool DecodeCopyAndFence(DecodeContext& context, Modifiers& modifiers,
                        Inst* inst) {
  for (const char* part : {"global", "shared::cta", "tensormap::generic",
                           "release", "sync", "aligned"}) {
    if (!modifiers.Take(part)) return false;
  }
  TakeScope(modifiers, Scope::kGpu, inst);
  inst->handler = &CopyAndFence;
  inst->aligned = true;
  int64_t offset = 0;
  int64_t size = 0;
  if (!context.Operands(3) || !context.Address(0, &inst->op[0], &inst->imm) ||
      !context.Address(1, &inst->op[1], &offset) ||
      !context.Immediate(2, &size)) {
    return false;
  }
  if (size != kTensorMapBytes) {
    return context.Fail("tensormap.cp_fenceproxy copies 128 bytes");
  }
  inst->op[2] = context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                        static_cast<uint64_t>(offset));
  return true;
}

bool DecodeTensorMapOp(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  if (modifiers.Take("replace")) {
    return DecodeReplace(context, modifiers, inst);
  }
  return modifiers.Take("cp_fenceproxy") &&
         DecodeCopyAndFence(context, modifiers, inst);
}

}  // namespace

void RegisterTensorMap(DecoderTable* table) {
  (*table)["tensormap"] = &DecodeTensorMapOp;
}

}  // namespace tiletune::emulator
