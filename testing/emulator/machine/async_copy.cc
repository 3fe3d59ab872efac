// The cp.* opcodes: chooses the family, and the groups that completion is
// waited for by (PTX ISA 9.7.9.25).
#include "testing/emulator/machine/async_copy.h"

#include <memory>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

std::shared_ptr<AsyncGroup> OpenGroup(GroupList* list) {
  if (list->open == nullptr) list->open = std::make_shared<AsyncGroup>();
  return list->open;
}

AsyncOperation BeginAsync(Warp& warp, const Inst& inst, int lane) {
  AsyncOperation operation;
  operation.machine = warp.machine;
  operation.inst = &inst;
  operation.cta = warp.cta;
  operation.thread = warp.machine->ThreadIndex(warp, lane);
  operation.issued = warp.known.Snapshot(1u << lane);
  warp.machine->NewAsyncEpoch(warp.cta, &operation.actor, &operation.clock);
  // Later changes of what the warp knows must not leak into the operation,
  // and its later writes are not covered by this snapshot.
  warp.known.NextEpoch();
  return operation;
}

AsyncOperation AsyncOperation::SecondHalf() const {
  AsyncOperation half = *this;
  machine->NewAsyncEpoch(cta, &half.actor, &half.clock);
  return half;
}

std::shared_ptr<AsyncGroup> JoinBulkGroup(Warp& warp, int lane,
                                          const AsyncOperation& read,
                                          const AsyncOperation& write) {
  std::shared_ptr<AsyncGroup> group = OpenGroup(&warp.bulk_groups[lane]);
  ++group->pending;
  ++group->unread;
  group->read_knowledge.order.Set(read.actor, read.clock);
  group->write_knowledge.order.Set(read.actor, read.clock);
  group->write_knowledge.order.Set(write.actor, write.clock);
  return group;
}

int TakeReduceOp(Modifiers& modifiers) {
  return modifiers.TakeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor"});
}

Access AsyncOperation::MakeAccess() const {
  Access access;
  access.actor = actor;
  access.clock = clock;
  access.async = true;
  access.line = inst->line;
  access.thread = thread;
  access.knowledge = issued.get();
  return access;
}

void AsyncOperation::CompleteTx(Cta* target, uint32_t offset,
                                uint32_t bytes) const {
  Mbarrier* barrier = machine->FindMbarrier(target, offset, *inst, cta, thread);
  if (barrier == nullptr) return;
  machine->CheckVisible(*barrier, *issued, *inst, cta, thread, offset);
  Knowledge knowledge;
  if (!machine->strict()) knowledge = *issued;
  knowledge.order.Set(actor, clock);
  machine->CompleteTx(target, offset, bytes, knowledge, *inst, cta, thread);
}

namespace {

constexpr uint32_t kRead = 1;
constexpr uint32_t kBulk = 2;
constexpr uint32_t kAll = 4;

GroupList* Groups(Warp& warp, const Inst& inst, int lane) {
  return (inst.flags & kBulk) != 0 ? &warp.bulk_groups[lane]
                                   : &warp.copy_groups[lane];
}

Step CommitGroup(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    GroupList* list = Groups(warp, inst, lane);
    std::shared_ptr<AsyncGroup> group = OpenGroup(list);
    list->committed.push_back(group);
    list->open.reset();
  });
  return Step::kNext;
}

// Blocks until at most `imm` of the latest groups are incomplete.
Step WaitGroup(Warp& warp, const Inst& inst, uint32_t mask) {
  const bool read_only = (inst.flags & kRead) != 0;
  bool ready = true;
  ForLanes(mask, [&](int lane) {
    GroupList* list = Groups(warp, inst, lane);
    if ((inst.flags & kAll) != 0 && list->open != nullptr) {
      list->committed.push_back(list->open);
      list->open.reset();
    }
    size_t keep = static_cast<size_t>(inst.imm);
    if (list->committed.size() <= keep) return;
    size_t count = list->committed.size() - keep;
    for (size_t i = 0; i < count; ++i) {
      const AsyncGroup& group = *list->committed[i];
      if ((read_only ? group.unread : group.pending) != 0) ready = false;
    }
  });
  if (!ready) {
    warp.Current().WaitFor("waits for asynchronous copies");
    return Step::kBlocked;
  }
  ForLanes(mask, [&](int lane) {
    GroupList* list = Groups(warp, inst, lane);
    size_t keep = static_cast<size_t>(inst.imm);
    if (list->committed.size() <= keep) return;
    size_t count = list->committed.size() - keep;
    for (size_t i = 0; i < count; ++i) {
      const AsyncGroup& group = *list->committed[i];
      warp.known.Acquire(
          1u << lane, read_only ? group.read_knowledge : group.write_knowledge);
    }
    if (!read_only) {
      list->committed.erase(
          list->committed.begin(),
          list->committed.begin() + static_cast<std::ptrdiff_t>(count));
    }
  });
  return Step::kNext;
}

bool DecodeGroup(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("commit_group")) {
    inst->handler = &CommitGroup;
    return context.Operands(0);
  }
  if (modifiers.Take("wait_all")) {
    inst->handler = &WaitGroup;
    inst->flags |= kAll;
    return context.Operands(0);
  }
  if (!modifiers.Take("wait_group")) return false;
  inst->handler = &WaitGroup;
  if (modifiers.Take("read")) inst->flags |= kRead;
  return context.Operands(1) && context.Immediate(0, &inst->imm);
}

bool DecodeCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  bool reduce = modifiers.Take("reduce");
  if (!modifiers.Take("async")) return false;
  if (modifiers.Take("bulk")) {
    inst->flags |= kBulk;
    if (DecodeGroup(context, modifiers, inst)) return true;
    inst->flags = 0;
    if (modifiers.Take("tensor")) {
      return DecodeTensorCopy(context, modifiers, inst, reduce);
    }
    return DecodeBulkCopy(context, modifiers, inst, reduce);
  }
  if (reduce) return false;
  if (DecodeGroup(context, modifiers, inst)) return true;
  return DecodePlainCopy(context, modifiers, inst);
}

}  // namespace

void RegisterAsyncCopy(DecoderTable* table) { (*table)["cp"] = &DecodeCopy; }

}  // namespace tiletune::emulator
