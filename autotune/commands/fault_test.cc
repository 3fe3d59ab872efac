// Candidates that hang, crash or lie, and a tuner that goes on.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autotune/commands/program_testing.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

constexpr char kShape[] = "512x1024x1024";

std::vector<Measurement> MeasurementsIn(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  return (*store)->Measurements({}).value();
}

std::vector<QuarantineRow> QuarantinedIn(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  return (*store)->Quarantined({}).value();
}

// Of the screen: config -> samples.
std::map<std::string, std::vector<float>> GoodRows(const std::string& path) {
  std::map<std::string, std::vector<float>> rows;
  for (const Measurement& m : MeasurementsIn(path)) {
    if (m.stage != Stage::kScreen || m.outcome != Outcome::kOk) continue;
    rows[m.config.key] = m.samples_ns;
  }
  return rows;
}

class FaultTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Program program;
    const Program::Result clean = program.Run(Tune("clean.db"));
    ASSERT_EQ(clean.status, 0) << clean.output;
    clean_ = GoodRows(program.File("clean.db"));
    for (const auto& [config, samples] : clean_) configs_.push_back(config);
    ASSERT_GE(configs_.size(), 20u);
  }

  static std::vector<std::string> Tune(const std::string& db) {
    return FakeTune(db, {kShape}, {"--exhaustive", "--timeout=2"});
  }

  // Plants `fault` in one candidate: the sweep must end, bar that candidate
  // for `reason`, and leave every other row as it is without the fault.
  void Plant(const std::string& fault, const std::string& reason) {
    const std::string victim = configs_[configs_.size() / 2];
    program_.Set("TILETUNE_FAKE_FAULTS", fault + ":" + victim);
    const Program::Result r = program_.Run(Tune("faulty.db"));
    EXPECT_EQ(r.status, 0) << r.output;
    std::map<std::string, std::vector<float>> expected = clean_;
    expected.erase(victim);
    EXPECT_EQ(GoodRows(program_.File("faulty.db")), expected);
    const auto barred = QuarantinedIn(program_.File("faulty.db"));
    ASSERT_EQ(barred.size(), 1u);
    EXPECT_EQ(barred[0].config, victim);
    EXPECT_NE(barred[0].reason.find(reason), std::string::npos)
        << barred[0].reason;
  }

  Program program_;
  static inline std::map<std::string, std::vector<float>> clean_;
  static inline std::vector<std::string> configs_;
};

TEST_F(FaultTest, AHangingKernelIsKilledAndBarred) { Plant("hang", "timeout"); }

TEST_F(FaultTest, ACrashingKernelIsBarred) { Plant("crash", "signal 11"); }

TEST_F(FaultTest, AnAbortingKernelIsBarred) { Plant("abort", "signal 6"); }

TEST_F(FaultTest, AWorkerThatEndsQuietlyIsReplaced) {
  Plant("exit", "status 0");
}

TEST_F(FaultTest, ABrokenContextIsNotPassedOn) {
  Plant("sticky", "illegal memory access");
}

TEST_F(FaultTest, AWrongKernelIsBarred) { Plant("wrong", "wrong"); }

TEST_F(FaultTest, TenFaultsInOneSweepLeaveTheOtherRowsAlone) {
  const char* const kinds[] = {"hang",  "crash", "abort", "exit",  "sticky",
                               "wrong", "oom",   "crash", "abort", "wrong"};
  std::string faults;
  std::map<std::string, std::vector<float>> expected = clean_;
  for (int i = 0; i < 10; ++i) {
    const std::string victim = configs_[1 + i * (configs_.size() - 1) / 10];
    faults += std::string(kinds[i]) + ":" + victim + ",";
    expected.erase(victim);
  }
  program_.Set("TILETUNE_FAKE_FAULTS", faults);
  const Program::Result r = program_.Run(Tune("faulty.db"));
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(GoodRows(program_.File("faulty.db")), expected);
  // All but the one that did not fit, which is no fault.
  EXPECT_EQ(QuarantinedIn(program_.File("faulty.db")).size(), 9u);
}

TEST_F(FaultTest, ABarredCandidateIsNotRunAgain) {
  program_.Set("TILETUNE_FAKE_FAULTS", "hang:" + configs_[0]);
  ASSERT_EQ(program_.Run(Tune("faulty.db")).status, 0);
  const size_t rows = MeasurementsIn(program_.File("faulty.db")).size();
  ASSERT_EQ(program_.Run(Tune("faulty.db")).status, 0);
  EXPECT_EQ(MeasurementsIn(program_.File("faulty.db")).size(), rows);
}

TEST_F(FaultTest, AProblemWithNothingRightLeavesTheOthersTuned) {
  program_.Set("TILETUNE_FAKE_FAULTS", "wrong:*");
  const Program::Result r =
      program_.Run(FakeTune("none.db", {"64x64x64", "64x64x128"}));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.output.find("[2/2]"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("no candidate ran right"), std::string::npos);
}

}  // namespace
}  // namespace tiletune
