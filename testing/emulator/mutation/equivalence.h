// EquivalenceArguments: why some mutants cannot be told from the kernel.
//
// Use it to sort survivors. The arguments are data (equivalent.json): which
// mutants, why nothing can go wrong, and, where two instructions do the same
// work, what happens when both are gone.
//
//   auto arguments = EquivalenceArguments::Parse(json);
//   const EquivalenceArgument* a = arguments->Find(mutant, place);
//   if (a != nullptr) std::cout << mutant.Name() << ": " << a->reason << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_EQUIVALENCE_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_EQUIVALENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "testing/emulator/mutation/mutant.h"

namespace tiletune::emulator {

// Where a mutant's line comes from.
struct MutantPlace {
  std::string variant;
  std::string path;    // SourceMap::Path()
  std::string source;  // "kernels/blackwell/producer.cuh:79"
};

// What an empty member says nothing about.
struct MutantPattern {
  std::string kernel;                   // part of the variant's name
  std::vector<std::string> operations;  // one of them, in full
  std::string instruction;              // its first characters
  std::string path, source;             // MutantPlace's, in full
  // Functions that the instruction is inlined into, outermost first; others
  // may lie between.
  std::vector<std::string> functions;
  std::string previous, next, past;  // first characters of Mutant's

  bool Matches(const Mutant& mutant, const MutantPlace& place) const;
};

struct EquivalenceArgument {
  std::string id;
  std::string reason;
  std::vector<MutantPattern> mutants;
  // The proof that the tool can try: once these are dropped as well, the check
  // `then` finds the defect.
  std::vector<MutantPattern> redundant_with;
  std::string then;
};

class EquivalenceArguments {
 public:
  // InvalidArgument when the text is not a JSON document of this kind, or has
  // a member that nobody reads.
  static absl::StatusOr<EquivalenceArguments> Parse(const std::string& json);

  // The first that matches, or null.
  const EquivalenceArgument* Find(const Mutant& mutant,
                                  const MutantPlace& place) const;

  const std::vector<EquivalenceArgument>& all() const { return arguments_; }

 private:
  std::vector<EquivalenceArgument> arguments_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_EQUIVALENCE_H_
