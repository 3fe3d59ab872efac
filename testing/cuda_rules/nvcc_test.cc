// nvcc.sh, with a stand-in for nvcc.
#include <cstdlib>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "testing/cuda_rules/embedded_images.h"
#include "testing/shell/run_command.h"

namespace tiletune {
namespace {

// A stand-in that writes its PTX where --keep-dir says, as nvcc does.
class NvccScript : public testing::Test {
 protected:
  NvccScript() {
    std::string name = testing::TempDir() + "/nvccXXXXXX";
    folder_ = mkdtemp(name.data());
  }

  // Calls nvcc.sh for the PTX `wanted`, with a stand-in that runs `body` in
  // the folder that it is told to keep its files in.
  CommandOutcome Run(const std::string& wanted, const std::string& body) {
    std::ofstream(folder_ + "/nvcc") << "while [ \"$1\" != --keep-dir ]; do\n"
                                        "  echo \"argument $1\"; shift\n"
                                        "done\n"
                                        "cd \"$2\"\n"
                                     << body << "\n";
    return RunCommand("script=$PWD/third_party/cuda/nvcc.sh; cd " + folder_ +
                      "; \"$script\" kept " + wanted +
                      " -- sh nvcc -c 'a b.cu'");
  }

  std::string Ptx(const std::string& name) {
    return FileBytes(folder_ + "/" + name);
  }

  std::string Files() { return RunCommand("ls " + folder_).output; }

  std::string folder_;
};

TEST_F(NvccScript, PassesTheArgumentsOnAndAsksForTheIntermediateFiles) {
  const CommandOutcome ran = Run("", "");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output, "argument -c\nargument a b.cu\nargument --keep\n");
}

TEST_F(NvccScript, HandsOutTheOnlyPtx) {
  const CommandOutcome ran = Run("90a=out.ptx", "echo one > a.ptx");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(Ptx("out.ptx"), "one\n");
}

TEST_F(NvccScript, TellsArchitecturesApart) {
  const CommandOutcome ran =
      Run("90=x.ptx 90a=y.ptx 100f=z.ptx",
          "for i in 90a 100f 90; do echo $i > a.compute_$i.ptx; done");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(Ptx("x.ptx"), "90\n");
  EXPECT_EQ(Ptx("y.ptx"), "90a\n");
  EXPECT_EQ(Ptx("z.ptx"), "100f\n");
}

TEST_F(NvccScript, LeavesNoIntermediateFiles) {
  Run("90a=out.ptx", "touch a.ptx a.cubin a.cudafe1.cpp");
  EXPECT_EQ(Files(), "nvcc\nout.ptx\n");
}

TEST_F(NvccScript, LeavesNoneAfterAnErrorEither) {
  Run("90a=out.ptx", "touch a.ptx; exit 1");
  EXPECT_EQ(Files(), "nvcc\n");
}

TEST_F(NvccScript, StartsWithoutTheFilesOfAnInterruptedCall) {
  RunCommand("mkdir -p " + folder_ + "/kept; touch " + folder_ +
             "/kept/old.ptx");
  const CommandOutcome ran = Run("90a=out.ptx", "echo new > a.ptx");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(Ptx("out.ptx"), "new\n");
}

TEST_F(NvccScript, FailsAsNvccFails) {
  EXPECT_EQ(Run("90a=out.ptx", "touch a.ptx; exit 3").code, 3);
}

TEST_F(NvccScript, FailsWithoutPtx) {
  EXPECT_NE(Run("90a=out.ptx", "").code, 0);
  EXPECT_NE(Run("90=x.ptx 90a=y.ptx", "touch a.compute_90.ptx").code, 0);
}

}  // namespace
}  // namespace tiletune
