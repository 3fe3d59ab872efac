// Declarations: .reg, variables and their initialisers (PTX ISA 5.4).
#include <cctype>

#include "testing/emulator/ptx/parser_internal.h"

namespace tiletune::emulator::ptx {
namespace {

// Far above what a GPU has; keeps hostile text from exhausting memory.
constexpr uint64_t kMaxVariableBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxRegisters = uint64_t{1} << 20;

}  // namespace

bool ModuleParser::UnsignedValue(uint64_t* value) {
  if (lexer_.Number(value) != Lexer::NumberKind::kInteger) {
    return Fail("expected an integer");
  }
  return true;
}

bool ModuleParser::RegisterDeclaration() {
  std::string type = lexer_.Word();
  if (type == ".v2" || type == ".v4") {
    return Fail("vector registers are not supported");
  }
  if (type.empty() || type[0] != '.') return Fail("expected a register type");
  type = type.substr(1);
  if (type != "pred" && TypeBytes(type) == 0) {
    return Fail("unknown register type '" + type + "'");
  }
  do {
    std::string name = lexer_.Word();
    if (name.empty()) return Fail("expected a register name");
    uint64_t count = 0;
    bool range = lexer_.Accept('<');
    if (range && (!UnsignedValue(&count) || !Expect('>'))) return false;
    if (count > kMaxRegisters ||
        function_->registers.size() + count > kMaxRegisters) {
      return Fail("too many registers");
    }
    for (uint64_t i = 0; i < (range ? count : 1); ++i) {
      std::string full = range ? name + std::to_string(i) : name;
      if (!Declare(full, {Symbol::Kind::kRegister,
                          static_cast<int>(function_->registers.size())})) {
        return false;
      }
      function_->registers.push_back({full, type});
    }
  } while (lexer_.Accept(','));
  return Expect(';');
}

bool ModuleParser::VariableDeclaration(Space space, bool is_extern,
                                       std::vector<Variable>* out) {
  uint64_t alignment = 0;
  int vector = 1;
  std::string word = lexer_.Word();
  std::string type;
  while (!word.empty() && word[0] == '.') {
    if (word == ".align") {
      if (!UnsignedValue(&alignment)) return false;
      if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
          alignment > 65536) {
        return Fail("bad alignment");
      }
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      vector = word[2] - '0';
    } else if (word == ".attribute") {
      lexer_.SkipPast(')');
    } else {
      type = word.substr(1);
    }
    word = lexer_.Word();
  }
  while (true) {
    Variable variable;
    variable.name = word;
    if (word.empty()) return Fail("expected a variable name");
    if (!OneVariable(space, is_extern, alignment, type, vector, &variable)) {
      return false;
    }
    out->push_back(std::move(variable));
    if (!lexer_.Accept(',')) break;
    word = lexer_.Word();
  }
  return Expect(';');
}

bool ModuleParser::OneVariable(Space space, bool is_extern, uint64_t alignment,
                               const std::string& type, int vector,
                               Variable* variable) {
  int element_bytes = TypeBytes(type);
  if (element_bytes == 0) return Fail("unknown variable type '" + type + "'");
  variable->space = space;
  variable->is_extern = is_extern;
  variable->line = lexer_.line();
  variable->alignment = alignment != 0
                            ? alignment
                            : static_cast<uint64_t>(element_bytes) * vector;
  uint64_t count = 1;
  bool open = false;
  while (lexer_.Accept('[')) {
    uint64_t extent = 0;
    if (lexer_.Peek() == ']') {
      open = true;
      extent = 1;
    } else if (!UnsignedValue(&extent)) {
      return false;
    }
    if (extent > kMaxVariableBytes) return Fail("variable too large");
    count *= extent;
    if (count > kMaxVariableBytes) return Fail("variable too large");
    if (!Expect(']')) return false;
  }
  variable->bytes = count * element_bytes * vector;
  if (variable->bytes > kMaxVariableBytes) return Fail("variable too large");
  if (open) variable->bytes = 0;
  if (lexer_.Accept('=')) {
    if (!Initializer(variable, element_bytes)) return false;
    if (open) variable->bytes = variable->initial.size();
    if (variable->initial.size() > variable->bytes) {
      return Fail("initialiser longer than the variable");
    }
    variable->initial.resize(variable->bytes);
  }
  return true;
}

bool ModuleParser::Initializer(Variable* variable, int element_bytes) {
  uint64_t offset = 0;
  return InitializerElement(variable, element_bytes, &offset, 0);
}

bool ModuleParser::InitializerElement(Variable* variable, int element_bytes,
                                      uint64_t* offset, int depth) {
  if (depth > 8) return Fail("initialiser nested too deeply");
  if (lexer_.Accept('{')) {
    if (lexer_.Accept('}')) return true;
    do {
      if (!InitializerElement(variable, element_bytes, offset, depth + 1)) {
        return false;
      }
    } while (lexer_.Accept(','));
    return Expect('}');
  }
  if (variable->initial.size() + element_bytes > kMaxVariableBytes) {
    return Fail("initialiser too long");
  }
  bool negative = lexer_.Accept('-');
  uint64_t bits = 0;
  std::string symbol;
  Relocation relocation;
  relocation.offset = *offset;
  relocation.bytes = element_bytes;
  Lexer::NumberKind kind = lexer_.Number(&bits);
  if (kind == Lexer::NumberKind::kNone) {
    symbol = lexer_.Word();
    if (symbol == "generic" && lexer_.Accept('(')) {
      relocation.generic = true;
      symbol = lexer_.Word();
      if (!Expect(')')) return false;
    }
    if (symbol.empty()) return Fail("bad initialiser");
    if (lexer_.Accept('+')) {
      uint64_t addend = 0;
      if (!UnsignedValue(&addend)) return false;
      relocation.addend = static_cast<int64_t>(addend);
    }
    relocation.symbol = symbol;
    variable->relocations.push_back(relocation);
  } else if (lexer_.Peek() == '(') {
    return Fail("byte-masked initialisers are not supported");
  }
  if (negative) {
    if (kind == Lexer::NumberKind::kInteger) bits = -bits;
    if (kind == Lexer::NumberKind::kFloat32) bits ^= uint64_t{1} << 31;
    if (kind == Lexer::NumberKind::kFloat64) bits ^= uint64_t{1} << 63;
  }
  for (int i = 0; i < element_bytes; ++i) {
    variable->initial.push_back(i < 8 ? static_cast<uint8_t>(bits >> (8 * i))
                                      : 0);
  }
  *offset += element_bytes;
  return true;
}

}  // namespace tiletune::emulator::ptx
