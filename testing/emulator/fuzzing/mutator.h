// Derives inputs for a fuzz target from a few good ones. For where there is no
// libFuzzer: it knows nothing of coverage, but the same seed gives the same
// inputs everywhere.
//
//   Mutator mutator(corpus, /*seed=*/1);
//   for (int i = 0; i < 10000; ++i) {
//     const std::string input = mutator.Next();
//     LLVMFuzzerTestOneInput(...);
//   }
#ifndef TILETUNE_TESTING_EMULATOR_FUZZING_MUTATOR_H_
#define TILETUNE_TESTING_EMULATOR_FUZZING_MUTATOR_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tiletune::emulator {

class Mutator {
 public:
  // `corpus` must not be empty.
  Mutator(std::vector<std::string> corpus, uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  // One of the corpus after 1 to 8 changes.
  std::string Next();

 private:
  // Less than `bound`; 0 when `bound` is 0.
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  void Change(std::string* input);

  const std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FUZZING_MUTATOR_H_
