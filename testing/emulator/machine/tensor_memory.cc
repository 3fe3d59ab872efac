#include "testing/emulator/machine/tensor_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tiletune::emulator {
namespace {

constexpr int kLaneGroup = 16;
constexpr int kLaneGroups = kTensorLanes / kLaneGroup;

// Frees the columns of an allocation on one SM.
void Release(Cta* cta, int column, int columns) {
  for (int c = column; c < column + columns; ++c) {
    cta->sm->column_owner[static_cast<size_t>(c)] = nullptr;
  }
}

// The first aligned run of free columns on all SMs, or -1.
int FindColumns(const std::vector<Sm*>& sms, int columns) {
  for (int start = 0; start + columns <= kTensorColumns; start += 32) {
    bool free = true;
    for (const Sm* sm : sms) {
      for (int c = start; c < start + columns && free; ++c) {
        free = sm->column_owner[static_cast<size_t>(c)] == nullptr;
      }
    }
    if (free) return start;
  }
  return -1;
}

void Take(Cta* cta, int column, int columns, int line) {
  Sm* sm = cta->sm;
  TensorWords(sm);
  for (int c = column; c < column + columns; ++c) {
    sm->column_owner[static_cast<size_t>(c)] = cta;
    for (int group = 0; group < kLaneGroups; ++group) {
      sm->tensor_written[static_cast<size_t>(group * kTensorColumns + c)] = 0;
    }
  }
  for (int group = 0; group < kLaneGroups; ++group) {
    sm->tensor_shadow->Forget(
        static_cast<uint64_t>(group * kTensorColumns + column),
        static_cast<uint64_t>(columns));
  }
  cta->tensor_allocations.push_back({column, columns, line});
  cta->last_allocation_columns = columns;
}

bool IsAllocationSize(int64_t columns) {
  return columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0;
}

// The CTA pair's other member (ranks differ in bit 0), or null.
Cta* Peer(Warp& warp) {
  uint32_t rank = warp.cta->rank ^ 1u;
  const auto& ctas = warp.cta->cluster->ctas;
  return rank < ctas.size() ? ctas[rank].get() : nullptr;
}

// flags: cta_group; op[0] destination address, op[1] columns.
Step Alloc(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int lane = __builtin_ctz(mask);
  Fragment& fragment = warp.Current();
  Cta* cta = warp.cta;
  const int group = static_cast<int>(inst.flags);
  const int64_t columns =
      static_cast<int64_t>(warp.Reg(inst.op[1])[lane] & 0xFFFFFFFF);
  if (!fragment.waiting) {
    CheckCtaGroup(warp, inst, lane, group);
    if (!IsAllocationSize(columns)) {
      machine.Fatal(warp, inst, lane, "bad tensor memory allocation",
                    std::to_string(columns) +
                        " columns are not a power of two in [32, 512]");
      return Step::kBlocked;
    }
    if (cta->tensor_permit_relinquished) {
      machine.Report(warp, inst, lane, "bad tensor memory allocation",
                     "the CTA has relinquished its right to allocate");
    }
    if (cta->last_allocation_columns != 0 &&
        columns > cta->last_allocation_columns) {
      machine.Report(warp, inst, lane, "bad tensor memory allocation",
                     "a later allocation is larger than an earlier one");
    }
    if (warp.live != kFullMask) {
      machine.Report(warp, inst, lane, "bad tensor memory allocation",
                     "the warp has exited lanes");
    }
    fragment.waiting = true;
    cta->allocation_request = static_cast<int>(columns);
    cta->allocation_result = -1;
  }
  std::vector<Cta*> ctas = {cta};
  if (group == 2) {
    Cta* peer = Peer(warp);
    if (peer == nullptr) {
      machine.Fatal(warp, inst, lane, "bad tensor memory allocation",
                    ".cta_group::2 needs a cluster with CTA pairs");
      return Step::kBlocked;
    }
    ctas.push_back(peer);
  }
  if (cta->allocation_result < 0) {
    std::vector<Sm*> sms;
    for (Cta* each : ctas) {
      if (each->allocation_request != columns) {
        fragment.WaitFor("waits for tcgen05.alloc in the peer CTA");
        return Step::kBlocked;
      }
      sms.push_back(each->sm);
    }
    int column = FindColumns(sms, static_cast<int>(columns));
    if (column < 0) {
      fragment.WaitFor("waits for free Tensor Memory columns");
      return Step::kBlocked;
    }
    for (Cta* each : ctas) {
      Take(each, column, static_cast<int>(columns), inst.line);
      each->allocation_request = 0;
      each->allocation_result = column;
      machine.Wake(each);
    }
    machine.Progress();
  }
  fragment.waiting = false;
  uint32_t result = static_cast<uint32_t>(cta->allocation_result);
  cta->allocation_result = -1;
  uint64_t address =
      warp.Reg(inst.op[0])[lane] + static_cast<uint64_t>(inst.imm);
  Location at = machine.Locate(warp, inst, lane, MemorySpace::kShared,
                               address & 0xFFFFFFFF, 4, true);
  if (at.data == nullptr) return Step::kNext;
  std::memcpy(at.data, &result, sizeof(result));
  Access who = machine.WarpAccess(warp, inst, lane);
  // Every lane has executed the write (9.7.16.6.1: same-address ordering with
  // other instructions), so that each may read the address at once.
  who.lanes = LaneSet();
  machine.NewAsyncEpoch(cta, &who.actor, &who.clock);
  machine.TouchShared(at.cta, at.offset, 4, true, who, inst, cta);
  warp.known.LearnOrder(mask, who.actor, who.clock);
  return Step::kNext;
}

Step Dealloc(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  const int lane = __builtin_ctz(mask);
  Cta* cta = warp.cta;
  CheckCtaGroup(warp, inst, lane, static_cast<int>(inst.flags));
  uint32_t address = static_cast<uint32_t>(warp.Reg(inst.op[0])[lane]);
  int columns = static_cast<int>(warp.Reg(inst.op[1])[lane]);
  int column = static_cast<int>(address & 0xFFFF);
  auto& list = cta->tensor_allocations;
  auto it = std::find_if(list.begin(), list.end(), [&](const auto& a) {
    return a.column == column && a.columns == columns && (address >> 16) == 0;
  });
  if (it == list.end()) {
    machine.Report(warp, inst, lane, "bad tensor memory deallocation",
                   "the CTA has no allocation of " + std::to_string(columns) +
                       " columns at this address",
                   address);
    return Step::kNext;
  }
  // Freeing counts as a write to every cell: whatever uses them must be done.
  Access access;
  access.actor = warp.tensor_actor;
  access.clock = warp.tensor_clock;
  access.line = inst.line;
  access.thread = machine.ThreadIndex(warp, lane);
  if (warp.known.by_lane()) access.lanes = LaneSet::Mask(mask);
  // No tcgen05 fence is required.
  Knowledge knowledge = *warp.known.Snapshot(mask);
  knowledge.order.Join(knowledge.tensor_execution);
  access.knowledge = &knowledge;
  for (int group = 0; group < kLaneGroups; ++group) {
    RaceReport report;
    RaceRules rules;
    rules.proxy_write = false;
    rules.actor_is_ordered = true;
    if (cta->sm->tensor_shadow->Touch(
            static_cast<uint64_t>(group * kTensorColumns + column),
            static_cast<uint64_t>(columns), true, access, rules, &report)) {
      machine.Report(warp, inst, lane, "tensor memory freed while in use",
                     "the access at line " + std::to_string(report.other_line) +
                         " is not ordered before the deallocation",
                     address);
    }
  }
  list.erase(it);
  Release(cta, column, columns);
  machine.Progress();
  machine.WakeAll();
  return Step::kNext;
}

Step Relinquish(Warp& warp, const Inst& inst, uint32_t mask) {
  CheckCtaGroup(warp, inst, __builtin_ctz(mask), static_cast<int>(inst.flags));
  warp.cta->tensor_permit_relinquished = true;
  return Step::kNext;
}

bool IsShared(Modifiers& modifiers) {
  return modifiers.Take("shared::cta") || modifiers.Take("shared");
}

}  // namespace

