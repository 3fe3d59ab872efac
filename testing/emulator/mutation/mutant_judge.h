// MutantJudge: who says whether a mutant is noticed.
//
// Use it where the judge should be replaceable: Judge runs a kernel in the
// emulator, tests have verdicts of their own.
//
//   const Verdict verdict = judge.Try(mutant);
//   if (verdict.kind == Verdict::Kind::kCaught)
//     std::cout << mutant.Name() << ": " << verdict.check << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_JUDGE_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_JUDGE_H_

#include <string>
#include <vector>

#include "testing/emulator/mutation/mutant.h"

namespace tiletune::emulator {

struct Verdict {
  // kUnreached: survived, and no case executes the line.
  enum class Kind { kCaught, kSurvived, kUnreached };
  Kind kind = Kind::kSurvived;
  std::string check;    // "data race", "deadlock", "wrong result"; or empty
  std::string message;  // its first line
};

class MutantJudge {
 public:
  virtual ~MutantJudge() = default;

  virtual Verdict Try(const Mutant& mutant) const = 0;

  // The same for several defects at once. `others` that touch a line which an
  // earlier one changes are left out. Does not ask whether lines are reached.
  virtual Verdict TryTogether(
      const Mutant& mutant, const std::vector<const Mutant*>& others) const = 0;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_JUDGE_H_
