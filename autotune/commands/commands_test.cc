// The program as its users meet it.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "autotune/commands/program_testing.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

using Result = Program::Result;

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Program, TunesAModelledDeviceAndAnswersQueries) {
  Program program;
  const Result tuned = program.Run(ModelTune("x.db", "4096x4096x4096"));
  EXPECT_EQ(tuned.status, 0) << tuned.output;
  EXPECT_TRUE(Has(tuned, "Predictions of the cost model")) << tuned.output;
  const Result found =
      program.Run({"query", "--shape=4096x4096x4096", "--db=x.db"});
  EXPECT_EQ(found.status, 0) << found.output;
  EXPECT_TRUE(Has(found, "sm100_")) << found.output;
  EXPECT_TRUE(Has(found, "predicted")) << found.output;
  const Result json = program.Run(
      {"query", "--shape=4096x4096x4096", "--db=x.db", "--format=json"});
  EXPECT_TRUE(Has(json, "\"source\": \"predicted\"")) << json.output;
}

TEST(Program, SaysThatThereIsNoGpuAndModelsOne) {
  Program program;
  const Result r = program.Run({"--shape=64x64x64", "--db=x.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "No CUDA device here")) << r.output;
  EXPECT_TRUE(Has(r, "model:b200")) << r.output;
}

TEST(Program, APredictionIsNoAnswerForARealDevice) {
  Program program;
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64", "model:h200")).status, 0);
  const Result r = program.Run({"query", "--shape=64x64x64", "--db=x.db",
                                "--device=cc9.0 sm132 l2=60MiB bw4800 p700"});
  EXPECT_EQ(r.status, 1) << r.output;
}

TEST(Program, EndsWithTwoAndASentenceOnABadCommandLine) {
  Program program;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"tune", "--shape=4096"},
        {"tune", "--dtype=int4", "--shape=1x1x1"},
        {"tune", "--policy=hot-graph-busy0", "--shape=1x1x1"},
        {"tune", "--ld=3", "--shape=8x8x8"},
        {"tune", "--kernels=zzz", "--shape=8x8x8"},
        {"tune", "--kernels=", "--shape=8x8x8"},
        {"tune", "--shapes=a.csv", "--from-log=b.log"},
        {"frobnicate"},
        {"query"},
        {"list", "--format=xml"}}) {
    const Result r = program.Run(arguments);
    EXPECT_EQ(r.status, 2) << arguments.back() << ": " << r.output;
    EXPECT_EQ(r.output.find("autotune: "), 0u) << r.output;
    EXPECT_EQ(r.output.find('\n'), r.output.size() - 1) << r.output;
  }
}

