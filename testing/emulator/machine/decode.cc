#include "testing/emulator/machine/decode.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "testing/emulator/machine/address_space.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/ptx/parser.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kMaxStaticShared = 233472;

const DecoderTable& Decoders() {
  static const DecoderTable* const kTable = [] {
    auto* table = new DecoderTable();
    RegisterArithmetic(table);
    RegisterExtendedPrecision(table);
    RegisterDotProduct(table);
    RegisterFloat(table);
    RegisterBitMask(table);
    RegisterLogic(table);
    RegisterCompare(table);
    RegisterConvert(table);
    RegisterMove(table);
    RegisterControl(table);
    RegisterLoadStore(table);
    RegisterAtomic(table);
    RegisterWarp(table);
    RegisterBarrier(table);
    RegisterFence(table);
    RegisterGridDependency(table);
    RegisterMbarrier(table);
    RegisterAsyncCopy(table);
    RegisterTensorMap(table);
    RegisterTensorCore(table);
    RegisterLaunchControl(table);
    RegisterMiscellaneous(table);
    RegisterMatrix(table);
    RegisterWarpgroup(table);
    return table;
  }();
  return *kTable;
}

uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

class ProgramDecoder {
 public:
  ProgramDecoder(const ptx::Module& module, const ptx::Function& entry,
                 const SymbolTable& symbols, Program* program)
      : module_(module),
        entry_(entry),
        symbols_(symbols),
        program_(program),
        context_(program, symbols) {}

  bool Run();
  std::string error() const {
    return error_.empty() ? context_.error() : error_;
  }

 private:
  using Frame = DecodeContext::Frame;

  bool LayOutShared();
  bool LayOutFrame(Frame* frame, bool is_entry);
  bool DecodeFunction(Frame* frame);
  bool DecodeOne(Frame* frame, const ptx::Instruction& source);
  bool CheckRecursion(const std::string& name, std::set<std::string>* path);

  const ptx::Module& module_;
  const ptx::Function& entry_;
  const SymbolTable& symbols_;
  Program* program_;
  DecodeContext context_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::map<std::string, std::set<std::string>> call_graph_;
  uint64_t shared_end_ = kSharedBase;
  std::string error_;
};

bool ProgramDecoder::LayOutShared() {
  uint64_t dynamic_alignment = 16;
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space != ptx::Space::kShared) continue;
    if (variable.is_extern || variable.bytes == 0) {
      dynamic_alignment = std::max(dynamic_alignment, variable.alignment);
      continue;
    }
    shared_end_ = AlignUp(shared_end_, variable.alignment);
    context_.shared_symbols()[variable.name] = shared_end_;
    shared_end_ += variable.bytes;
  }
  for (const ptx::Function& function : module_.functions) {
    for (const ptx::Variable& variable : function.variables) {
      if (variable.space == ptx::Space::kShared) {
        // Reserved below, when the function turns out to be reachable; the
        // dynamic part comes after all of them.
        dynamic_alignment = std::max(dynamic_alignment, uint64_t{16});
      }
    }
  }
  program_->dynamic_shared_offset = static_cast<uint32_t>(dynamic_alignment);
  return true;
}

bool ProgramDecoder::LayOutFrame(Frame* frame, bool is_entry) {
  const ptx::Function& function = *frame->function;
  for (const ptx::Register& reg : function.registers) {
    if (reg.type == "pred") {
      frame->register_slots.push_back(program_->predicates++);
    } else {
      frame->register_slots.push_back(program_->slots);
      program_->slots += reg.type == "b128" ? 2 : 1;
    }
  }
  size_t parameters = function.parameters.size();
  uint64_t parameter_offset = 0;
  for (size_t i = 0; i < function.variables.size(); ++i) {
    const ptx::Variable& variable = function.variables[i];
    uint64_t address = 0;
    if (is_entry && i < parameters) {
      parameter_offset = AlignUp(parameter_offset, variable.alignment);
      program_->parameter_offsets.push_back(
          static_cast<uint32_t>(parameter_offset));
      address = kParameterWindow + parameter_offset;
      parameter_offset += variable.bytes;
    } else if (variable.space == ptx::Space::kShared) {
      shared_end_ = AlignUp(shared_end_, variable.alignment);
      address = shared_end_;
      shared_end_ += variable.bytes;
    } else if (variable.space == ptx::Space::kLocal ||
               variable.space == ptx::Space::kParam) {
      uint64_t end = AlignUp(program_->local_bytes, variable.alignment);
      address = end;
      program_->local_bytes = static_cast<uint32_t>(end + variable.bytes);
      if (end + variable.bytes > (1u << 20)) {
        error_ = "local memory of '" + function.name + "' is too large";
        return false;
      }
    } else {
      auto it = symbols_.find(function.name + "::" + variable.name);
      if (it == symbols_.end()) {
        error_ = "line " + std::to_string(variable.line) +
                 ": no memory for variable '" + variable.name + "'";
        return false;
      }
      address = it->second;
    }
    frame->variable_addresses.push_back(address);
  }
  if (is_entry) {
    program_->parameter_bytes = static_cast<uint32_t>(parameter_offset);
  }
  if (shared_end_ > kMaxStaticShared) {
    error_ = "static shared memory is too large";
    return false;
  }
  return true;
}

