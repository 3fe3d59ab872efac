// What the asynchronous copy families share: the identity of an operation in
// flight, and groups. Private to this folder.
//
//   AsyncOperation op = BeginAsync(warp, inst, lane);
//   machine.Schedule(op.cta, "TMA load", op.inst, op.thread, 0, [op] {
//     op.machine->TouchShared(cta, offset, bytes, true, op.MakeAccess(), ...);
//     op.CompleteTx(cta, barrier, bytes);
//   });
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ASYNC_COPY_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ASYNC_COPY_H_

#include <memory>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

struct AsyncOperation {
  Machine* machine = nullptr;
  const Inst* inst = nullptr;
  Cta* cta = nullptr;  // of the issuing thread
  int thread = -1;
  KnowledgePtr issued;  // what the issuing thread knew
  uint32_t actor = 0;
  uint32_t clock = 0;

  Access MakeAccess() const;
  // The same with an epoch of its own, for what it does once it has read: a
  // write that is waited for separately.
  AsyncOperation SecondHalf() const;
  // Completes bytes on an mbarrier at `offset` of the CTA's shared memory, and
  // publishes the operation: not what the issuing thread did before (PTX ISA
  // 8.9.1.1), though hardware checks take it to.
  void CompleteTx(Cta* target, uint32_t offset, uint32_t bytes) const;
};

AsyncOperation BeginAsync(Warp& warp, const Inst& inst, int lane);

// The group that the next commit closes.
std::shared_ptr<AsyncGroup> OpenGroup(GroupList* list);

// Adds a copy out of shared memory to the thread's open bulk group: `read`, its
// first half, and `write`.
std::shared_ptr<AsyncGroup> JoinBulkGroup(Warp& warp, int lane,
                                          const AsyncOperation& read,
                                          const AsyncOperation& write);

// The operation of a reduction, by its number in ReduceOp; -1 for none.
int TakeReduceOp(Modifiers& modifiers);

bool DecodeTensorCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                      bool reduce);
bool DecodeBulkCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                    bool reduce);
bool DecodeStoreAsync(DecodeContext& context, Modifiers& modifiers, Inst* inst);
bool DecodeReduceAsync(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst);
// cp.async of 4, 8 or 16 bytes, and cp.async.mbarrier.arrive.
bool DecodePlainCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ASYNC_COPY_H_