TEST(Program, FailsWithASentenceWhereThereIsNoSuchDevice) {
  Program program;
  const Result r = program.Run(
      {"tune", "--device=model:b900", "--shape=1x1x1", "--db=x.db"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(Has(r, "b200")) << "it lists what there is: " << r.output;
}

TEST(Program, TakesRelativePathsFromWhereTheUserStands) {
  Program program;
  Program elsewhere;
  program.Set("BUILD_WORKING_DIRECTORY", elsewhere.folder());
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64")).status, 0);
  EXPECT_TRUE(Store::Open(elsewhere.File("x.db"), Store::Mode::kReadOnly).ok());
  program.Set("TILETUNE_DB", "y.db");
  ASSERT_EQ(
      program.Run({"tune", "--device=model:b200", "--shape=64x64x64"}).status,
      0);
  EXPECT_TRUE(Store::Open(elsewhere.File("y.db"), Store::Mode::kReadOnly).ok());
}

TEST(Program, KeepsItsDatabaseInTheDataFolder) {
  Program program;
  program.Set("TILETUNE_DB", "");
  program.Set("XDG_DATA_HOME", program.folder());
  ASSERT_EQ(
      program.Run({"tune", "--device=model:b200", "--shape=64x64x64"}).status,
      0);
  EXPECT_TRUE(
      Store::Open(program.File("tiletune/tiletune.db"), Store::Mode::kReadOnly)
          .ok());
}

TEST(Program, ExplainsARanking) {
  Program program;
  program.Set("TILETUNE_FAKE_FAULTS", "wrong:*o1nz*");
  ASSERT_EQ(
      program.Run(FakeTune("x.db", {"512x1024x1024"}, {"--exhaustive"})).status,
      0);
  const Result r =
      program.Run({"explain", "--shape=512x1024x1024", "--db=x.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "default")) << r.output;
  EXPECT_TRUE(Has(r, "rejected")) << r.output;
}

TEST(Program, ExplainsPredictionsWhereNothingWasMeasured) {
  Program program;
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64")).status, 0);
  const Result r = program.Run({"explain", "--shape=64x64x64", "--db=x.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "predicted time")) << r.output;
  EXPECT_TRUE(Has(r, "nothing measured")) << r.output;
}

TEST(Program, TunesWithClosedStandardStreams) {
  Program program;
  const pid_t pid = program.Start(FakeTune("x.db", {"64x64x64"}), nullptr);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST(Program, FailsWhenItsOutputIsLost) {
  Program program;
  const pid_t pid = program.Start({"help"}, "/dev/full");
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Program, FailsWhereItsOutputIsClosed) {
  Program program;
  const pid_t pid = program.Start({"help"}, nullptr);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Program, MakesNoDatabaseWhereThereIsNothingToTakeOver) {
  Program program;
  for (const char* command : {"merge", "import"}) {
    const Result r = program.Run({command, "--db=x.db", "missing"});
    EXPECT_EQ(r.status, 1) << r.output;
    EXPECT_NE(access(program.File("x.db").c_str(), F_OK), 0) << command;
  }
}

TEST(Program, RefusesADatabaseThatIsAPipe) {
  Program program;
  ASSERT_EQ(mkfifo(program.File("pipe").c_str(), 0600), 0);
  for (const char* command : {"list", "tune", "gc"}) {
    const Result r = program.Run({command, "--db=pipe"});
    EXPECT_EQ(r.status, 1) << r.output;
    EXPECT_TRUE(Has(r, "not a regular file")) << r.output;
  }
}

TEST(Program, MakesNoDatabaseWhereItNeedsOne) {
  Program program;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"gc", "--db=missing.db"},
        {"devices", "--db=missing.db"},
        {"verify", "--device=fake:1", "--db=missing.db"}}) {
    const Result r = program.Run(command);
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(Has(r, "missing.db does not exist")) << r.output;
    EXPECT_NE(access(program.File("missing.db").c_str(), F_OK), 0);
  }
}

TEST(Program, WritesNoOutputOverADatabase) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"export", "--db=x.db", "--output=x.db"},
        {"regret", "--device=fake:1", "--include-unproven", "--shape=64x64x64",
         "--kernels=sm90_16b_64x64x64_*", "--db=r.db", "--output=x.db"}}) {
    const Result r = program.Run(command);
    EXPECT_EQ(r.status, 1);
    EXPECT_TRUE(Has(r, "x.db is a database")) << r.output;
  }
  EXPECT_TRUE(Has(program.Run({"list", "--db=x.db"}), "64x64x64"));
}

TEST(Program, SaysThatAnOutputIsNotWhole) {
  Program program;
  const Result r = program.Run(
      {"regret", "--device=fake:1", "--include-unproven", "--shape=64x64x64",
       "--kernels=sm90_16b_64x64x64_*", "--db=r.db", "--output=/dev/full"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "/dev/full: was not written whole")) << r.output;
}

TEST(Program, MakesNoFolderThatAFlagNames) {
  Program program;
  const std::string db = "--db=missing/x.db";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tune", "--device=model:b200",
                                 "--shape=64x64x64", db},
        {"regret", "--device=fake:1", "--shape=64x64x64", db},
        {"merge", db, "x.db"}}) {
    ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64")).status, 0);
    const Result r = program.Run(command);
    EXPECT_EQ(r.status, 1) << r.output;
    EXPECT_TRUE(Has(r, "there is no folder")) << r.output;
    EXPECT_NE(access(program.File("missing").c_str(), F_OK), 0);
  }
}

TEST(Program, SaysWhichDatabaseIsNew) {
  Program program;
  const std::vector<std::string> tune = ModelTune("x.db", "64x64x64");
  EXPECT_TRUE(Has(program.Run(tune), "x.db (new)\n"));
  EXPECT_FALSE(Has(program.Run(tune), "(new)"));
}

TEST(Program, SaysItsVersion) {
  Program program;
  for (const char* argument : {"version", "--version"}) {
    const Result r = program.Run({argument});
    EXPECT_EQ(r.status, 0) << r.output;
    EXPECT_EQ(r.output.rfind("autotune 0.", 0), 0u) << r.output;
  }
}

