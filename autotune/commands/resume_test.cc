// kill -9 in mid-sweep, again and again: nothing but time is lost. The count
// of kills is $TILETUNE_KILLS, few by default.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "autotune/commands/program_testing.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

const std::vector<std::string>& Shapes() {
  static const auto* const shapes =
      new std::vector<std::string>{"512x1024x1024", "64x1024x512"};
  return *shapes;
}

std::map<std::string, std::string> WinnersIn(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  std::map<std::string, std::string> winners;
  const auto rows = (*store)->Winners({});
  EXPECT_TRUE(rows.ok()) << rows.status();
  for (const WinnerRow& row : *rows) winners[row.problem] = row.config;
  return winners;
}

size_t UnfinishedIn(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  return (*store)->UnfinishedAttempts({}).value().size();
}

absl::Status IntegrityOf(const std::string& path) {
  const auto store = Store::Open(path, Store::Mode::kReadWrite);
  return store.ok() ? (*store)->CheckIntegrity() : store.status();
}

// How many measurements were begun in vain: a screen's first samples that were
// taken more than once, and a final's, which is one measurement of all its
// finalists.
int LostMeasurements(const std::string& log) {
  std::ifstream in(log);
  std::map<std::string, int> screens;
  std::map<std::string, std::map<std::string, int>> finals;  // by problem
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("screen 0 ", 0) == 0) ++screens[line];
    if (line.rfind("final 0 ", 0) == 0) {
      ++finals[line.substr(0, line.find('|'))][line];
    }
  }
  int lost = 0;
  for (const auto& [line, times] : screens) lost += times - 1;
  for (const auto& [problem, lines] : finals) {
    int most = 0;
    for (const auto& [line, times] : lines) most = std::max(most, times);
    lost += most - 1;
  }
  return lost;
}

int Kills() {
  const char* text = std::getenv("TILETUNE_KILLS");
  return text == nullptr ? 6 : std::atoi(text);
}

TEST(Resume, AKilledSweepEndsAsAnUndisturbedOne) {
  Program program;
  program.Set("TILETUNE_FAKE_DELAY_US", "3000");
  const Program::Result clean = program.Run(FakeTune("clean.db", Shapes()));
  ASSERT_EQ(clean.status, 0) << clean.output;
  const auto expected = WinnersIn(program.File("clean.db"));
  ASSERT_EQ(expected.size(), Shapes().size());

  const std::string log = program.File("log");
  program.Set("TILETUNE_FAKE_LOG", log);
  std::mt19937 engine(20261129);
  std::uniform_int_distribution<int> milliseconds(20, 400);
  int kills = 0;
  for (int database = 0; kills < Kills(); ++database) {
    std::ofstream(log, std::ios::trunc);
    const std::string name = "killed" + std::to_string(database) + ".db";
    int kills_here = 0;
    // Until it ends by itself, or enough were killed.
    while (kills < Kills()) {
      const pid_t pid = program.Start(FakeTune(name, Shapes()));
      absl::SleepFor(absl::Milliseconds(milliseconds(engine)));
      kill(pid, SIGKILL);
      int status = 0;
      waitpid(pid, &status, 0);
      if (!WIFSIGNALED(status)) break;
      ++kills;
      ++kills_here;
      if (access(program.File(name).c_str(), F_OK) != 0) continue;
      ASSERT_TRUE(IntegrityOf(program.File(name)).ok()) << "kill " << kills;
    }
    const Program::Result last = program.Run(FakeTune(name, Shapes()));
    ASSERT_EQ(last.status, 0) << last.output;
    EXPECT_EQ(WinnersIn(program.File(name)), expected);
    EXPECT_EQ(UnfinishedIn(program.File(name)), 0u);
    EXPECT_LE(LostMeasurements(log), kills_here);
  }
}

TEST(Resume, AFinishedSweepMeasuresNothingAgain) {
  Program program;
  program.Set("TILETUNE_FAKE_LOG", program.File("log"));
  ASSERT_EQ(program.Run(FakeTune("x.db", Shapes())).status, 0);
  std::ofstream(program.File("log"), std::ios::trunc);
  const Program::Result again = program.Run(FakeTune("x.db", Shapes()));
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.output.find("0 timed"), std::string::npos) << again.output;
  std::ifstream in(program.File("log"));
  std::string line;
  EXPECT_FALSE(std::getline(in, line)) << line;
}

TEST(Resume, RemeasuringMeasuresAgain) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", Shapes())).status, 0);
  const Program::Result again =
      program.Run(FakeTune("x.db", Shapes(), {"--remeasure"}));
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.output.find(" 0 timed"), std::string::npos) << again.output;
}

}  // namespace
}  // namespace tiletune
