// What the decoders of instruction families work with: the modifiers of an
// opcode and the translation of operands into slots. Private to this folder.
//
//   bool DecodeNot(DecodeContext& c, Modifiers& m, Inst* inst) {
//     Type type = m.TakeType();
//     return c.Operands(2) && c.Dest(0, &inst->op[0]) &&
//            c.Source(1, type, &inst->op[1]) && PickNot(type, inst);
//   }
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_CONTEXT_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_CONTEXT_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "testing/emulator/machine/decode.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/types.h"

namespace tiletune::emulator {

// The dot-separated parts of an opcode after its first word. A decoder takes
// what it understands; anything left over makes the instruction unknown.
class Modifiers {
 public:
  explicit Modifiers(const std::string& opcode);

  // Removes `name` if present anywhere.
  bool Take(std::string_view name);
  bool Has(std::string_view name) const;
  // Removes the first of `names` that is present and returns its place among
  // them, or -1.
  int TakeOneOf(std::initializer_list<std::string_view> names);
  // Removes and returns the first modifier that starts with `prefix`, or "".
  std::string TakePrefix(std::string_view prefix);
  // Removes and returns the first type among the modifiers; kNone if none.
  Type TakeType();
  // Removes cache, eviction, scope and weak-ordering hints of memory
  // instructions that do not change what this emulator does.
  void TakeCacheHints();
  bool empty() const { return parts_.empty(); }
  const std::vector<std::string>& parts() const { return parts_; }

 private:
  std::vector<std::string> parts_;
};

class DecodeContext {
 public:
  // Slots of one function's registers, and where its variables are.
  struct Frame {
    const ptx::Function* function = nullptr;
    std::vector<int> register_slots;           // slot or predicate slot
    std::vector<uint64_t> variable_addresses;  // by variable index
    uint32_t first_pc = 0;
  };

  DecodeContext(Program* program, const SymbolTable& symbols)
      : program_(program), symbols_(symbols) {}

  // ---- the instruction being decoded ----
  const ptx::Instruction& source() const { return *source_; }
  size_t OperandCount() const { return source_->operands.size(); }
  const ptx::Operand& Operand(size_t i) const { return source_->operands[i]; }
  // Fails unless the instruction has between `least` and `most` operands.
  bool Operands(size_t least, size_t most);
  bool Operands(size_t count) { return Operands(count, count); }

  // Records the error; returns false.
  bool Fail(const std::string& message);

  // Operand i as a slot to read, with literals converted to `type`.
  bool Source(size_t i, Type type, int32_t* slot);
  bool SourceOf(const ptx::Operand& operand, Type type, int32_t* slot);
  // Operand i as a slot to write; the sink for "_".
  bool Dest(size_t i, int32_t* slot);
  bool DestOf(const ptx::Operand& operand, int32_t* slot);
  // Predicates. *negated is set for "!p".
  bool PredSource(size_t i, int32_t* slot, bool* negated);
  bool PredSourceOf(const ptx::Operand& operand, int32_t* slot, bool* negated);
  bool PredDest(size_t i, int32_t* slot);
  bool PredDestOf(const ptx::Operand& operand, int32_t* slot);
  bool IsPredicate(const ptx::Operand& operand) const;
  // A literal integer operand.
  bool Immediate(size_t i, int64_t* value);
  bool ImmediateOf(const ptx::Operand& operand, int64_t* value);
  // "[base + offset]": slot of the base and the offset.
  bool Address(size_t i, int32_t* slot, int64_t* offset);
  bool AddressOf(const ptx::Operand& operand, int32_t* slot, int64_t* offset);
  // {a, b, ...} or a single register, as Program::lists entries.
  bool SourceList(const ptx::Operand& operand, Type type, Inst* inst);
  bool DestList(const ptx::Operand& operand, Inst* inst);
  // The slots for a list without storing it in an instruction.
  bool SourceSlots(const ptx::Operand& operand, Type type,
                   std::vector<int32_t>* slots);
  uint32_t AppendList(const std::vector<int32_t>& slots);
  bool Label(size_t i, int64_t* pc);

  int ConstantSlotFor(ConstantSlot::Kind kind, uint64_t value);

  // ---- for the decoder itself ----
  Program* program() { return program_; }
  Frame* frame() { return frame_; }
  void Begin(Frame* frame, const ptx::Instruction* source) {
    frame_ = frame;
    source_ = source;
    reads_.clear();
  }
  const std::string& error() const { return error_; }
  std::vector<int32_t>& reads() { return reads_; }
  // Functions called so far by name, in decoding order.
  std::vector<std::string>& calls() { return calls_; }
  std::unordered_map<std::string, Frame*>& frames() { return frames_; }
  // Call instructions whose target is patched once everything is decoded.
  struct CallPatch {
    size_t inst;
    std::string name;
  };
  std::vector<CallPatch>& call_patches() { return call_patches_; }
  // Offsets of module-scope .shared variables.
  std::map<std::string, uint64_t>& shared_symbols() { return shared_symbols_; }

 private:
  bool SymbolValue(const std::string& name, int64_t addend, int32_t* slot);

  Program* program_;
  const SymbolTable& symbols_;
  Frame* frame_ = nullptr;
  const ptx::Instruction* source_ = nullptr;
  std::string error_;
  std::map<std::pair<int, uint64_t>, int> constant_slots_;
  std::vector<int32_t> reads_;
  std::vector<std::string> calls_;
  std::unordered_map<std::string, Frame*> frames_;
  std::vector<CallPatch> call_patches_;
  std::map<std::string, uint64_t> shared_symbols_;
};

// Decodes one instruction of a family; fills inst->handler.
using Decoder = bool (*)(DecodeContext& context, Modifiers& modifiers,
                         Inst* inst);
// By the first word of the opcode.
using DecoderTable = std::unordered_map<std::string, Decoder>;

void RegisterArithmetic(DecoderTable* table);
void RegisterExtendedPrecision(DecoderTable* table);
void RegisterDotProduct(DecoderTable* table);
void RegisterFloat(DecoderTable* table);
void RegisterBitMask(DecoderTable* table);
void RegisterLogic(DecoderTable* table);
void RegisterCompare(DecoderTable* table);
void RegisterConvert(DecoderTable* table);
void RegisterMove(DecoderTable* table);
void RegisterControl(DecoderTable* table);
void RegisterLoadStore(DecoderTable* table);
void RegisterAtomic(DecoderTable* table);
void RegisterWarp(DecoderTable* table);
void RegisterBarrier(DecoderTable* table);
void RegisterFence(DecoderTable* table);
void RegisterGridDependency(DecoderTable* table);
void RegisterMbarrier(DecoderTable* table);
void RegisterAsyncCopy(DecoderTable* table);
void RegisterTensorMap(DecoderTable* table);
void RegisterTensorCore(DecoderTable* table);
void RegisterLaunchControl(DecoderTable* table);
void RegisterMiscellaneous(DecoderTable* table);
void RegisterMatrix(DecoderTable* table);
void RegisterWarpgroup(DecoderTable* table);

// bar.warp.sync shares its first word with the CTA barriers.
bool DecodeWarpBarrier(DecodeContext& context, Modifiers& modifiers,
                       Inst* inst);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_CONTEXT_H_