uint32_t* TensorWords(Sm* sm) {
  if (sm->tensor.empty()) {
    sm->tensor.assign(size_t{kTensorLanes} * kTensorColumns, 0xCDCDCDCD);
    sm->tensor_written.assign(size_t{kLaneGroups} * kTensorColumns, 0);
    sm->tensor_shadow =
        std::make_unique<RaceShadow>(kLaneGroups * kTensorColumns, 1);
  }
  return sm->tensor.data();
}

KnowledgePtr TensorKnowledge(Machine& machine, const KnowledgePtr& issued) {
  if (!machine.strict() && issued->tensor_execution.empty()) return issued;
  auto knowledge = std::make_shared<Knowledge>();
  knowledge->order = machine.strict() ? issued->tensor : issued->order;
  knowledge->order.Join(issued->tensor_execution);
  return knowledge;
}

KnowledgePtr TensorSharedKnowledge(Warp& warp, int lane,
                                   const KnowledgePtr& issued) {
  if (!warp.machine->strict()) return issued;
  auto knowledge = std::make_shared<Knowledge>();
  knowledge->order = issued->tensor;
  knowledge->order.Set(LaneActor(warp.actor, lane), warp.known.clock());
  knowledge->shared_proxy = issued->shared_proxy;
  return knowledge;
}

void CheckCtaGroup(Warp& warp, const Inst& inst, int lane, int group) {
  Cta* cta = warp.cta;
  if (cta->tensor_cta_group != 0 && cta->tensor_cta_group != group) {
    warp.machine->Report(warp, inst, lane, "mixed cta_group",
                         "the kernel uses .cta_group::1 and .cta_group::2");
  }
  cta->tensor_cta_group = group;
}

