#include "autotune/command_line/options.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return std::string(ParseOptions(arguments).status().message());
}

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"}) {
      unsetenv(name);
    }
  }
};

TEST_F(OptionsTest, TunesByDefault) {
  EXPECT_EQ(ParseOptions({})->command, "tune");
  EXPECT_EQ(ParseOptions({"--shape=16x32x64"})->command, "tune");
}

TEST_F(OptionsTest, CollectsRepeatedShapes) {
  const Options o =
      ParseOptions({"tune", "--shape=16x32x64", "--shape=1x2x3x4"}).value();
  ASSERT_EQ(o.shapes.size(), 2u);
  EXPECT_EQ(o.shapes[0].n, 32);
  EXPECT_EQ(o.shapes[1].batch, 4);
}

TEST_F(OptionsTest, ReadsValuesAndSwitches) {
  const Options o =
      ParseOptions({"tune", "--dtype=fp16", "--out-dtype=fp32", "--layout=NN",
                    "--kernels=*static", "--device=model:b200", "--db=x.db",
                    "--budget=1.5", "--exhaustive", "--force"})
          .value();
  EXPECT_EQ(o.dtype, "fp16");
  EXPECT_EQ(o.out_dtype, "fp32");
  EXPECT_EQ(o.layout, "NN");
  EXPECT_EQ(o.kernels, "*static");
  EXPECT_EQ(o.device, "model:b200");
  EXPECT_EQ(o.db, "x.db");
  EXPECT_EQ(o.budget_seconds, 1.5);
  EXPECT_TRUE(o.exhaustive);
  EXPECT_TRUE(o.force);
  EXPECT_EQ(o.given.count("db"), 1u);
  EXPECT_EQ(o.given.count("policy"), 0u);
}

TEST_F(OptionsTest, SaysInASentenceWhatIsWrong) {
  EXPECT_NE(ErrorOf({"tun"}).find("no command 'tun'"), std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--shap=1x1x1"}).find("no flag --shap"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"list", "--budget=1"}).find("takes no --budget"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--db"}).find("--db=PATH"), std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--shape=4"}).find("MxNxK"), std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--budget=soon"}).find("needs a number"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--budget=nan"}).find("needs a number"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "--force=maybe"}).find("switch"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"list", "--db="}).find("the path is empty"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"help", "tun"}).find("no command 'tun'"),
            std::string::npos);
  EXPECT_NE(ErrorOf({"tune", "x.db"}).find("'x.db'"), std::string::npos);
}

TEST_F(OptionsTest, TakesFilesWhereACommandReadsThem) {
  const Options o =
      ParseOptions({"merge", "--db=a.db", "b.db", "c.db"}).value();
  EXPECT_EQ(o.files, (std::vector<std::string>{"b.db", "c.db"}));
}

TEST_F(OptionsTest, AFlagWithOneValueIsNotGivenTwice) {
  for (const char* flag : {"--shapes=a.csv", "--db=x.db", "--device=auto",
                           "--kernels=*", "--force", "--dtype=bf16"}) {
    EXPECT_NE(ErrorOf({"tune", flag, flag}).find("given twice"),
              std::string::npos)
        << flag;
  }
  EXPECT_NE(ErrorOf({"tune", "--out-dtype=bf16", "--out_dtype=fp32"})
                .find("given twice"),
            std::string::npos);
  EXPECT_TRUE(ParseOptions({"tune", "--policy=warm-graph-busy0",
                            "--policy=cold-graph-busy0"})
                  .ok());
}

TEST_F(OptionsTest, TheVersionIsACommandAndAFlag) {
  EXPECT_EQ(ParseOptions({"version"})->command, "version");
  EXPECT_EQ(ParseOptions({"--version"})->command, "version");
  EXPECT_EQ(ParseOptions({"tune", "--version"})->command, "version");
}

TEST_F(OptionsTest, TheWordsOfAConfigAreExplained) {
  const std::string help = Help("");
  for (const char* word : {"offset", "direction", "zn", "clc", "Cluster Launch",
                           "supply", "p0", "k4"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

TEST_F(OptionsTest, ReadsAShard) {
  EXPECT_EQ(ParseOptions({"tune", "--shard=3/8"})->shard, 3);
  EXPECT_EQ(ParseOptions({"tune", "--shard=3/8"})->shards, 8);
  for (const char* bad : {"8/8", "-1/8", "1", "1/0", "a/b"}) {
    EXPECT_FALSE(ParseOptions({"tune", std::string("--shard=") + bad}).ok())
        << bad;
  }
}

TEST_F(OptionsTest, TakesTheShardOfALauncherUnlessToldOtherwise) {
  setenv("SLURM_PROCID", "2", 1);
  setenv("SLURM_NTASKS", "4", 1);
  EXPECT_EQ(ParseOptions({})->shard, 2);
  EXPECT_EQ(ParseOptions({})->shards, 4);
  EXPECT_EQ(ParseOptions({"--shard=0/1"})->shards, 1);
  unsetenv("SLURM_PROCID");
}

// In a batch job they are set for every command: a merge there writes the file
// that it is told to.
TEST_F(OptionsTest, OnlyWhatOneRunsPerGpuHasAShard) {
  setenv("SLURM_PROCID", "0", 1);
  setenv("SLURM_NTASKS", "4", 1);
  for (const char* command : {"tune", "regret", "verify"}) {
    EXPECT_EQ(ParseOptions({command})->shards, 4) << command;
  }
  for (const char* command : {"merge", "query", "list", "export", "gc"}) {
    EXPECT_EQ(ParseOptions({command})->shards, 1) << command;
  }
  unsetenv("SLURM_PROCID");
}

// Else every rank would tune everything, into one file.
TEST_F(OptionsTest, ARankPastTheSizeIsAnError) {
  setenv("SLURM_NTASKS", "2", 1);
  for (const char* rank : {"2", "x"}) {
    setenv("SLURM_PROCID", rank, 1);
    EXPECT_NE(ErrorOf({}).find("SLURM_PROCID="), std::string::npos) << rank;
    EXPECT_TRUE(ParseOptions({"--shard=0/1"}).ok());
  }
  setenv("SLURM_PROCID", "", 1);
  EXPECT_EQ(ParseOptions({})->shards, 1);
  unsetenv("SLURM_PROCID");
}

TEST_F(OptionsTest, EveryFlagOfACommandIsInItsHelp) {
  const std::string help = Help("tune");
  for (const char* flag :
       {"--shape=", "--shapes=", "--dtype=", "--out-dtype=", "--layout=",
        "--epilogue=", "--ld=", "--batch-stride=", "--policy=", "--kernels=",
        "--device=", "--db=", "--budget=", "--exhaustive",
        "--from-log=", "--shard=", "--force"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
  EXPECT_EQ(Help("list").find("--budget"), std::string::npos);
}

}  // namespace
}  // namespace tiletune
