#include "testing/emulator/machine/decode_context.h"

#include <algorithm>
#include <cstring>

#include "testing/emulator/engines/formats.h"
#include "testing/emulator/machine/address_space.h"
#include "testing/emulator/machine/special_registers.h"

namespace tiletune::emulator {

Modifiers::Modifiers(const std::string& opcode) {
  size_t begin = opcode.find('.');
  while (begin != std::string::npos) {
    size_t end = opcode.find('.', begin + 1);
    parts_.push_back(opcode.substr(
        begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end;
  }
}

bool Modifiers::Take(std::string_view name) {
  auto it = std::find(parts_.begin(), parts_.end(), name);
  if (it == parts_.end()) return false;
  parts_.erase(it);
  return true;
}

int Modifiers::TakeOneOf(std::initializer_list<std::string_view> names) {
  int place = 0;
  for (std::string_view name : names) {
    if (Take(name)) return place;
    ++place;
  }
  return -1;
}

std::string Modifiers::TakePrefix(std::string_view prefix) {
  for (auto it = parts_.begin(); it != parts_.end(); ++it) {
    if (it->compare(0, prefix.size(), prefix) == 0) {
      std::string found = *it;
      parts_.erase(it);
      return found;
    }
  }
  return "";
}

bool Modifiers::Has(std::string_view name) const {
  return std::find(parts_.begin(), parts_.end(), name) != parts_.end();
}

Type Modifiers::TakeType() {
  for (auto it = parts_.begin(); it != parts_.end(); ++it) {
    Type type = ParseType(*it);
    if (type != Type::kNone) {
      parts_.erase(it);
      return type;
    }
  }
  return Type::kNone;
}

void Modifiers::TakeCacheHints() {
  for (const char* name : {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"}) {
    Take(name);
  }
  while (!TakePrefix("L1::").empty()) {
  }
  while (!TakePrefix("L2::").empty()) {
  }
  Take("unified");
}

bool DecodeContext::Fail(const std::string& message) {
  if (error_.empty()) {
    error_ = "line " + std::to_string(source_ != nullptr ? source_->line : 0) +
             ": " + message;
    if (source_ != nullptr) error_ += " in '" + source_->opcode + "'";
  }
  return false;
}

bool DecodeContext::Operands(size_t least, size_t most) {
  if (OperandCount() >= least && OperandCount() <= most) return true;
  return Fail("wrong number of operands");
}

int DecodeContext::ConstantSlotFor(ConstantSlot::Kind kind, uint64_t value) {
  auto key = std::make_pair(static_cast<int>(kind), value);
  auto it = constant_slots_.find(key);
  if (it != constant_slots_.end()) return it->second;
  ConstantSlot constant;
  constant.kind = kind;
  constant.value = value;
  constant.slot = program_->slots++;
  program_->constants.push_back(constant);
  constant_slots_[key] = constant.slot;
  return constant.slot;
}

bool DecodeContext::IsPredicate(const ptx::Operand& operand) const {
  return operand.kind == ptx::Operand::Kind::kRegister &&
         frame_->function->registers[operand.id].type == "pred";
}

namespace {

// A literal's bits in an operand of `type` (PTX ISA 4.5).
uint64_t LiteralBits(const ptx::Operand& operand, Type type) {
  uint64_t bits = static_cast<uint64_t>(operand.imm);
  if (operand.literal == ptx::Operand::Literal::kInteger) {
    if (type == Type::kF32) {
      return Bits(static_cast<float>(static_cast<int64_t>(bits)));
    }
    if (type == Type::kF64) {
      return Bits(static_cast<double>(static_cast<int64_t>(bits)));
    }
    switch (TypeBytes(type)) {
      case 1:
        return bits & 0xFF;
      case 2:
        return bits & 0xFFFF;
      case 4:
        return bits & 0xFFFFFFFF;
      default:
        return bits;
    }
  }
  double value = operand.literal == ptx::Operand::Literal::kFloat64
                     ? Value<double>(bits)
                     : static_cast<double>(Value<float>(bits));
  if (operand.literal == ptx::Operand::Literal::kFloat32 &&
      TypeBytes(type) <= 4 && type != Type::kF16 && type != Type::kBf16) {
    return bits;
  }
  switch (type) {
    case Type::kF64:
      return Bits(value);
    case Type::kF16:
      return Encode(Format::kF16, value, EncodeOptions{});
    case Type::kBf16:
      return Encode(Format::kBf16, value, EncodeOptions{});
    case Type::kF32:
    case Type::kB32:
      return Bits(static_cast<float>(value));
    default:
      return bits;
  }
}

}  // namespace

bool DecodeContext::SymbolValue(const std::string& name, int64_t addend,
                                int32_t* slot) {
  auto it = symbols_.find(name);
  if (it != symbols_.end()) {
    *slot = ConstantSlotFor(ConstantSlot::Kind::kValue,
                            it->second + static_cast<uint64_t>(addend));
    return true;
  }
  auto shared = shared_symbols_.find(name);
  if (shared != shared_symbols_.end()) {
    *slot = ConstantSlotFor(ConstantSlot::Kind::kSharedAddress,
                            shared->second + static_cast<uint64_t>(addend));
    return true;
  }
  return Fail("unknown symbol '" + name + "'");
}

bool DecodeContext::SourceOf(const ptx::Operand& operand, Type type,
                             int32_t* slot) {
  switch (operand.kind) {
    case ptx::Operand::Kind::kRegister:
      if (IsPredicate(operand)) return Fail("unexpected predicate operand");
      *slot = frame_->register_slots[operand.id];
      reads_.push_back(*slot);
      return true;
    case ptx::Operand::Kind::kImmediate:
      *slot = ConstantSlotFor(ConstantSlot::Kind::kValue,
                              LiteralBits(operand, type));
      return true;
    case ptx::Operand::Kind::kSpecial: {
      SpecialRegister reg;
      if (!FindSpecialRegister(operand.name, &reg)) {
        return Fail("unknown register '" + operand.name + "'");
      }
      if (IsTimer(reg)) return Fail("timers can only be read by mov");
      *slot = ConstantSlotFor(ConstantSlot::Kind::kSpecial,
                              static_cast<uint64_t>(reg));
      return true;
    }
    case ptx::Operand::Kind::kVariable: {
      const ptx::Variable& variable = frame_->function->variables[operand.id];
      uint64_t address = frame_->variable_addresses[operand.id] +
                         static_cast<uint64_t>(operand.imm);
      *slot = ConstantSlotFor(variable.space == ptx::Space::kShared
                                  ? ConstantSlot::Kind::kSharedAddress
                                  : ConstantSlot::Kind::kValue,
                              address);
      return true;
    }
    case ptx::Operand::Kind::kSymbol:
      return SymbolValue(operand.name, operand.imm, slot);
    default:
      return Fail("unexpected kind of operand");
  }
}

bool DecodeContext::Source(size_t i, Type type, int32_t* slot) {
  if (i >= OperandCount()) return Fail("missing operand");
  return SourceOf(Operand(i), type, slot);
}

bool DecodeContext::DestOf(const ptx::Operand& operand, int32_t* slot) {
  if (operand.kind == ptx::Operand::Kind::kSink) {
    *slot = 0;
    return true;
  }
  if (operand.kind != ptx::Operand::Kind::kRegister || IsPredicate(operand)) {
    return Fail("the destination must be a register");
  }
  *slot = frame_->register_slots[operand.id];
  return true;
}

bool DecodeContext::Dest(size_t i, int32_t* slot) {
  if (i >= OperandCount()) return Fail("missing operand");
  return DestOf(Operand(i), slot);
}

bool DecodeContext::PredSourceOf(const ptx::Operand& operand, int32_t* slot,
                                 bool* negated) {
  if (!IsPredicate(operand)) return Fail("expected a predicate");
  *slot = frame_->register_slots[operand.id];
  *negated = operand.negated;
  return true;
}

bool DecodeContext::PredSource(size_t i, int32_t* slot, bool* negated) {
  if (i >= OperandCount()) return Fail("missing operand");
  return PredSourceOf(Operand(i), slot, negated);
}

bool DecodeContext::PredDestOf(const ptx::Operand& operand, int32_t* slot) {
  if (operand.kind == ptx::Operand::Kind::kSink) {
    *slot = 0;
    return true;
  }
  if (!IsPredicate(operand)) return Fail("expected a predicate");
  *slot = frame_->register_slots[operand.id];
  return true;
}

bool DecodeContext::PredDest(size_t i, int32_t* slot) {
  if (i >= OperandCount()) return Fail("missing operand");
  return PredDestOf(Operand(i), slot);
}

bool DecodeContext::ImmediateOf(const ptx::Operand& operand, int64_t* value) {
  if (operand.kind != ptx::Operand::Kind::kImmediate ||
      operand.literal != ptx::Operand::Literal::kInteger) {
    return Fail("expected an integer literal");
  }
  *value = operand.imm;
  return true;
}

bool DecodeContext::Immediate(size_t i, int64_t* value) {
  if (i >= OperandCount()) return Fail("missing operand");
  return ImmediateOf(Operand(i), value);
}

bool DecodeContext::AddressOf(const ptx::Operand& operand, int32_t* slot,
                              int64_t* offset) {
  if (operand.kind != ptx::Operand::Kind::kAddress ||
      operand.elements.empty()) {
    return Fail("expected an address");
  }
  *offset = operand.imm;
  return SourceOf(operand.elements[0], Type::kB64, slot);
}

bool DecodeContext::Address(size_t i, int32_t* slot, int64_t* offset) {
  if (i >= OperandCount()) return Fail("missing operand");
  return AddressOf(Operand(i), slot, offset);
}

bool DecodeContext::SourceSlots(const ptx::Operand& operand, Type type,
                                std::vector<int32_t>* slots) {
  if (operand.kind == ptx::Operand::Kind::kVector) {
    for (const ptx::Operand& element : operand.elements) {
      int32_t slot;
      if (element.kind == ptx::Operand::Kind::kSink) {
        slot = 0;
      } else if (!SourceOf(element, type, &slot)) {
        return false;
      }
      slots->push_back(slot);
    }
    return true;
  }
  int32_t slot;
  if (!SourceOf(operand, type, &slot)) return false;
  slots->push_back(slot);
  return true;
}

uint32_t DecodeContext::AppendList(const std::vector<int32_t>& slots) {
  uint32_t first = static_cast<uint32_t>(program_->lists.size());
  program_->lists.insert(program_->lists.end(), slots.begin(), slots.end());
  return first;
}

bool DecodeContext::SourceList(const ptx::Operand& operand, Type type,
                               Inst* inst) {
  std::vector<int32_t> slots;
  if (!SourceSlots(operand, type, &slots)) return false;
  inst->list = AppendList(slots);
  inst->list_size = static_cast<uint32_t>(slots.size());
  return true;
}

bool DecodeContext::DestList(const ptx::Operand& operand, Inst* inst) {
  std::vector<int32_t> slots;
  if (operand.kind == ptx::Operand::Kind::kVector) {
    for (const ptx::Operand& element : operand.elements) {
      slots.push_back(0);
      if (!DestOf(element, &slots.back())) return false;
    }
  } else {
    slots.push_back(0);
    if (!DestOf(operand, &slots.back())) return false;
  }
  inst->list = AppendList(slots);
  inst->list_size = static_cast<uint32_t>(slots.size());
  return true;
}

bool DecodeContext::Label(size_t i, int64_t* pc) {
  if (i >= OperandCount() || Operand(i).kind != ptx::Operand::Kind::kLabel) {
    return Fail("expected a label");
  }
  *pc = frame_->first_pc + static_cast<uint32_t>(Operand(i).id);
  return true;
}

}  // namespace tiletune::emulator