TEST(Program, TunesALogByTheTimeThatItsShapesTook) {
  Program program;
  const std::string large = "1024x1024x1024", decode = "1x16384x16384";
  std::ofstream(program.File("log")) << "1\t" << large << " bf16 TN -> bf16\n"
                                     << "1\t" << decode << " bf16 TN -> bf16\n";
  const Result r = program.Run(
      {"tune", "--device=model:h200", "--from-log=log", "--db=x.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_LT(r.output.find(decode), r.output.find(large)) << r.output;
}

TEST(Program, SaysThatThePredictionsOfSomeKernelsAreNotStored) {
  Program program;
  const Result r =
      program.Run({"tune", "--device=model:b200", "--shape=64x64x64",
                   "--kernels=reference_naive", "--db=x.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "Not stored")) << r.output;
  EXPECT_EQ(program.Run({"query", "--shape=64x64x64", "--db=x.db"}).status, 1);
}

TEST(Program, BeginsNoShapeWhenItsBudgetIsSpent) {
  Program program;
  const Result r = program.Run(FakeTune(
      "x.db", {"64x64x64", "64x128x64", "64x256x64"}, {"--budget=0.0001"}));
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "of 3 were not begun")) << r.output;
}

TEST(Program, StopsWhereItsDatabaseIsDeleted) {
  Program program;
  program.Set("TILETUNE_FAKE_DELAY_US", "20000");
  std::ofstream(program.File("output")) << "";
  const pid_t pid =
      program.Start(FakeTune("x.db", {"512x512x512", "64x64x64", "64x128x64"}),
                    program.File("output").c_str());
  while (access(program.File("x.db").c_str(), F_OK) != 0) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  absl::SleepFor(absl::Milliseconds(500));
  unlink(program.File("x.db").c_str());
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(Read(program.File("output")).find("deleted meanwhile"),
            std::string::npos)
      << Read(program.File("output"));
}

TEST(Program, SaysThatCsvHoldsNoPredictions) {
  Program program;
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64")).status, 0);
  const Result r = program.Run({"export", "--format=csv", "--db=x.db"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "jsonl")) << r.output;
}

TEST(Program, AnEmptyListOfShapesIsAnError) {
  Program program;
  std::ofstream(program.File("empty.csv")) << "m,n,k\n";
  std::ofstream(program.File("log")) << "nothing\n";
  for (const char* flag : {"--shapes=empty.csv", "--from-log=log"}) {
    const Result r = program.Run({"tune", flag, "--db=x.db"});
    EXPECT_EQ(r.status, 2) << r.output;
    EXPECT_TRUE(Has(r, "no problem in it")) << r.output;
  }
}

TEST(Program, ComparesTwoTunes) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("a.db", {"64x64x64", "64x128x64"})).status, 0);
  ASSERT_EQ(program.Run(FakeTune("b.db", {"64x64x64"})).status, 0);
  const Result r = program.Run({"agree", "--db=a.db", "b.db"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "1 shapes: 1 with the same winner")) << r.output;
  EXPECT_EQ(program.Run({"agree", "--db=a.db"}).status, 2);
  EXPECT_EQ(program.Run({"agree", "--db=a.db", "missing.db"}).status, 1);
}

TEST(Program, NamesADatabaseOnce) {
  Program program;
  const Result r = program.Run({"list", "--db=missing.db"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_EQ(r.output.find("missing.db"), r.output.rfind("missing.db"))
      << r.output;
}

TEST(Program, ExportsAndImports) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("a.db", {"64x64x64"})).status, 0);
  ASSERT_EQ(program.Run({"export", "--db=a.db", "--output=a.jsonl"}).status, 0);
  ASSERT_EQ(program.Run({"import", "--db=b.db", "a.jsonl"}).status, 0);
  ASSERT_EQ(program.Run({"export", "--db=b.db", "--output=b.jsonl"}).status, 0);
  EXPECT_FALSE(Read(program.File("a.jsonl")).empty());
  EXPECT_EQ(Read(program.File("a.jsonl")), Read(program.File("b.jsonl")));
}

// Imports what another database exported to `file`, from standard input.
void ExpectImportsStandardInput(const std::string& file,
                                const std::vector<std::string>& import) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("a.db", {"64x64x64"})).status, 0);
  ASSERT_EQ(program.Run({"export", "--db=a.db", "--output=" + file}).status, 0);
  const int input = open(program.File(file).c_str(), O_RDONLY);
  const int before = dup(STDIN_FILENO);
  dup2(input, STDIN_FILENO);
  const Result r = program.Run(import);
  dup2(before, STDIN_FILENO);
  close(before);
  close(input);
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_FALSE(Has(r, " 0 rows")) << r.output;
}

TEST(Program, ImportsStandardInput) {
  ExpectImportsStandardInput("a.jsonl", {"import", "--db=b.db", "-"});
}

TEST(Program, ImportsStandardInputAsCsvToo) {
  ExpectImportsStandardInput("a.csv",
                             {"import", "--db=b.db", "--format=csv", "-"});
}

TEST(Program, SaysHowToImportACompressedFile) {
  Program program;
  std::ofstream(program.File("a.jsonl.gz")) << "\x1f\x8b\x08";
  const Result r = program.Run({"import", "--db=b.db", "a.jsonl.gz"});
  EXPECT_EQ(r.status, 2) << r.output;
  EXPECT_TRUE(Has(r, "gunzip")) << r.output;
  EXPECT_NE(access(program.File("b.db").c_str(), F_OK), 0);
}

