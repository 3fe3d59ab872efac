// Judge: whether the emulator, or a wrong D, gives a mutant away.
//
// Use it with MakeMutants() on the PTX of one Blackwell kernel.
//
//   absl::StatusOr<std::unique_ptr<Judge>> judge =
//       Judge::Create(*FindVariant(name), ptx, repack_ptx, /*seeds=*/2);
//   for (const Mutant& m : MakeMutants(ptx))
//     std::cout << m.Name() << ": " << (*judge)->Try(m).check << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_JUDGE_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_JUDGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/variant.h"
#include "testing/blackwell/kernel_case.h"
#include "testing/emulator/mutation/mutant.h"
#include "testing/emulator/mutation/mutant_judge.h"
#include "testing/emulator/mutation/mutation_cases.h"

namespace tiletune::emulator {

class Judge : public MutantJudge {
 public:
  // Fails when the unchanged kernel does not pass every case.
  static absl::StatusOr<std::unique_ptr<Judge>> Create(
      const KernelVariant& variant, const std::string& kernel_ptx,
      const std::string& repack_ptx, int seeds);

  // Runs the cases, then the dependent pair, until one fails. A launch is given
  // up after many times the steps that the unchanged kernel takes.
  Verdict Try(const Mutant& mutant) const override;
  Verdict TryTogether(const Mutant& mutant,
                      const std::vector<const Mutant*>& others) const override;

 private:
  Judge(const KernelVariant& variant, const std::string& kernel_ptx,
        const std::string& repack_ptx, int seeds);
  Verdict RunAll(const std::string& kernel_ptx) const;

  const KernelVariant& variant_;
  const std::string kernel_ptx_;
  const std::string repack_ptx_;
  std::vector<KernelCase> cases_;
  DependentCases pair_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_JUDGE_H_
