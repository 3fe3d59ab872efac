#include "testing/emulator/ptx/parser.h"

#include <cctype>

#include "testing/emulator/ptx/parser_internal.h"

namespace tiletune::emulator::ptx {
namespace {

// Bounds that no real kernel reaches, so that hostile text cannot exhaust
// memory.
constexpr size_t kMaxScopes = 256;

}  // namespace

bool ModuleParser::Fail(const std::string& message) {
  if (error_.empty()) {
    error_ = "line " + std::to_string(lexer_.line()) + ": " + message;
  }
  return false;
}

bool ModuleParser::Expect(char c) {
  if (lexer_.Accept(c)) return true;
  return Fail(std::string("expected '") + c + "'");
}

bool ModuleParser::Run() {
  while (!lexer_.AtEnd()) {
    if (!TopLevel()) return false;
  }
  if (module_->version.empty()) return Fail("no .version directive");
  return true;
}

bool ModuleParser::TopLevel() {
  if (lexer_.Accept(';')) return true;
  if (lexer_.Peek() == '@') {  // @@DWARF sections
    lexer_.SkipLine();
    return true;
  }
  std::string word = lexer_.Word();
  if (word == ".version") {
    uint64_t bits;
    size_t begin = lexer_.position();
    if (lexer_.Number(&bits) == Lexer::NumberKind::kNone) {
      return Fail("bad .version");
    }
    module_->version = lexer_.Text(begin);
    return true;
  }
  if (word == ".target") {
    do {
      module_->targets.push_back(lexer_.Word());
      if (module_->targets.back().empty()) return Fail("bad .target");
    } while (lexer_.Accept(','));
    return true;
  }
  if (word == ".address_size") {
    uint64_t bits;
    if (lexer_.Number(&bits) == Lexer::NumberKind::kNone || bits != 64) {
      return Fail("only .address_size 64 is supported");
    }
    return true;
  }
  if (word == ".file" || word == ".loc") {
    lexer_.SkipLine();
    return true;
  }
  if (word == ".pragma") {
    lexer_.SkipPast(';');
    return true;
  }
  if (word == ".section") {
    lexer_.SkipPast('{');
    lexer_.SkipPast('}');
    return true;
  }
  bool is_extern = false;
  while (word == ".visible" || word == ".extern" || word == ".weak" ||
         word == ".common" || word == ".hidden") {
    is_extern |= word == ".extern";
    word = lexer_.Word();
  }
  if (word == ".entry") return FunctionOrEntry(true, is_extern);
  if (word == ".func") return FunctionOrEntry(false, is_extern);
  if (word == ".global") {
    return VariableDeclaration(Space::kGlobal, is_extern, &module_->variables);
  }
  if (word == ".const") {
    return VariableDeclaration(Space::kConst, is_extern, &module_->variables);
  }
  if (word == ".shared") {
    return VariableDeclaration(Space::kShared, is_extern, &module_->variables);
  }
  return Fail("unexpected '" +
              (word.empty() ? std::string(1, lexer_.Peek()) : word) +
              "' at module level");
}

bool ModuleParser::FunctionOrEntry(bool is_entry, bool is_extern) {
  module_->functions.emplace_back();
  function_ = &module_->functions.back();
  function_->is_entry = is_entry;
  function_->line = lexer_.line();
  scopes_.clear();
  unresolved_.clear();
  OpenScope();
  if (lexer_.Accept('(') && !ParameterList(&function_->returns)) return false;
  function_->name = lexer_.Word();
  if (function_->name.empty()) return Fail("expected a function name");
  if (lexer_.Accept('(') && !ParameterList(&function_->parameters)) {
    return false;
  }
  for (const std::vector<Variable>* list :
       {&function_->parameters, &function_->returns}) {
    for (const Variable& variable : *list) {
      Declare(variable.name, {Symbol::Kind::kVariable,
                              static_cast<int>(function_->variables.size())});
      function_->variables.push_back(variable);
    }
  }
  if (!FunctionDirectives()) return false;
  if (is_extern || lexer_.Accept(';')) {
    lexer_.Accept(';');
    function_->is_declaration = true;
    function_ = nullptr;
    return true;
  }
  if (!Expect('{') || !Body()) return false;
  function_ = nullptr;
  return true;
}

bool ModuleParser::ParameterList(std::vector<Variable>* parameters) {
  if (lexer_.Accept(')')) return true;
  do {
    if (lexer_.AcceptWord(".reg")) {
      return Fail("parameters in registers are not supported");
    }
    if (!lexer_.AcceptWord(".param")) return Fail("expected .param");
    Variable variable;
    uint64_t alignment = 1;
    std::string type;
    bool pointer = false;
    while (true) {
      std::string word = lexer_.Word();
      if (word == ".align") {
        if (!UnsignedValue(&alignment)) return false;
        if (!pointer) variable.alignment = alignment;
      } else if (word == ".ptr") {
        pointer = true;  // the .align that follows is the pointee's
      } else if (word == ".global" || word == ".shared" || word == ".const" ||
                 word == ".local") {
        continue;
      } else if (word.size() > 1 && word[0] == '.') {
        type = word.substr(1);
      } else {
        variable.name = word;
        break;
      }
    }
    int bytes = TypeBytes(type);
    if (bytes == 0) return Fail("unknown parameter type '" + type + "'");
    if (variable.name.empty()) return Fail("expected a parameter name");
    variable.space = Space::kParam;
    variable.line = lexer_.line();
    variable.bytes = bytes;
    while (lexer_.Accept('[')) {
      uint64_t count = 0;
      if (lexer_.Peek() != ']' && !UnsignedValue(&count)) return false;
      if (count > 65536) return Fail("parameter too large");
      variable.bytes = bytes * count;
      if (!Expect(']')) return false;
    }
    if (variable.alignment < static_cast<uint64_t>(bytes)) {
      variable.alignment = bytes;
    }
    parameters->push_back(variable);
  } while (lexer_.Accept(','));
  return Expect(')');
}

bool ModuleParser::FunctionDirectives() {
  while (lexer_.Peek() == '.') {
    std::string word = lexer_.Word();
    if (word == ".noreturn" || word == ".explicitcluster" ||
        word == ".blocksareclusters") {
      continue;
    }
    if (word == ".pragma") {
      lexer_.SkipPast(';');
      continue;
    }
    if (word == ".attribute" || word == ".abi_preserve" ||
        word == ".abi_preserve_control") {
      if (word == ".attribute") {
        lexer_.SkipPast(')');
      } else {
        uint64_t ignored;
        if (!UnsignedValue(&ignored)) return false;
      }
      continue;
    }
    uint64_t values[3] = {1, 1, 1};
    int count = 0;
    do {
      if (count == 3) return Fail("too many values after " + word);
      if (!UnsignedValue(&values[count++])) return false;
    } while (lexer_.Accept(','));
    if (word == ".maxntid") {
      function_->max_threads =
          static_cast<uint32_t>(values[0] * values[1] * values[2]);
    } else if (word == ".reqntid") {
      for (int i = 0; i < 3; ++i) {
        function_->required_block[i] = static_cast<uint32_t>(values[i]);
      }
    } else if (word == ".reqnctapercluster") {
      for (int i = 0; i < 3; ++i) {
        function_->required_cluster[i] = static_cast<uint32_t>(values[i]);
      }
    } else if (word != ".minnctapersm" && word != ".maxnreg" &&
               word != ".maxclusterrank" && word != ".maxnctapersm") {
      return Fail("unknown function directive '" + word + "'");
    }
  }
  return true;
}

void ModuleParser::OpenScope() {
  scopes_.emplace_back();
  scopes_.back().first_unresolved = unresolved_.size();
}

void ModuleParser::CloseScope() {
  Scope& scope = scopes_.back();
  size_t kept = scope.first_unresolved;
  for (size_t i = scope.first_unresolved; i < unresolved_.size(); ++i) {
    Use use = unresolved_[i];
    Operand& operand =
        function_->instructions[use.instruction].operands[use.operand];
    auto it = scope.symbols.find(operand.name);
    if (it != scope.symbols.end() && it->second.kind == Symbol::Kind::kLabel) {
      operand.kind = Operand::Kind::kLabel;
      operand.id = it->second.id;
    } else {
      unresolved_[kept++] = use;
    }
  }
  unresolved_.resize(kept);
  scopes_.pop_back();
}

const ModuleParser::Symbol* ModuleParser::Find(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto it = scopes_[i].symbols.find(name);
    if (it != scopes_[i].symbols.end()) return &it->second;
  }
  return nullptr;
}