TEST(Program, MakesNoDatabaseOfOneThatLacksATable) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("a.db", {"64x64x64"})).status, 0);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(program.File("a.db").c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "DROP TABLE marks", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  const Result r = program.Run({"merge", "--db=new.db", "a.db"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "a.db is not whole")) << r.output;
  EXPECT_TRUE(Has(r, "marks")) << r.output;
  EXPECT_NE(access(program.File("new.db").c_str(), F_OK), 0);
}

TEST(Program, SaysThatAShardIsEmpty) {
  Program program;
  const Result r = program.Run(FakeTune("a.db", {"64x64x64"}, {"--shard=1/2"}));
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "Shard 1 of 2 is empty")) << r.output;
}

TEST(Program, ShardsMergeIntoTheWhole) {
  Program program;
  const std::vector<std::string> shapes = {"64x64x64", "64x128x64",
                                           "128x64x64"};
  ASSERT_EQ(program.Run(FakeTune("whole.db", shapes)).status, 0);
  ASSERT_EQ(program.Run(FakeTune("part.db", shapes, {"--shard=0/2"})).status,
            0);
  program.Set("SLURM_PROCID", "1");
  program.Set("SLURM_NTASKS", "2");
  ASSERT_EQ(program.Run(FakeTune("part.db", shapes)).status, 0);
  program.Set("SLURM_NTASKS", "");
  for (const char* parts :
       {"part.0-of-2.db", "part.1-of-2.db", "part.0-of-2.db"}) {
    const Result r = program.Run({"merge", "--db=all.db", parts});
    ASSERT_EQ(r.status, 0) << r.output;
  }
  const std::vector<std::string> list = {"list", "--format=json"};
  const Result whole = program.Run({"list", "--format=json", "--db=whole.db"});
  const Result merged = program.Run({"list", "--format=json", "--db=all.db"});
  EXPECT_EQ(whole.output, merged.output);
  EXPECT_TRUE(Has(whole, "128x64x64"));
}

TEST(Program, KeepsASecondTunerOffTheSameGpu) {
  Program program;
  program.Set("TILETUNE_FAKE_DELAY_US", "100000");
  const pid_t first = program.Start(FakeTune("a.db", {"512x512x512"}));
  absl::SleepFor(absl::Seconds(1));
  const Result second = program.Run(FakeTune("b.db", {"64x64x64"}));
  EXPECT_EQ(second.status, 1) << second.output;
  EXPECT_TRUE(Has(second, "--force")) << second.output;
  program.Set("TILETUNE_FAKE_DELAY_US", "0");
  EXPECT_EQ(program.Run(FakeTune("b.db", {"64x64x64"}, {"--force"})).status, 0);
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
}

TEST(Program, ComparesAKernelWithItself) {
  Program program;
  const Result r =
      program.Run({"aa", "--device=fake:1", "--shape=64x64x64", "--trials=5"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "5 trials")) << r.output;
}

TEST(Program, RefusesToTimeOnAModel) {
  Program program;
  for (const char* flag :
       {"--policy=warm-stream-busy12", "--budget=5", "--timeout=1",
        "--exhaustive", "--batch-invariant"}) {
    for (const char* device : {"auto", "model:b200"}) {
      const Result r =
          program.Run({"tune", flag, "--shape=64x64x64", "--db=x.db",
                       std::string("--device=") + device});
      EXPECT_EQ(r.status, 2) << r.output;
      EXPECT_TRUE(Has(r, "modelled device")) << r.output;
    }
  }
  EXPECT_NE(access(program.File("x.db").c_str(), F_OK), 0);
}

TEST(Program, PredictsForTheKernelsThatAreNamed) {
  Program program;
  const Result r = program.Run({"tune", "--device=model:b200", "--db=x.db",
                                "--shape=64x64x64", "--kernels=sm90*"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "no kernel here whose name matches 'sm90*'")) << r.output;
}

TEST(Program, TellsWhatPruningCosts) {
  Program program;
  const Result r =
      program.Run({"regret", "--device=fake:1", "--include-unproven",
                   "--db=x.db", "--kernels=sm90_16b_64x*x64_*",
                   "--shape=512x1024x1024", "--offsets=1,8", "--output=r.csv"});
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_TRUE(Has(r, "regret: median")) << r.output;
  EXPECT_TRUE(Has(r, "of the GPU")) << r.output;
  EXPECT_TRUE(Has(r, "of its first 8")) << r.output;
  const std::string csv = Read(program.File("r.csv"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
}

TEST(Program, HelpsWithoutBeingAsked) {
  Program program;
  EXPECT_TRUE(Has(program.Run({"--help"}), "autotune help COMMAND"));
  EXPECT_TRUE(Has(program.Run({"tune", "--help"}), "--shape=MxNxK"));
  EXPECT_TRUE(Has(program.Run({"help", "merge"}), "FILE"));
}

}  // namespace
}  // namespace tiletune