bool ProgramDecoder::DecodeOne(Frame* frame, const ptx::Instruction& source) {
  context_.Begin(frame, &source);
  Inst inst;
  inst.line = source.line;
  inst.source = &source;
  if (source.guard >= 0) {
    if (frame->function->registers[source.guard].type != "pred") {
      return context_.Fail("the guard is not a predicate");
    }
    inst.guard = frame->register_slots[source.guard];
    inst.guard_negated = source.guard_negated;
  }
  std::string word = source.opcode.substr(0, source.opcode.find('.'));
  if (source.opcode == ".branchtargets") word = source.opcode;
  auto it = Decoders().find(word);
  if (it == Decoders().end()) return context_.Fail("unknown instruction");
  Modifiers modifiers(source.opcode);
  if (word == ".branchtargets") modifiers = Modifiers("");
  if (!it->second(context_, modifiers, &inst)) {
    return context_.Fail("unknown instruction");
  }
  if (!modifiers.empty()) {
    return context_.Fail("unknown modifier '." + modifiers.parts()[0] + "'");
  }
  inst.reads = context_.AppendList(context_.reads());
  inst.reads_size = static_cast<uint32_t>(context_.reads().size());
  program_->code.push_back(inst);
  return true;
}

bool ProgramDecoder::DecodeFunction(Frame* frame) {
  frame->first_pc = static_cast<uint32_t>(program_->code.size());
  context_.calls().clear();
  for (const ptx::Instruction& source : frame->function->instructions) {
    if (!DecodeOne(frame, source)) return false;
  }
  // Falling off the end returns.
  static const ptx::Instruction* const kReturn = [] {
    auto* instruction = new ptx::Instruction();
    instruction->opcode = "ret";
    return instruction;
  }();
  if (!DecodeOne(frame, *kReturn)) return false;
  for (const std::string& name : context_.calls()) {
    call_graph_[frame->function->name].insert(name);
  }
  return true;
}

bool ProgramDecoder::CheckRecursion(const std::string& name,
                                    std::set<std::string>* path) {
  if (!path->insert(name).second) {
    error_ = "recursion through '" + name + "' is not supported";
    return false;
  }
  for (const std::string& callee : call_graph_[name]) {
    if (!CheckRecursion(callee, path)) return false;
  }
  path->erase(name);
  return true;
}

bool ProgramDecoder::Run() {
  program_->module = &module_;
  program_->entry = &entry_;
  if (!LayOutShared()) return false;
  std::vector<std::string> work = {entry_.name};
  // Frames are laid out before bodies are decoded, because a call needs the
  // addresses of its callee's parameters.
  for (size_t i = 0; i < work.size(); ++i) {
    const ptx::Function* function =
        i == 0 ? &entry_ : ptx::FindFunction(module_, work[i]);
    auto frame = std::make_unique<Frame>();
    frame->function = function;
    if (!LayOutFrame(frame.get(), i == 0)) return false;
    context_.frames()[function->name] = frame.get();
    frames_.push_back(std::move(frame));
    for (const ptx::Instruction& source : function->instructions) {
      if (source.opcode.compare(0, 4, "call") != 0) continue;
      for (const ptx::Operand& operand : source.operands) {
        if (operand.kind != ptx::Operand::Kind::kSymbol) continue;
        const ptx::Function* callee = ptx::FindFunction(module_, operand.name);
        if (callee == nullptr || callee->is_declaration) continue;
        if (std::find(work.begin(), work.end(), operand.name) == work.end()) {
          work.push_back(operand.name);
        }
      }
    }
  }
  uint64_t alignment = program_->dynamic_shared_offset;
  program_->static_shared = static_cast<uint32_t>(shared_end_ - kSharedBase);
  program_->dynamic_shared_offset =
      static_cast<uint32_t>(AlignUp(shared_end_, alignment));
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space == ptx::Space::kShared &&
        (variable.is_extern || variable.bytes == 0)) {
      context_.shared_symbols()[variable.name] =
          program_->dynamic_shared_offset;
    }
  }
  for (auto& frame : frames_) {
    if (!DecodeFunction(frame.get())) return false;
  }
  for (const DecodeContext::CallPatch& patch : context_.call_patches()) {
    program_->code[patch.inst].imm = context_.frames().at(patch.name)->first_pc;
  }
  std::set<std::string> path;
  return CheckRecursion(entry_.name, &path);
}

// C++ kernels go by mangled names, which nobody knows by heart.
std::string EntriesOf(const ptx::Module& module) {
  std::string names;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || function.is_declaration) continue;
    names += (names.empty() ? "has " : ", ") + function.name;
  }
  return names.empty() ? "has none" : names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> Decode(const ptx::Module& module,
                                                const std::string& entry,
                                                const SymbolTable& symbols) {
  const ptx::Function* function = ptx::FindFunction(module, entry);
  if (function == nullptr || !function->is_entry || function->is_declaration) {
    return absl::NotFoundError("the module has no entry '" + entry + "'; it " +
                               EntriesOf(module));
  }
  auto program = std::make_unique<Program>();
  ProgramDecoder decoder(module, *function, symbols, program.get());
  if (!decoder.Run()) return absl::InvalidArgumentError(decoder.error());
  return program;
}

}  // namespace tiletune::emulator