bool ModuleParser::Declare(const std::string& name, Symbol symbol) {
  if (!scopes_.back().symbols.emplace(name, symbol).second) {
    return Fail("'" + name + "' is declared twice");
  }
  return true;
}

bool ModuleParser::Body() {
  OpenScope();
  while (scopes_.size() > 1) {
    if (lexer_.AtEnd()) return Fail("unexpected end inside a function");
    if (!Statement()) return false;
  }
  CloseScope();  // the scope of the parameters
  return true;
}

bool ModuleParser::Statement() {
  if (lexer_.Accept(';')) return true;
  if (lexer_.Accept('{')) {
    if (scopes_.size() > kMaxScopes) return Fail("scopes nested too deeply");
    OpenScope();
    return true;
  }
  if (lexer_.Accept('}')) {
    CloseScope();
    return true;
  }
  if (lexer_.Peek() != '.') return InstructionStatement();
  std::string word = lexer_.Word();
  if (word == ".reg") return RegisterDeclaration();
  Space space = Space::kRegister;
  if (word == ".shared") space = Space::kShared;
  if (word == ".local") space = Space::kLocal;
  if (word == ".param") space = Space::kParam;
  if (word == ".global") space = Space::kGlobal;
  if (word == ".const") space = Space::kConst;
  if (space != Space::kRegister) {
    size_t first = function_->variables.size();
    if (!VariableDeclaration(space, false, &function_->variables)) return false;
    for (size_t i = first; i < function_->variables.size(); ++i) {
      if (!Declare(function_->variables[i].name,
                   {Symbol::Kind::kVariable, static_cast<int>(i)})) {
        return false;
      }
    }
    return true;
  }
  if (word == ".loc" || word == ".file") {
    lexer_.SkipLine();
    return true;
  }
  if (word == ".pragma") {
    lexer_.SkipPast(';');
    return true;
  }
  return Fail("unknown directive '" + word + "' in a function");
}

