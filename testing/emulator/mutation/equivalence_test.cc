#include "testing/emulator/mutation/equivalence.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

Mutant DroppedFence() {
  Mutant m;
  m.operation = "drop";
  m.instruction = "fence.proxy.async.shared::cta";
  m.previous = "ld.shared.b128";
  m.next = "bar.warp.sync";
  return m;
}

// Whether an argument with this one pattern names DroppedFence(), which stands
// in ring.h:7, Producer::Run > Ring::Release > fence of "gemm_c1x1_clc".
bool Names(const std::string& pattern) {
  const absl::StatusOr<EquivalenceArguments> arguments =
      EquivalenceArguments::Parse(
          R"({"arguments": [{"id": "a", "reason": "r", "mutants": [)" +
          pattern + "]}]}");
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  if (!arguments.ok()) return false;
  const MutantPlace place = {
      "gemm_c1x1_clc", "Producer::Run > Ring::Release > fence", "ring.h:7"};
  return arguments->Find(DroppedFence(), place) != nullptr;
}

TEST(Equivalence, AnEmptyPatternNamesEverything) { EXPECT_TRUE(Names("{}")); }

TEST(Equivalence, OperationsAreWhole) {
  EXPECT_TRUE(Names(R"({"operations": ["move later", "drop"]})"));
  EXPECT_FALSE(Names(R"({"operations": ["dro"]})"));
}

TEST(Equivalence, InstructionsAreBeginnings) {
  EXPECT_TRUE(Names(R"({"instruction": "fence.proxy"})"));
  EXPECT_FALSE(Names(R"({"instruction": "fence.acq_rel"})"));
  EXPECT_TRUE(Names(R"({"previous": "ld.", "next": "bar."})"));
  EXPECT_FALSE(Names(R"({"previous": "st."})"));
  EXPECT_FALSE(Names(R"({"next": "st."})"));
  EXPECT_FALSE(Names(R"({"past": "ld."})"));
}

TEST(Equivalence, FunctionsComeInTheirOrder) {
  EXPECT_TRUE(Names(R"({"functions": ["Producer::Run", "fence"]})"));
  EXPECT_FALSE(Names(R"({"functions": ["fence", "Producer::Run"]})"));
  EXPECT_FALSE(Names(R"({"functions": ["Release"]})"));
}

TEST(Equivalence, APathIsWhole) {
  EXPECT_TRUE(Names(R"({"path": "Producer::Run > Ring::Release > fence"})"));
  EXPECT_FALSE(Names(R"({"path": "Producer::Run"})"));
}

TEST(Equivalence, ASourceLineIsWhole) {
  EXPECT_TRUE(Names(R"({"source": "ring.h:7"})"));
  EXPECT_FALSE(Names(R"({"source": "ring.h:77"})"));
}

TEST(Equivalence, AKernelIsAPartOfItsName) {
  EXPECT_TRUE(Names(R"({"kernel": "_c1x1"})"));
  EXPECT_FALSE(Names(R"({"kernel": "_c2x1"})"));
}

bool Parses(const std::string& json) {
  return EquivalenceArguments::Parse(json).ok();
}

TEST(Equivalence, RejectsWhatNobodyReads) {
  EXPECT_FALSE(Parses("{"));
  EXPECT_FALSE(Parses("{}"));
  EXPECT_FALSE(Parses(R"({"arguments": [{"id": "a"}]})"));
  EXPECT_FALSE(
      Parses(R"({"arguments": [{"id": "a", "reason": "r", "lines": 3}]})"));
  EXPECT_FALSE(Parses(R"({"arguments": [{"id": "a", "reason": "r",
                          "mutants": [{"line": 3}]}]})"));
}

TEST(Equivalence, ARedundancySaysWhatFindsIt) {
  EXPECT_FALSE(Parses(R"({"arguments": [{"id": "a", "reason": "r",
                          "redundant_with": [{}]}]})"));
  EXPECT_TRUE(Parses(R"({"arguments": [{"id": "a", "reason": "r",
                         "redundant_with": [{}], "then": "data race"}]})"));
}

}  // namespace
}  // namespace tiletune::emulator