void TouchTensor(Machine& machine, Cta* cta, int lane, int lanes, int column,
                 int columns, bool write, const Access& access,
                 const Inst& inst, const Cta* accessor) {
  Sm* sm = cta->sm;
  uint64_t address =
      (static_cast<uint64_t>(lane) << 16) | static_cast<uint64_t>(column);
  if (lane < 0 || column < 0 || lane + lanes > kTensorLanes ||
      column + columns > kTensorColumns) {
    machine.ReportAt(accessor, access.thread, &inst, "out of bounds",
                     "lanes or columns outside Tensor Memory", address);
    return;
  }
  for (int c = column; c < column + columns; ++c) {
    if (sm->column_owner[static_cast<size_t>(c)] != cta) {
      machine.ReportAt(accessor, access.thread, &inst, "out of bounds",
                       "Tensor Memory column " + std::to_string(c) +
                           " is not allocated to the CTA",
                       address);
      return;
    }
  }
  RaceRules rules;
  rules.proxy_write = false;
  rules.actor_is_ordered = true;  // a warp's tcgen05.ld and .st
  const int first = lane / kLaneGroup;
  const int last = (lane + lanes - 1) / kLaneGroup;
  for (int group = first; group <= last; ++group) {
    size_t cell = static_cast<size_t>(group * kTensorColumns + column);
    if (write) {
      std::fill_n(sm->tensor_written.begin() + static_cast<ptrdiff_t>(cell),
                  columns, uint8_t{1});
    } else {
      for (int c = 0; c < columns; ++c) {
        if (sm->tensor_written[cell + static_cast<size_t>(c)] != 0) continue;
        machine.ReportAt(accessor, access.thread, &inst, "uninitialised memory",
                         "reads Tensor Memory that nothing has written, "
                         "lanes from " +
                             std::to_string(group * kLaneGroup) + ", column " +
                             std::to_string(column + c),
                         address);
        break;
      }
    }
    RaceReport report;
    if (!sm->tensor_shadow->Touch(cell, static_cast<uint64_t>(columns), write,
                                  access, rules, &report)) {
      continue;
    }
    std::string other = " at line " + std::to_string(report.other_line);
    std::string message;
    const char* check = "tensor memory race";
    switch (report.kind) {
      case RaceReport::Kind::kReadAfterWrite:
        message = "reads Tensor Memory that the operation" + other +
                  " writes, without a completed commit and "
                  "tcgen05.fence::after_thread_sync between them";
        break;
      case RaceReport::Kind::kWriteAfterRead:
        message = "overwrites Tensor Memory that the operation" + other +
                  " may still be reading: its tcgen05.wait, "
                  "fence::before_thread_sync, synchronisation or "
                  "fence::after_thread_sync is missing";
        break;
      default:
        message = "overwrites Tensor Memory that the operation" + other +
                  " writes, with nothing ordering the two";
    }
    machine.ReportAt(accessor, access.thread, &inst, check, message, address);
  }
}

bool TakeCtaGroup(Modifiers& modifiers, int* group) {
  if (modifiers.Take("cta_group::1")) {
    *group = 1;
  } else if (modifiers.Take("cta_group::2")) {
    *group = 2;
  } else {
    return false;
  }
  return true;
}

bool DecodeTensorAlloc(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst) {
  int group;
  if (!TakeCtaGroup(modifiers, &group) || !modifiers.Take("sync") ||
      !modifiers.Take("aligned")) {
    return false;
  }
  IsShared(modifiers);
  modifiers.Take("b32");
  inst->handler = &Alloc;
  inst->aligned = true;
  inst->flags = static_cast<uint32_t>(group);
  return context.Operands(2) && context.Address(0, &inst->op[0], &inst->imm) &&
         context.Source(1, Type::kU32, &inst->op[1]);
}

bool DecodeTensorDealloc(DecodeContext& context, Modifiers& modifiers,
                         Inst* inst) {
  int group;
  if (!TakeCtaGroup(modifiers, &group) || !modifiers.Take("sync") ||
      !modifiers.Take("aligned")) {
    return false;
  }
  modifiers.Take("b32");
  inst->handler = &Dealloc;
  inst->aligned = true;
  inst->flags = static_cast<uint32_t>(group);
  return context.Operands(2) && context.Source(0, Type::kU32, &inst->op[0]) &&
         context.Source(1, Type::kU32, &inst->op[1]);
}

bool DecodeTensorRelinquish(DecodeContext& context, Modifiers& modifiers,
                            Inst* inst) {
  int group;
  if (!TakeCtaGroup(modifiers, &group) || !modifiers.Take("sync") ||
      !modifiers.Take("aligned")) {
    return false;
  }
  inst->handler = &Relinquish;
  inst->aligned = true;
  inst->flags = static_cast<uint32_t>(group);
  return context.Operands(0);
}

}  // namespace tiletune::emulator
