#include "testing/emulator/fuzzing/mutator.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(Mutator, GivesTheSameInputsForTheSameSeed) {
  Mutator one({"abcdef", "0123"}, 5);
  Mutator two({"abcdef", "0123"}, 5);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.Next(), two.Next());
}

TEST(Mutator, SeldomRepeatsItself) {
  Mutator mutator({std::string(500, 'x')}, 1);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(mutator.Next());
  EXPECT_GT(seen.size(), 900u);
}

TEST(Mutator, CopesWithEmptyInputs) {
  Mutator mutator({""}, 1);
  for (int i = 0; i < 1000; ++i) (void)mutator.Next();
}

}  // namespace
}  // namespace tiletune::emulator
