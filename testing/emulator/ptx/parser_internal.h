// The recursive-descent parser behind ptx::Parse, split over parser.cc
// (module and functions), parse_declaration.cc and parse_operand.cc. Private
// to this folder.
//
//   ModuleParser parser(text, &module);
//   if (!parser.Run()) return absl::InvalidArgumentError(parser.error());
//   return module;
#ifndef TILETUNE_TESTING_EMULATOR_PTX_PARSER_INTERNAL_H_
#define TILETUNE_TESTING_EMULATOR_PTX_PARSER_INTERNAL_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "testing/emulator/ptx/lexer.h"
#include "testing/emulator/ptx/module.h"

namespace tiletune::emulator::ptx {

class ModuleParser {
 public:
  ModuleParser(std::string_view text, Module* module)
      : lexer_(text), module_(module) {}

  bool Run();
  const std::string& error() const { return error_; }

 private:
  // What a name means inside a function.
  struct Symbol {
    enum class Kind { kRegister, kVariable, kLabel } kind;
    int id;
  };
  // One brace level. Labels may be used before they are defined, so names
  // that resolve to nothing yet stay in unresolved_ until a scope that defines
  // the label closes.
  struct Scope {
    std::unordered_map<std::string, Symbol> symbols;
    size_t first_unresolved = 0;
  };
  struct Use {
    int instruction;
    int operand;
  };

  // Fails with "line N: message"; always returns false.
  bool Fail(const std::string& message);
  bool Expect(char c);

  // parser.cc
  bool TopLevel();
  bool FunctionOrEntry(bool is_entry, bool is_extern);
  bool ParameterList(std::vector<Variable>* parameters);
  bool FunctionDirectives();
  bool Body();
  bool Statement();
  bool LabelStatement(const std::string& name);
  bool InstructionStatement();
  void OpenScope();
  void CloseScope();
  const Symbol* Find(const std::string& name) const;
  bool Declare(const std::string& name, Symbol symbol);

  // parse_declaration.cc
  bool RegisterDeclaration();
  // Everything after the space directive; may declare several variables.
  bool VariableDeclaration(Space space, bool is_extern,
                           std::vector<Variable>* out);
  bool OneVariable(Space space, bool is_extern, uint64_t alignment,
                   const std::string& type, int vector, Variable* variable);
  bool Initializer(Variable* variable, int element_bytes);
  bool InitializerElement(Variable* variable, int element_bytes,
                          uint64_t* offset, int depth);
  bool UnsignedValue(uint64_t* value);

  // parse_operand.cc
  bool ParseOperand(Operand* operand, int depth);
  bool AddressOperand(Operand* operand, int depth);
  bool NamedOperand(Operand* operand);
  bool ImmediateOperand(Operand* operand);
  bool OperandsUntil(char close, std::vector<Operand>* operands, int depth);

  Lexer lexer_;
  Module* module_;
  std::string error_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::vector<Use> unresolved_;
};

}  // namespace tiletune::emulator::ptx

#endif  // TILETUNE_TESTING_EMULATOR_PTX_PARSER_INTERNAL_H_
