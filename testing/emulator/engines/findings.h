// What: the way every check of the engines answers.
// When: you validate a descriptor, a tensor map or a request before using it.
//
// Example:
//   const Findings findings = CheckInstructionDescriptor(kind, bits, options);
//   for (const std::string& sentence : findings) {
//     std::cerr << sentence << "\n";
//   }
//   if (!findings.empty()) return;

#ifndef TILETUNE_TESTING_EMULATOR_ENGINES_FINDINGS_H_
#define TILETUNE_TESTING_EMULATOR_ENGINES_FINDINGS_H_

#include <string>
#include <vector>

namespace tiletune::emulator {

// One English sentence for each broken rule, in the order the rules are
// written in the ISA. Empty means legal.
using Findings = std::vector<std::string>;

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_ENGINES_FINDINGS_H_
