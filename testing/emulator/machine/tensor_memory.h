// Tensor Memory of the machine: allocation, ownership and the race check of
// tcgen05 instructions (PTX ISA 9.7.16). Private to this folder.
//
//   TensorAccess access = WarpTensorAccess(warp, inst, lane);
//   TouchTensor(sm, cta, lane0, lanes, column, columns, write, access, inst);
//   uint32_t* words = TensorWords(sm);      // [lane][column]
//   bool mine = OwnsColumns(cta, column, columns);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TENSOR_MEMORY_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TENSOR_MEMORY_H_

#include <cstdint>
#include <memory>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

// The SM's words, allocated on first use.
uint32_t* TensorWords(Sm* sm);

// What tcgen05 operations are ordered after: in strict checks only what
// tcgen05.fence::after_thread_sync has let in, else all that is ordered.
KnowledgePtr TensorKnowledge(Machine& machine, const KnowledgePtr& issued);
// The same for what they do in shared memory, where the issuing lane's own
// accesses are ordered before (by a proxy fence).
KnowledgePtr TensorSharedKnowledge(Warp& warp, int lane,
                                   const KnowledgePtr& issued);

// Checks that the columns are allocated to `cta`, that they were written
// before being read, and races. Lanes are rounded out to groups of 16.
void TouchTensor(Machine& machine, Cta* cta, int lane, int lanes, int column,
                 int columns, bool write, const Access& access,
                 const Inst& inst, const Cta* accessor);

// Reports if this CTA has used the other cta_group before.
void CheckCtaGroup(Warp& warp, const Inst& inst, int lane, int group);

// tcgen05.alloc, .dealloc, .relinquish_alloc_permit
bool DecodeTensorAlloc(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst);
bool DecodeTensorDealloc(DecodeContext& context, Modifiers& modifiers,
                         Inst* inst);
bool DecodeTensorRelinquish(DecodeContext& context, Modifiers& modifiers,
                            Inst* inst);
// tcgen05.ld, .st, .wait
bool DecodeTensorLoad(DecodeContext& context, Modifiers& modifiers, Inst* inst);
bool DecodeTensorStore(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst);
bool DecodeTensorWait(DecodeContext& context, Modifiers& modifiers, Inst* inst);
// tcgen05.mma, .cp
bool DecodeTensorMma(DecodeContext& context, Modifiers& modifiers, Inst* inst);
bool DecodeTensorCp(DecodeContext& context, Modifiers& modifiers, Inst* inst);

// Takes cta_group::1 or ::2; false if absent.
bool TakeCtaGroup(Modifiers& modifiers, int* group);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TENSOR_MEMORY_H_
