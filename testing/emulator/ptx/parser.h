// Parses PTX text (PTX ISA chapters 4 to 7 and 11) into a ptx::Module.
//
// Use it on text from nvcc, another compiler or a hand-written file. It checks
// syntax and names, not instructions: the decoder rejects what it cannot run.
//
//   absl::StatusOr<ptx::Module> module = ptx::Parse(ReadFile("gemm.ptx"));
//   if (!module.ok()) std::cerr << module.status().message();
//   const ptx::Function* entry = ptx::FindFunction(*module, "gemm");
//   int registers = entry->registers.size();
#ifndef TILETUNE_TESTING_EMULATOR_PTX_PARSER_H_
#define TILETUNE_TESTING_EMULATOR_PTX_PARSER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "testing/emulator/ptx/module.h"

namespace tiletune::emulator::ptx {

// InvalidArgument "line N: what" on malformed text; never crashes on any input.
absl::StatusOr<Module> Parse(std::string_view text);

// Null when absent. A definition is preferred over a declaration.
const Function* FindFunction(const Module& module, const std::string& name);

}  // namespace tiletune::emulator::ptx

#endif  // TILETUNE_TESTING_EMULATOR_PTX_PARSER_H_
