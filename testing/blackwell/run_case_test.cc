// run_case as a user starts it: what it prints and its exit status.

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "testing/shell/run_command.h"

namespace {

constexpr char kStatic[] = "sm100_16b_128x128x64_c1x1_s6_static";
constexpr char kClc[] = "sm100_16b_128x128x64_c2x1_2sm_s8_clc2";

using Outcome = tiletune::CommandOutcome;

Outcome RunCase(const std::string& arguments) {
  return tiletune::RunCommand("testing/blackwell/run_case " + arguments);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The static kernel's PTX with every `from` replaced.
std::string WriteChanged(const std::string& name, const std::string& from,
                         const std::string& to) {
  std::string ptx =
      ReadFile(std::string("kernels/blackwell/") + kStatic + "_ptx.ptx");
  EXPECT_NE(ptx.find(from), std::string::npos) << from;
  for (size_t at = 0; (at = ptx.find(from, at)) != std::string::npos;) {
    ptx.replace(at, from.size(), to);
    at += to.size();
  }
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << ptx;
  return path;
}

TEST(RunCase, SaysWhatRanAndThatDIsExact) {
  const Outcome outcome = RunCase(kStatic);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(outcome.Has(std::string(kStatic) + " o1zn k1")) << outcome.output;
  EXPECT_TRUE(outcome.Has("300x424x136 bf16 TN -> bf16"));
  EXPECT_TRUE(outcome.Has("12 cluster tiles of 128 x 128, 2 CTAs"));
  EXPECT_TRUE(outcome.Has("findings  0\n"));
  EXPECT_TRUE(outcome.Has("exactly that of the fp64 reference"));
}

TEST(RunCase, TakesAProblemOfOnesOwn) {
  const Outcome outcome = RunCase(
      std::string(kClc) +
      " --m=70 --n=33 --k=100 --batch=2 --layout=NT --a=fp16 --b=fp16 "
      "--d=fp32 --beta=0.3 --bias=column --activation=silu --order=o3nz "
      "--splits=2 --sms=4 --seed=5 --seeds=2");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(outcome.Has("2 repacks")) << outcome.output;
  EXPECT_TRUE(outcome.Has("within the error bound"));
}

TEST(RunCase, LeavesTheOtherSmsAlone) {
  const Outcome outcome =
      RunCase(std::string(kStatic) + " --sms=4 --max-sms=1");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(outcome.Has(" 1 CTAs in clusters of 1, 4 SMs")) << outcome.output;
}

TEST(RunCase, ComputesNothingForNoRows) {
  for (const char* size : {" --m=0", " --n=0", " --batch=0"}) {
    const Outcome outcome =
        RunCase("sm100_16b_128x128x64_c1x1_s6_queue1" + std::string(size));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_TRUE(outcome.Has(" 0 warp instructions")) << outcome.output;
  }
}

TEST(RunCase, WritesATrace) {
  const std::string path = testing::TempDir() + "/trace.json";
  EXPECT_EQ(RunCase(std::string(kStatic) + " --m=9 --trace=" + path).code, 0);
  EXPECT_NE(ReadFile(path).find("traceEvents"), std::string::npos);
}

TEST(RunCase, FailsWithWhatTheEmulatorFound) {
  const std::string path =
      WriteChanged("no_wait.ptx", "tcgen05.wait::ld.sync.aligned;", "");
  const Outcome outcome = RunCase(std::string(kStatic) + " --ptx=" + path);
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(outcome.Has("register read too early")) << outcome.output;
}

TEST(RunCase, FailsWithTheFirstElementThatIsWrong) {
  const std::string path = WriteChanged("wrong.ptx", "mul.f32", "add.f32");
  const Outcome outcome = RunCase(std::string(kStatic) + " --ptx=" + path);
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(outcome.Has("D         wrong: ")) << outcome.output;
}

TEST(RunCase, SaysWhatItCannotUse) {
  const Outcome unknown = RunCase("sm100_16b_128x128x64_c1x1_s6_statik");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(unknown.Has(std::string("nearest are\n  ") + kStatic));
  EXPECT_EQ(RunCase(std::string(kStatic) + " --ptx=/nowhere").code, 2);
  EXPECT_EQ(RunCase(std::string(kStatic) + " --trace=/nowhere/t").code, 2);
}

TEST(RunCase, ListsTheKernels) {
  const Outcome outcome = RunCase("--list");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.Has(kStatic));
  EXPECT_TRUE(outcome.Has(kClc));
}

}  // namespace
