// Operands of instructions (PTX ISA chapter 6).
#include <cctype>

#include "testing/emulator/ptx/parser_internal.h"

namespace tiletune::emulator::ptx {
namespace {

constexpr int kMaxDepth = 4;
constexpr size_t kMaxElements = 1024;

}  // namespace

bool ModuleParser::OperandsUntil(char close, std::vector<Operand>* operands,
                                 int depth) {
  if (lexer_.Peek() == close) return true;
  do {
    if (operands->size() > kMaxElements) return Fail("too many operands");
    operands->emplace_back();
    if (!ParseOperand(&operands->back(), depth)) return false;
  } while (lexer_.Accept(','));
  return true;
}

bool ModuleParser::ParseOperand(Operand* operand, int depth) {
  if (depth > kMaxDepth) return Fail("operands nested too deeply");
  if (lexer_.Accept('{')) {
    operand->kind = Operand::Kind::kVector;
    return OperandsUntil('}', &operand->elements, depth + 1) && Expect('}');
  }
  if (lexer_.Accept('(')) {
    operand->kind = Operand::Kind::kList;
    return OperandsUntil(')', &operand->elements, depth + 1) && Expect(')');
  }
  if (lexer_.Accept('[')) return AddressOperand(operand, depth);
  operand->negated = lexer_.Accept('!');
  char next = lexer_.Peek();
  if (next == '-' || next == '+' ||
      std::isdigit(static_cast<unsigned char>(next))) {
    return ImmediateOperand(operand);
  }
  if (!NamedOperand(operand)) return false;
  if (lexer_.Accept('|')) {
    Operand first = *operand;
    Operand second;
    if (!ParseOperand(&second, depth + 1)) return false;
    *operand = Operand();
    operand->kind = Operand::Kind::kPair;
    operand->elements = {first, second};
  }
  return true;
}

bool ModuleParser::ImmediateOperand(Operand* operand) {
  bool negative = lexer_.Accept('-');
  if (!negative) lexer_.Accept('+');
  uint64_t bits = 0;
  Lexer::NumberKind kind = lexer_.Number(&bits);
  operand->kind = Operand::Kind::kImmediate;
  switch (kind) {
    case Lexer::NumberKind::kNone:
      return Fail("bad number");
    case Lexer::NumberKind::kInteger:
      if (negative) bits = -bits;
      break;
    case Lexer::NumberKind::kFloat32:
      operand->literal = Operand::Literal::kFloat32;
      if (negative) bits ^= uint64_t{1} << 31;
      break;
    case Lexer::NumberKind::kFloat64:
      operand->literal = Operand::Literal::kFloat64;
      if (negative) bits ^= uint64_t{1} << 63;
      break;
  }
  operand->imm = static_cast<int64_t>(bits);
  return true;
}

bool ModuleParser::NamedOperand(Operand* operand) {
  std::string name = lexer_.Word();
  if (name.empty() || name[0] == '.') {
    return Fail(std::string("unexpected '") + lexer_.Peek() +
                "' in an operand");
  }
  if (name == "_") {
    operand->kind = Operand::Kind::kSink;
    return true;
  }
  const Symbol* symbol = Find(name);
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kRegister) {
    operand->kind = Operand::Kind::kRegister;
    operand->id = symbol->id;
    return true;
  }
  if (symbol != nullptr && symbol->kind == Symbol::Kind::kVariable) {
    operand->kind = Operand::Kind::kVariable;
    operand->id = symbol->id;
  } else if (name[0] == '%') {
    operand->kind = Operand::Kind::kSpecial;
    operand->name = name;
    if (lexer_.Peek() == '.') operand->name += lexer_.Word();
    return true;
  } else if (name == "WARP_SZ") {
    operand->kind = Operand::Kind::kImmediate;
    operand->imm = 32;
    return true;
  } else {
    operand->kind = Operand::Kind::kSymbol;
    operand->name = name;
  }
  if (lexer_.Peek() == '+' || lexer_.Peek() == '-') {
    Operand addend;
    if (!ImmediateOperand(&addend)) return false;
    operand->imm = addend.imm;
  }
  return true;
}

bool ModuleParser::AddressOperand(Operand* operand, int depth) {
  operand->kind = Operand::Kind::kAddress;
  Operand base;
  if (!ParseOperand(&base, depth + 1)) return false;
  if (base.kind == Operand::Kind::kAddress ||
      base.kind == Operand::Kind::kVector ||
      base.kind == Operand::Kind::kList) {
    return Fail("bad address");
  }
  operand->imm = base.kind == Operand::Kind::kImmediate ? 0 : base.imm;
  if (base.kind != Operand::Kind::kImmediate) base.imm = 0;
  operand->elements.push_back(base);
  if (lexer_.Peek() == '+' || lexer_.Peek() == '-') {
    lexer_.Accept('+');
    Operand offset;
    if (!ImmediateOperand(&offset)) return false;
    operand->imm += offset.imm;
  }
  while (lexer_.Accept(',')) {
    operand->elements.emplace_back();
    if (!ParseOperand(&operand->elements.back(), depth + 1)) return false;
  }
  return Expect(']');
}

}  // namespace tiletune::emulator::ptx
