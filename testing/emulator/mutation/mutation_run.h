// MutationRun: tries the mutants of one kernel and sorts them into caught,
// argued equivalent and survived.
//
// Use it behind a command or in a test.
//
//   MutationRun run(judge, variant_name, ptx, arguments);
//   for (size_t i = 0; i < run.mutants().size(); ++i)
//     std::cout << ToJsonLine(run.Try(i)) << "\n";
//   std::cout << run.Summary();
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_RUN_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_RUN_H_

#include <string>
#include <vector>

#include "testing/emulator/mutation/equivalence.h"
#include "testing/emulator/mutation/mutant.h"
#include "testing/emulator/mutation/mutant_judge.h"
#include "testing/emulator/mutation/source_map.h"

namespace tiletune::emulator {

struct MutantResult {
  enum class Kind { kCaught, kEquivalent, kSurvived, kUnreached };
  Kind kind = Kind::kSurvived;
  size_t id = 0;  // index in MutationRun::mutants()
  const Mutant* mutant = nullptr;
  std::string text;  // of the unchanged line
  MutantPlace place;
  Verdict verdict;
  std::string argument;  // id of the EquivalenceArgument that names the mutant
  // Not empty when that argument is wrong: the mutant is caught, or what the
  // argument says to be redundant is not.
  std::string error;
};

// One line, without its end.
std::string ToJsonLine(const MutantResult& result);

class MutationRun {
 public:
  // All of them must outlive the run.
  MutationRun(const MutantJudge& judge, const std::string& variant,
              const std::string& ptx, const EquivalenceArguments& arguments);

  const std::vector<Mutant>& mutants() const { return mutants_; }

  // Tries mutant `id`. A survivor that an argument names counts as equivalent,
  // if the argument's proof, where it has one, holds.
  const MutantResult& Try(size_t id);

  // In the order in which they were tried.
  const std::vector<MutantResult>& results() const { return results_; }

  int Count(MutantResult::Kind kind) const;
  // Caught, of those neither argued equivalent nor unreached; 1 if none.
  double CatchRate() const;
  // Counts, by check and by argument; then survivors and wrong arguments.
  std::string Summary() const;

 private:
  MutantPlace PlaceOf(const Mutant& mutant) const;
  std::string WrongWith(const EquivalenceArgument& argument,
                        const MutantResult& result) const;

  const MutantJudge& judge_;
  const std::string variant_;
  const EquivalenceArguments& arguments_;
  const SourceMap source_;
  const std::vector<std::string> lines_;
  const std::vector<Mutant> mutants_;
  std::vector<MutantResult> results_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_MUTATION_RUN_H_