bool ModuleParser::LabelStatement(const std::string& name) {
  int target = static_cast<int>(function_->instructions.size());
  if (!Declare(name, {Symbol::Kind::kLabel, target})) return false;
  if (lexer_.AcceptWord(".callprototype")) {
    lexer_.SkipPast(';');
  } else if (lexer_.AcceptWord(".branchtargets")) {
    // Kept as an instruction that does nothing, so that brx.idx can find it.
    Instruction table;
    table.opcode = ".branchtargets";
    table.line = lexer_.line();
    do {
      Operand operand;
      operand.kind = Operand::Kind::kSymbol;
      operand.name = lexer_.Word();
      unresolved_.push_back({target, static_cast<int>(table.operands.size())});
      table.operands.push_back(operand);
    } while (lexer_.Accept(','));
    function_->instructions.push_back(table);
    return Expect(';');
  }
  return true;
}

bool ModuleParser::InstructionStatement() {
  Instruction instruction;
  instruction.line = lexer_.line();
  if (lexer_.Accept('@')) {
    instruction.guard_negated = lexer_.Accept('!');
    std::string name = lexer_.Word();
    const Symbol* symbol = Find(name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::kRegister) {
      return Fail("unknown guard predicate '" + name + "'");
    }
    instruction.guard = symbol->id;
    instruction.opcode = lexer_.Opcode();
  } else {
    instruction.opcode = lexer_.Opcode();
    if (lexer_.Peek() == ':') {
      lexer_.Accept(':');
      return LabelStatement(instruction.opcode);
    }
  }
  // Modifiers may stand apart: no operand begins with a dot.
  while (lexer_.Peek() == '.') instruction.opcode += lexer_.Opcode();
  if (instruction.opcode.empty()) {
    return Fail(std::string("unexpected '") + lexer_.Peek() + "'");
  }
  if (lexer_.Peek() != ';' && !OperandsUntil(';', &instruction.operands, 0)) {
    return false;
  }
  if (!Expect(';')) return false;
  int index = static_cast<int>(function_->instructions.size());
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    if (instruction.operands[i].kind == Operand::Kind::kSymbol) {
      unresolved_.push_back({index, static_cast<int>(i)});
    }
  }
  function_->instructions.push_back(std::move(instruction));
  return true;
}

absl::StatusOr<Module> Parse(std::string_view text) {
  Module module;
  ModuleParser parser(text, &module);
  if (!parser.Run()) return absl::InvalidArgumentError(parser.error());
  return module;
}

const Function* FindFunction(const Module& module, const std::string& name) {
  const Function* found = nullptr;
  for (const Function& function : module.functions) {
    if (function.name != name) continue;
    if (found == nullptr || !function.is_declaration) found = &function;
  }
  return found;
}

}  // namespace tiletune::emulator::ptx
