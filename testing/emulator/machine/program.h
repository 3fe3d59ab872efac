// A kernel entry decoded for execution: one flat array of instructions whose
// operands are slots of the warp's register file, so that the interpreter
// never looks at text again.
//
// Use it through Decode (decode.h); the instruction families fill it in.
//
//   absl::StatusOr<Program> program = Decode(module, "gemm");
//   const Inst& inst = program->code[pc];
//   Step step = inst.handler(warp, inst, mask);
//   int line = inst.line;
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_PROGRAM_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testing/emulator/machine/scope.h"
#include "testing/emulator/ptx/module.h"

namespace tiletune::emulator {

class Warp;
struct Inst;

constexpr uint32_t kFullMask = 0xFFFFFFFFu;
constexpr int kMaxOperands = 8;

// What the interpreter does after an instruction.
enum class Step : uint8_t {
  kNext,     // the lanes go on to the next instruction
  kJumped,   // the handler has set the program counters itself
  kBlocked,  // try the same instruction again when something has changed
  kYield,    // go on, but let other warps run first
};

// Executes `inst` for the lanes in `mask` (never empty).
using Handler = Step (*)(Warp& warp, const Inst& inst, uint32_t mask);

struct Inst {
  Handler handler = nullptr;
  int32_t guard = -1;  // predicate slot
  bool guard_negated = false;
  // Executed by the whole warp together (.aligned); the interpreter gathers
  // all live lanes first.
  bool aligned = false;
  int32_t line = 0;
  // Operand slots; the meaning is the family's. Slot 0 is a sink.
  int32_t op[kMaxOperands] = {0, 0, 0, 0, 0, 0, 0, 0};
  int64_t imm = 0;    // address offset or immediate
  uint32_t list = 0;  // first entry in Program::lists
  uint32_t list_size = 0;
  uint32_t flags = 0;         // family-specific bits
  uint8_t bytes = 0;          // element bytes of a memory access
  uint8_t kind = 0;           // family-specific selector
  uint8_t space = 0;          // MemorySpace of a memory access
  Scope scope = Scope::kGpu;  // of a strong access, a fence, an mbarrier
  // Registers this instruction reads, for the check of values that an
  // asynchronous instruction has not delivered yet.
  uint32_t reads = 0;
  uint32_t reads_size = 0;
  const ptx::Instruction* source = nullptr;
};

// A register-file slot that is filled once per warp.
struct ConstantSlot {
  enum class Kind {
    kValue,          // value
    kSharedAddress,  // value: offset in the CTA's shared window
    kSpecial,        // value: SpecialRegister
  };
  Kind kind = Kind::kValue;
  uint64_t value = 0;
  int slot = 0;
};

struct Program {
  const ptx::Module* module = nullptr;
  const ptx::Function* entry = nullptr;
  std::vector<Inst> code;
  std::vector<int32_t> lists;
  std::vector<ConstantSlot> constants;
  int slots = 1;               // register-file slots (slot 0 is the sink)
  int predicates = 1;          // predicate slots (slot 0 is the sink)
  uint32_t local_bytes = 0;    // per-lane local and call-parameter memory
  uint32_t static_shared = 0;  // bytes, from kSharedBase on
  uint32_t dynamic_shared_offset = 0;  // where dynamic shared memory begins
  // Offsets and bytes of the entry's parameters in its parameter block.
  std::vector<uint32_t> parameter_offsets;
  uint32_t parameter_bytes = 0;
  bool uses_tensor_memory = false;
  bool uses_launch_control = false;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_PROGRAM_H_
