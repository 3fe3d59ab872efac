// The runner on programs that nvcc built: unmodified, each in a process of its
// own.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "testing/shell/run_command.h"

namespace {

constexpr char kFolder[] = "testing/emulator/runtime/";

using Outcome = tiletune::CommandOutcome;
using tiletune::RunCommand;

// `flags` are the runner's; `program` begins with a name of this folder.
Outcome Emulate(const std::string& flags, const std::string& program) {
  return RunCommand(std::string(kFolder) + "run " + flags + " " + kFolder +
                    program);
}

bool Contains(const Outcome& outcome, const char* text) {
  return outcome.output.find(text) != std::string::npos;
}

TEST(Run, RunsAnUnmodifiedProgram) {
  const Outcome outcome =
      Emulate("--gpu=h200 --seed=3 --checks=strict", "saxpy");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output,
            "NVIDIA H200, 132 SMs\nlaunch: cudaSuccess\nright\n");
}

TEST(Run, ReadsPtxHoweverItWasCompressed) {
  for (const char* program : {"saxpy_none", "saxpy_speed", "saxpy_size"}) {
    const Outcome outcome = Emulate("--gpu=h100", program);
    EXPECT_EQ(outcome.code, 0) << program << outcome.output;
    EXPECT_TRUE(Contains(outcome, "right")) << program;
  }
}

TEST(Run, LetsTheProgramSeeFewerSms) {
  EXPECT_TRUE(
      Contains(Emulate("--gpu=b300 --sms=7", "saxpy"), "NVIDIA B300, 7 SMs"));
}

// Two loads and a store of the thread past the end.
TEST(Run, ReportsWhatItFindsAndFails) {
  const Outcome outcome = Emulate("--gpu=b200", "saxpy overrun");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(Contains(outcome, "out of bounds")) << outcome.output;
  EXPECT_TRUE(Contains(outcome, "launch: cudaErrorLaunchFailure"));
  EXPECT_TRUE(Contains(outcome, "3 findings")) << outcome.output;
}

TEST(Run, SaysThatAProgramHasNoPtx) {
  const Outcome outcome = Emulate("--gpu=h200", "saxpy_no_ptx");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "the fat binary has no PTX that sm_90 can run"))
      << outcome.output;
  EXPECT_TRUE(Contains(outcome, "cudaErrorNoKernelImageForDevice"));
}

TEST(Run, TakesThePtxOfAProgramThatHasNoneFromAFile) {
  const std::string ptx = std::string("--ptx=") + kFolder + "saxpy.ptx";
  const Outcome outcome = Emulate("--gpu=h200 " + ptx, "saxpy_no_ptx");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(Contains(outcome, "right")) << outcome.output;
  EXPECT_EQ(Emulate("--ptx=no_such_file", "saxpy_no_ptx").code, 2);
}

TEST(Run, SaysThatALentFileHasNotTheKernel) {
  const std::string name = testing::TempDir() + "/other.ptx";
  std::ofstream(name) << ".entry other() { ret; }\n";
  const Outcome outcome = Emulate("--gpu=h200 --ptx=" + name, "saxpy_no_ptx");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "other.ptx has the kernel _Z5Saxpy"))
      << outcome.output;
}

TEST(Run, SaysThatADeviceLinkerLeftNoPtx) {
  const Outcome outcome = Emulate("--gpu=h200", "saxpy_linked");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "compile without it")) << outcome.output;
}

TEST(Run, SaysThatAProgramHasARuntimeOfItsOwn) {
  const Outcome outcome = Emulate("--gpu=h200", "saxpy_static");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "-cudart shared")) << outcome.output;
  EXPECT_FALSE(Contains(outcome, "has no")) << outcome.output;
}

TEST(Run, FailsWhenAKernelWasNotRunThoughTheProgramDoesNotLook) {
  for (const char* program :
       {"saxpy_no_ptx careless", "saxpy_linked careless"}) {
    const Outcome outcome = Emulate("--gpu=h200", program);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_TRUE(Contains(outcome, "1 launch that could not be run"))
        << outcome.output;
  }
  EXPECT_EQ(Emulate("--gpu=h200", "saxpy careless").code, 0);
}

TEST(Run, GivesUpAtTheStepLimit) {
  const Outcome outcome =
      Emulate("--gpu=h200 --max-steps=50", "saxpy careless");
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(Contains(outcome, "step limit: the limit of 50 warp"))
      << outcome.output;
}

// Every fat binary's own header lies about its extent.
TEST(Run, ReportsAProgramWhoseFatBinaryIsDamaged) {
  std::ifstream file(std::string(kFolder) + "saxpy_none", std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(file), {});
  const std::string magic("\x50\xed\x55\xba\1\0", 6);
  ASSERT_NE(good.find(magic), std::string::npos);
  const std::string name = testing::TempDir() + "/damaged";
  for (const size_t byte : {7, 10, 11, 12, 13, 14, 15}) {
    std::string bad = good;
    for (size_t at = 0; (at = bad.find(magic, at)) != std::string::npos; ++at) {
      bad[at + byte] = '\x7f';
    }
    std::ofstream(name, std::ios::binary) << bad;
    ASSERT_EQ(chmod(name.c_str(), 0755), 0);
    const Outcome outcome = RunCommand(std::string(kFolder) +
                                       "run --gpu=h200 " + name + " careless");
    EXPECT_EQ(outcome.code, 2) << byte << outcome.output;
    EXPECT_TRUE(Contains(outcome, "is cut off after")) << outcome.output;
  }
}

TEST(Run, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(Emulate("--gpu=", "saxpy").code, 2);
  EXPECT_EQ(Emulate("--ptx=:", "saxpy").code, 2);
  EXPECT_EQ(Emulate("--max-steps=many", "saxpy").code, 2);
  EXPECT_EQ(Emulate("--gpu=voodoo2", "saxpy").code, 2);
  EXPECT_EQ(Emulate("--speed=9", "saxpy").code, 2);
  EXPECT_EQ(Emulate("", "no_such_program").code, 2);
}

TEST(Run, PassesTheProgramsExitCodeOn) {
  const std::string command = std::string(kFolder) + "run /bin/sh -c 'exit 9'";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

}  // namespace
