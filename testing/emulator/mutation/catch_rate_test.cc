// A bounded run of what :mutate does, so that a check that gets lost shows.
//
//   catch_rate_test VARIANT KERNEL_PTX REPACK_PTX ARGUMENTS.json
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/mutation/equivalence.h"
#include "testing/emulator/mutation/judge.h"
#include "testing/emulator/mutation/mutation_run.h"

namespace tiletune::emulator {
namespace {

std::vector<std::string> arguments;

// Every kStride-th mutant: a minute's work at most.
constexpr size_t kStride = 7;
// All 29 that are not argued equivalent when this was written; another
// interleaving may hide one.
constexpr double kLeastCaught = 0.95;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CatchRate, IsNotLowerThanReportedAndArgumentsHold) {
  const std::string kernel = ReadFile(arguments[1]);
  const absl::StatusOr<std::unique_ptr<Judge>> judge =
      Judge::Create(*FindVariant(arguments[0]), kernel, ReadFile(arguments[2]),
                    /*seeds=*/1);
  ASSERT_TRUE(judge.ok()) << judge.status();
  const absl::StatusOr<EquivalenceArguments> equivalent =
      EquivalenceArguments::Parse(ReadFile(arguments[3]));
  ASSERT_TRUE(equivalent.ok()) << equivalent.status();
  MutationRun run(**judge, arguments[0], kernel, *equivalent);
  ASSERT_GT(run.mutants().size(), 200u);
  for (size_t i = 0; i < run.mutants().size(); i += kStride) {
    EXPECT_EQ(run.Try(i).error, "") << run.mutants()[i].Name();
  }
  std::cout << run.Summary();
  EXPECT_GE(run.CatchRate(), kLeastCaught);
  // Arguments that match everything would leave nothing to catch.
  EXPECT_GE(run.Count(MutantResult::Kind::kCaught),
            static_cast<int>(run.results().size()) / 2);
}

}  // namespace
}  // namespace tiletune::emulator

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tiletune::emulator::arguments.assign(argv + 1, argv + argc);
  if (tiletune::emulator::arguments.size() != 4) {
    std::cerr << "usage: catch_rate_test VARIANT KERNEL_PTX REPACK_PTX "
                 "ARGUMENTS.json\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
