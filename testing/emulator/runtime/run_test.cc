// The runner on programs that nvcc built: unmodified, each in a process of its
// own.
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace {

constexpr char kFolder[] = "testing/emulator/runtime/";

struct Outcome {
  int code = -1;
  std::string output;  // standard output and error
};

// `arguments` are those of the runner, "NAME" a program of this folder.
Outcome Emulate(const std::string& flags, const std::string& program) {
  const std::string command =
      std::string(kFolder) + "run " + flags + " " + kFolder + program + " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  size_t size;
  while ((size = fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    outcome.output.append(buffer, size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
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

TEST(Run, SaysThatADeviceLinkerLeftNoPtx) {
  const Outcome outcome = Emulate("--gpu=h200", "saxpy_linked");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "compile without it")) << outcome.output;
}

TEST(Run, SaysThatAProgramHasARuntimeOfItsOwn) {
  const Outcome outcome = Emulate("--gpu=h200", "saxpy_static");
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(Contains(outcome, "-cudart shared")) << outcome.output;
}

TEST(Run, RefusesWhatItDoesNotUnderstand) {
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
