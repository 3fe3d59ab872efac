// The syntax tree of one PTX module: what the parser produces and the decoder
// reads. Names are already resolved to registers, variables, labels or special
// registers, so the scopes of the text are gone.
//
// Use it when you need the PTX itself (a decoder, a mutation tool, a counter
// of instructions); to run PTX use testing/emulator/device.h.
//
//   absl::StatusOr<ptx::Module> module = ptx::Parse(text);
//   if (!module.ok()) return module.status();
//   for (const ptx::Function& function : module->functions)
//     for (const ptx::Instruction& i : function.instructions)
//       std::cout << i.line << " " << i.opcode << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_PTX_MODULE_H_
#define TILETUNE_TESTING_EMULATOR_PTX_MODULE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tiletune::emulator::ptx {

// State spaces of PTX ISA 5.1 in which a variable can be declared.
enum class Space { kRegister, kGlobal, kConst, kShared, kLocal, kParam };

// One operand, after name resolution.
struct Operand {
  enum class Kind {
    kRegister,   // id: index into Function::registers
    kImmediate,  // imm: the bits (see literal)
    kSymbol,     // name: a module variable or function; imm: addend
    kVariable,   // id: index into Function::variables; imm: addend
    kSpecial,    // name: "%tid.x"
    kLabel,      // id: instruction index
    kSink,       // "_"
    kVector,     // {a, b, ...}: elements
    kAddress,    // [base + imm {, extra}]: elements[0] base, others extras
    kPair,       // a|b: elements
    kList,       // (a, b) of a call: elements
  };
  // How an immediate was written; PTX ISA 4.5.
  enum class Literal { kInteger, kFloat32, kFloat64 };

  Kind kind = Kind::kSink;
  Literal literal = Literal::kInteger;
  bool negated = false;  // "!p"
  int id = -1;
  int64_t imm = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;  // with all modifiers, "ld.shared.v4.b32"
  int line = 0;        // 1-based line of the PTX text
  int guard = -1;      // register index of "@p", or -1
  bool guard_negated = false;
  std::vector<Operand> operands;
};

struct Register {
  std::string name;
  std::string type;  // "b32", "pred", ...
};

// A pointer inside an initialiser, filled in when addresses are known.
struct Relocation {
  uint64_t offset = 0;
  std::string symbol;
  int64_t addend = 0;
  int bytes = 8;
  bool generic = false;
};

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint64_t bytes = 0;  // 0 for an extern array of unknown extent
  uint64_t alignment = 1;
  bool is_extern = false;
  int line = 0;
  std::vector<uint8_t> initial;  // empty: zero-initialised or uninitialised
  std::vector<Relocation> relocations;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  // no body: extern or forward
  int line = 0;
  std::vector<Variable> parameters;
  std::vector<Variable> returns;
  std::vector<Register> registers;
  // Parameters and returns come first (in that order), then variables
  // declared in the body.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  // .maxntid / .reqntid product and .reqnctapercluster, 0 when absent.
  uint32_t max_threads = 0;
  uint32_t required_block[3] = {0, 0, 0};
  uint32_t required_cluster[3] = {0, 0, 0};
};

struct Module {
  std::string version;
  std::vector<std::string> targets;
  std::vector<Variable> variables;  // .global, .const and module .shared
  std::vector<Function> functions;
};

// Bytes of one element of a fundamental type ("b32", "f64", "b128"); 0 for an
// unknown type and for "pred".
int TypeBytes(const std::string& type);

}  // namespace tiletune::emulator::ptx

#endif  // TILETUNE_TESTING_EMULATOR_PTX_MODULE_H_
