// Decodes one kernel entry of a parsed module, and everything it calls, into a
// Program. Instructions that the emulator does not know are errors that name
// the instruction and its line.
//
//   absl::StatusOr<Program> program = Decode(module, "gemm", symbols);
//   if (!program.ok()) std::cerr << program.status().message();
//   size_t n = program->code.size();
//   // "line 12: unknown instruction 'foo.b32'"
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/ptx/module.h"

namespace tiletune::emulator {

// Addresses of the module's .global and .const variables.
using SymbolTable = std::map<std::string, uint64_t>;

// `module` must outlive the program. NotFound if there is no such entry,
// InvalidArgument if it cannot be run.
absl::StatusOr<std::unique_ptr<Program>> Decode(const ptx::Module& module,
                                                const std::string& entry,
                                                const SymbolTable& symbols);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_DECODE_H_
