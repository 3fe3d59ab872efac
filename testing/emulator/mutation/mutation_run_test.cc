#include "testing/emulator/mutation/mutation_run.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tiletune::emulator {
namespace {

// Two fences, of which one is enough, and a barrier. The second fence comes
// from Wait() in kernels/wait.h:4.
const char kPtx[] =
    "fence.proxy.async;\nst.u32 [%r1], 0;\n"
    "\t.loc 1 9 3\n\t.loc 2 4 1, function_name $L__info_string0, inlined_at 1 "
    "9 3\n"
    "fence.acq_rel.gpu;\nst.u32 [%r2], 0;\nbar.sync 0;\nret;\n"
    "\t.file 1 \"/r/./kernels/k.cu\"\n\t.file 2 \"/r/./kernels/wait.h\"\n"
    "$L__info_string0:\n.b8 87\n.b8 0\n";

// Catches barriers, and fences only when both are gone.
class FakeJudge : public MutantJudge {
 public:
  Verdict Try(const Mutant& mutant) const override {
    if (mutant.instruction == "bar.sync") return Caught("deadlock");
    return {};
  }
  Verdict TryTogether(const Mutant&,
                      const std::vector<const Mutant*>& others) const override {
    return others.empty() ? Verdict() : Caught("data race");
  }

 private:
  static Verdict Caught(const std::string& check) {
    return {Verdict::Kind::kCaught, check, "message of " + check};
  }
};

std::string Argument(const std::string& instruction, const std::string& other,
                     const std::string& then) {
  std::string text =
      R"({"arguments": [{"id": "a", "reason": "r", )"
      R"("mutants": [{"operations": ["drop"], "instruction": ")" +
      instruction + "\"}]";
  if (!other.empty()) {
    text += R"(, "redundant_with": [{"instruction": ")" + other +
            R"("}], "then": ")" + then + "\"";
  }
  return text + "}]}";
}

// What becomes of the first mutant that drops `instruction`.
MutantResult Drop(const std::string& instruction, const std::string& json) {
  const FakeJudge judge;
  const auto arguments = EquivalenceArguments::Parse(json);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  MutationRun run(judge, "k", kPtx, *arguments);
  for (size_t i = 0; i < run.mutants().size(); ++i) {
    const Mutant& m = run.mutants()[i];
    if (m.operation == "drop" && m.instruction == instruction) {
      MutantResult result = run.Try(i);
      result.mutant = nullptr;  // it goes with the run
      return result;
    }
  }
  ADD_FAILURE() << "no such mutant";
  return {};
}

using Kind = MutantResult::Kind;
const char kNone[] = R"({"arguments": []})";

TEST(MutationRun, SaysWhereALineComesFrom) {
  const MutantResult result = Drop("fence.acq_rel.gpu", kNone);
  EXPECT_EQ(result.kind, Kind::kSurvived);
  EXPECT_EQ(result.text, "fence.acq_rel.gpu;");
  EXPECT_EQ(result.place.path, "W");
  EXPECT_EQ(result.place.source, "kernels/wait.h:4");
}

TEST(MutationRun, AnArgumentMakesASurvivorEquivalent) {
  const MutantResult result =
      Drop("fence.acq_rel.gpu", Argument("fence.acq_rel", "", ""));
  EXPECT_EQ(result.kind, Kind::kEquivalent);
  EXPECT_EQ(result.argument, "a");
  EXPECT_EQ(result.error, "");
}

TEST(MutationRun, AnArgumentForWhatIsCaughtIsWrong) {
  const MutantResult result = Drop("bar.sync", Argument("bar.sync", "", ""));
  EXPECT_EQ(result.kind, Kind::kCaught);
  EXPECT_EQ(result.error, "it is caught");
}

TEST(MutationRun, ARedundancyIsTried) {
  EXPECT_EQ(Drop("fence.acq_rel.gpu",
                 Argument("fence.acq_rel", "fence.proxy", "data race"))
                .kind,
            Kind::kEquivalent);
  const MutantResult other_check =
      Drop("fence.acq_rel.gpu",
           Argument("fence.acq_rel", "fence.proxy", "deadlock"));
  EXPECT_EQ(other_check.kind, Kind::kSurvived);
  EXPECT_NE(other_check.error, "");
  const MutantResult no_other = Drop(
      "fence.acq_rel.gpu", Argument("fence.acq_rel", "fence.sc", "data race"));
  EXPECT_EQ(no_other.kind, Kind::kSurvived);
  EXPECT_NE(no_other.error, "");
}

TEST(MutationRun, TheRateLeavesEquivalentMutantsOut) {
  const FakeJudge judge;
  const auto none = EquivalenceArguments::Parse(kNone);
  const auto all_fences =
      EquivalenceArguments::Parse(R"({"arguments": [{"id": "a", "reason": "r",
          "mutants": [{"instruction": "fence."}]}]})");
  MutationRun strict(judge, "k", kPtx, *none);
  MutationRun lenient(judge, "k", kPtx, *all_fences);
  for (size_t i = 0; i < strict.mutants().size(); ++i) {
    strict.Try(i);
    lenient.Try(i);
  }
  EXPECT_LT(strict.CatchRate(), 1);
  EXPECT_EQ(lenient.CatchRate(), 1);
  EXPECT_EQ(lenient.Count(Kind::kCaught), strict.Count(Kind::kCaught));
  EXPECT_NE(lenient.Summary().find("0 survived"), std::string::npos);
}

TEST(MutationRun, AResultIsALineOfJson) {
  const FakeJudge judge;
  const auto none = EquivalenceArguments::Parse(kNone);
  MutationRun run(judge, "k", kPtx, *none);
  const size_t last = run.mutants().size() - 1;
  const std::string line = ToJsonLine(run.Try(last));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(line);
  EXPECT_EQ(json["id"], last);
  EXPECT_EQ(json["verdict"], "caught");
  EXPECT_EQ(json["check"], "deadlock");
  EXPECT_EQ(json["text"], "bar.sync 0;");
}

}  // namespace
}  // namespace tiletune::emulator
