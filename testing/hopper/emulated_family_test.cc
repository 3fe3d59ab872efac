// Every Hopper kernel in the emulator, through the product's own launcher and
// under strict checks: D has the bits that an H200 gave (h200_family.txt), or,
// for kernels that none was asked about yet, those of fp64.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/variant.h"
#include "testing/hopper/family_answer.h"
#include "testing/hopper/family_case.h"
#include "testing/hopper/family_run.h"

namespace tiletune {
namespace {

// By "VARIANT CASE".
const std::map<std::string, std::string>& AnswersOfTheH200() {
  static const auto* const answers = [] {
    auto* read = new std::map<std::string, std::string>();
    std::ifstream file("testing/hopper/h200_family.txt");
    std::string variant, name, answer;
    while (file >> variant >> name && std::getline(file >> std::ws, answer)) {
      (*read)[variant + " " + name] = answer;
    }
    return read;
  }();
  return *answers;
}

std::vector<const KernelVariant*> HopperVariants() {
  std::vector<const KernelVariant*> variants;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kHopper) variants.push_back(&v);
  }
  return variants;
}

class Family : public testing::TestWithParam<const KernelVariant*> {};

TEST_P(Family, GivesTheBitsOfAnH200OrOfFp64) {
  const std::vector<FamilyCase> cases = FamilyCasesOf(*GetParam());
  size_t answered = 0;
  for (const FamilyCase& c : cases) {
    const std::string key = std::string(GetParam()->name) + " " + c.name;
    const auto answer = AnswersOfTheH200().find(key);
    if (answer == AnswersOfTheH200().end()) continue;
    ++answered;
    EXPECT_EQ(RunFamilyCase(c), answer->second) << key;
  }
  if (answered != 0) {
    EXPECT_EQ(answered, cases.size()) << "cases newer than the H200's answers";
    return;
  }
  for (const FamilyCase& c : cases) {
    EXPECT_EQ(RunFamilyCase(c), FamilyAnswerOfFp64(c)) << c.name;
  }
}

// Else fp64 would be no substitute for them.
TEST(FamilyAnswers, AreThoseOfFp64) {
  const std::vector<FamilyCase> cases =
      FamilyCasesOf(*HopperVariants().front());
  for (const FamilyCase& c : cases) {
    const std::string key = std::string(c.config.variant->name) + " " + c.name;
    EXPECT_EQ(FamilyAnswerOfFp64(c), AnswersOfTheH200().at(key)) << key;
  }
}

TEST(FamilyAnswers, AreOfTheWholeFamily) {
  EXPECT_GE(AnswersOfTheH200().size(), 2000u);
}

INSTANTIATE_TEST_SUITE_P(Hopper, Family, testing::ValuesIn(HopperVariants()),
                         [](const auto& info) {
                           return std::string(info.param->name);
                         });

}  // namespace
}  // namespace tiletune
