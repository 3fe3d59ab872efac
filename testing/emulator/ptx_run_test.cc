// The program itself: where it looks for files, what it prints and when, and
// its exit status.
#include <unistd.h>

#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "testing/shell/run_command.h"

namespace {

using Outcome = tiletune::CommandOutcome;

// `command` finds the program as $PTX_RUN, in the folder for temporary files.
Outcome Shell(const std::string& command) {
  char folder[4096];
  EXPECT_NE(getcwd(folder, sizeof(folder)), nullptr);
  return tiletune::RunCommand(std::string("PTX_RUN=") + folder +
                              "/testing/emulator/ptx_run; cd " +
                              testing::TempDir() + "; " + command);
}

void WritePtx(const std::string& name, const std::string& body) {
  std::ofstream(testing::TempDir() + "/" + name)
      << ".version 9.0\n.target sm_100a\n.address_size 64\n"
         ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<8>;\n"
         ".reg .b64 %rd<8>; .reg .pred %p<4>;\nld.param.u64 %rd1, [out];\n"
      << body << "}\n";
}

constexpr char kRun[] = " --entry=k --grid=1 --block=1 ";

TEST(PtxRun, FilesAreRelativeToWhereTheUserOfBazelRunIs) {
  WritePtx("here.ptx", "st.global.u32 [%rd1], 7; ret;");
  const std::string arguments =
      std::string(" here.ptx") + kRun + "--arg=out:here.bin:4";
  const Outcome there =
      Shell("cd /; BUILD_WORKING_DIRECTORY=" + testing::TempDir() +
            " $PTX_RUN" + arguments);
  EXPECT_EQ(there.code, 0) << there.output;
  EXPECT_TRUE(std::ifstream(testing::TempDir() + "/here.bin").good());
  EXPECT_EQ(Shell("cd /; $PTX_RUN" + arguments).code, 2);
}

// Stores outside, and then goes on for ever with changes that others see.
constexpr char kEndless[] =
    "st.global.u32 [%rd1+64], 1; L: atom.global.add.u32 %r1, [%rd1], 1; bra L;";

TEST(PtxRun, PrintsAFindingWhenItIsFound) {
  WritePtx("endless.ptx", kEndless);
  const Outcome outcome =
      Shell(std::string("timeout -s KILL 3 $PTX_RUN endless.ptx") + kRun +
            "--arg=scratch:4");
  EXPECT_NE(outcome.output.find("out of bounds"), std::string::npos)
      << outcome.output;
}

TEST(PtxRun, ASignalEndsARunWithAReport) {
  WritePtx("endless.ptx", kEndless);
  for (const char* signal : {"INT", "TERM"}) {
    // In the foreground, as timeout sends the signal twice otherwise, and the
    // second one ends the program at once.
    const Outcome outcome =
        Shell(std::string("timeout --foreground -s ") + signal +
              " 2 $PTX_RUN endless.ptx" + kRun + "--arg=scratch:4");
    EXPECT_NE(outcome.output.find("stopped: stopped from outside after"),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("3 findings"), std::string::npos)
        << outcome.output;
  }
}

TEST(PtxRun, AStepLimitIsAFindingOfThatName) {
  WritePtx("endless.ptx", kEndless);
  const Outcome outcome = Shell(std::string("$PTX_RUN endless.ptx") + kRun +
                                "--max-steps=10000 --arg=scratch:4");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("step limit: the limit of 10000"),
            std::string::npos)
      << outcome.output;
}

TEST(PtxRun, AFileThatCannotBeWrittenIsAnError) {
  WritePtx("k.ptx", "st.global.u32 [%rd1], 7; ret;");
  const std::string run = std::string("$PTX_RUN k.ptx") + kRun;
  const std::string missing = ::testing::TempDir() + "/no_such_folder";
  for (const std::string& arguments :
       {std::string("--arg=out:/dev/full:65536"),
        std::string("--arg=out:/dev/full:4"), "--arg=out:" + missing + "/d:4",
        std::string("--arg=scratch:4 --trace=/dev/full"),
        "--arg=scratch:4 --trace=" + missing + "/t.json"}) {
    const Outcome outcome = Shell(run + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.output.find("cannot write"), std::string::npos)
        << arguments << outcome.output;
  }
}

TEST(PtxRun, MoreMemoryThanTheMachineHasIsAnError) {
  WritePtx("k.ptx", "ret;");
  for (const char* argument :
       {"scratch:99999999999999999", "out:d.bin:99999999999999"}) {
    const Outcome outcome =
        Shell(std::string("$PTX_RUN k.ptx") + kRun + "--arg=" + argument);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find("memory does not hold"), std::string::npos)
        << outcome.output;
  }
}

// Of a size that reads as zero, like /dev/zero's, or known from the start.
TEST(PtxRun, AHugeFileIsAnErrorAndIsNotReadToItsEnd) {
  WritePtx("k.ptx", "ret;");
  for (const char* run :
       {"head -c 600M /dev/zero | $PTX_RUN /dev/stdin --arg=scratch:4",
        "head -c 600M /dev/zero | $PTX_RUN k.ptx --arg=in:/dev/stdin",
        "truncate -s 600M huge; $PTX_RUN k.ptx --buffer=in:huge"}) {
    const Outcome outcome = Shell(std::string(run) + kRun);
    EXPECT_EQ(outcome.code, 2) << run;
    EXPECT_NE(outcome.output.find("the most that is read"), std::string::npos)
        << run << outcome.output;
  }
}

}  // namespace
