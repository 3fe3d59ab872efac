// What query, list and explain say, and gc of the same rows.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/commands/program_testing.h"
#include "autotune/store/store.h"

namespace tiletune {
namespace {

using Result = Program::Result;

void Sql(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
}

TEST(List, ShowsThePolicyThatIsAskedFor) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x128x64")).status, 0);
  const Result all = program.Run({"list", "--db=x.db"});
  EXPECT_TRUE(Has(all, "64x64x64") && Has(all, "64x128x64")) << all.output;
  const Result one =
      program.Run({"list", "--db=x.db", "--policy=cold-graph-busy0"});
  EXPECT_TRUE(Has(one, "64x64x64")) << one.output;
  EXPECT_FALSE(Has(one, "64x128x64")) << "a prediction is of no policy";
  const Result other =
      program.Run({"list", "--db=x.db", "--policy=warm-stream-busy12"});
  EXPECT_TRUE(Has(other, "holds no winners of that policy")) << other.output;
}

TEST(List, ShowsAPolicyThatIsAskedForTwiceOnce) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  const std::string policy = "--policy=cold-graph-busy0";
  EXPECT_EQ(program.Run({"list", "--db=x.db", policy, policy}).output,
            program.Run({"list", "--db=x.db", policy}).output);
}

TEST(List, NamesTheDeviceOfEachRow) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x64x64")).status, 0);
  for (const Result& r :
       {program.Run({"list", "--db=x.db"}),
        program.Run({"query", "--db=x.db", "--shape=64x64x64"})}) {
    EXPECT_TRUE(Has(r, "\ncc9.0 sm132 l2=7MiB")) << r.output;
    EXPECT_TRUE(Has(r, "\nmodel cc10.0 sm148")) << r.output;
  }
}

// A tuned database after the kernels have changed: the rows are there.
TEST(Query, CountsTheRowsOfOtherBuilds) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  Sql(program.File("x.db"), "UPDATE configs SET build = 'old'");
  const auto measured = [&] {
    const auto store =
        Store::Open(program.File("x.db"), Store::Mode::kReadOnly);
    return (*store)->Measurements({})->size();
  };
  const size_t rows = measured();
  const std::string count = absl::StrCat(rows, " measurements");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list"},
        {"query", "--shape=64x64x64"},
        {"explain", "--shape=64x64x64"},
        {"gc"},
        {"gc", "--other-builds", "--dry-run"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--db=x.db");
    const Result r = program.Run(arguments);
    EXPECT_TRUE(Has(r, count)) << command.back() << ": " << r.output;
    EXPECT_TRUE(Has(r, "other builds")) << r.output;
    EXPECT_EQ(measured(), rows) << command.back();
  }
  EXPECT_EQ(program.Run({"gc", "--other-builds", "--db=x.db"}).status, 0);
  EXPECT_EQ(measured(), 0u);
}

TEST(Query, SaysHowToTuneWhatIsNot) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  const Result r = program.Run(
      {"query", "--shape=64x128x64", "--db=x.db", "--policy=warm-graph-busy0"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r,
                  "autotune tune --problem='64x128x64 bf16 TN -> bf16' "
                  "--policy=warm-graph-busy0 --db=x.db"))
      << r.output;
}

TEST(Query, SaysItInWordsThatAShellTakesApartAgain) {
  Program program;
  const std::string db = "my db's.db";
  ASSERT_EQ(program.Run(FakeTune(db, {"64x64x64"})).status, 0);
  const Result r = program.Run({"query", "--shape=64x128x64", "--db=" + db});
  EXPECT_TRUE(Has(r,
                  "autotune tune --problem='64x128x64 bf16 TN -> bf16' "
                  "--db='my db'\\''s.db'"))
      << r.output;
}

TEST(Explain, SaysHowToTuneWhatIsNot) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  const Result r = program.Run({"explain", "--shape=64x128x64", "--db=x.db"});
  EXPECT_TRUE(Has(r,
                  "autotune tune --problem='64x128x64 bf16 TN -> bf16' "
                  "--db=x.db"))
      << r.output;
}

TEST(Explain, ShowsWhatIsBarredUnderThePolicyThatIsAskedFor) {
  Program program;
  const std::string hangs = "64x64x64", wrong = "64x64x128";
  ASSERT_EQ(program.Run(FakeTune("x.db", {hangs, wrong})).status, 0);
  Sql(program.File("x.db"),
      "INSERT INTO quarantine SELECT DISTINCT device_id, problem_id,"
      " min(config_id), iif(p.k = 64, 'cold-graph-busy12', ''), 'by a test', 1"
      " FROM measurements JOIN problems AS p ON p.id = problem_id"
      " GROUP BY problem_id");
  const auto explain = [&](const std::string& shape, const char* policy) {
    return program.Run({"explain", "--shape=" + shape, "--db=x.db",
                        std::string("--policy=cold-graph-") + policy});
  };
  const Result busy = explain(hangs, "busy12");
  EXPECT_TRUE(Has(busy, ": by a test (under this policy)\n")) << busy.output;
  const Result idle = explain(hangs, "busy0");
  EXPECT_FALSE(Has(idle, "rejected")) << idle.output;
  for (const char* policy : {"busy12", "busy0"}) {
    const Result each = explain(wrong, policy);
    EXPECT_TRUE(Has(each, ": by a test\n")) << each.output;
  }
}

TEST(Query, ShowsPredictionsWhereListDoes) {
  Program program;
  ASSERT_EQ(program.Run(ModelTune("x.db", "64x128x64")).status, 0);
  const std::string policy = "--policy=cold-graph-busy0";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list", "--db=x.db"},
        {"query", "--shape=64x128x64", "--db=x.db"}}) {
    const Result all = program.Run(command);
    EXPECT_TRUE(Has(all, "predicted time")) << all.output;
    std::vector<std::string> of_a_policy = command;
    of_a_policy.push_back(policy);
    const Result one = program.Run(of_a_policy);
    EXPECT_FALSE(Has(one, "predicted time")) << one.output;
  }
}

// Rows that another program could have written: a kernel of this one, and a
// config that it cannot run.
class ImpossibleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(program_.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
    Sql(program_.File("x.db"),
        "UPDATE configs SET key = 'garbage' WHERE id ="
        " (SELECT id FROM configs WHERE key = (SELECT config FROM winners))");
  }

  Program program_;
};

TEST_F(ImpossibleTest, ListAndQueryMarkIt) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list", "--db=x.db"},
        {"query", "--shape=64x64x64", "--db=x.db"}}) {
    const Result r = program_.Run(command);
    EXPECT_TRUE(Has(r, " impossible\n")) << r.output;
    EXPECT_TRUE(Has(r, "gc --impossible drops them")) << r.output;
    std::vector<std::string> json = command;
    json.push_back("--format=json");
    EXPECT_TRUE(Has(program_.Run(json), "\"impossible\": ")) << r.output;
  }
}

TEST_F(ImpossibleTest, TuneLetsItWinNoMore) {
  const Result r = program_.Run(FakeTune("x.db", {"64x64x64"}));
  EXPECT_FALSE(Has(r, " impossible\n")) << r.output;
  EXPECT_TRUE(Has(r, "gc --impossible drops them")) << r.output;
  const Result list = program_.Run({"list", "--db=x.db"});
  EXPECT_TRUE(Has(list, "64x64x64")) << list.output;
  EXPECT_FALSE(Has(list, " impossible\n")) << list.output;
}

TEST_F(ImpossibleTest, VerifyNamesIt) {
  const Result r = program_.Run({"verify", "--device=fake:1", "--db=x.db"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "impossible: \"garbage\" is not a config")) << r.output;
  EXPECT_TRUE(Has(r, "1 cannot be true: autotune gc")) << r.output;
}

TEST_F(ImpossibleTest, ImportAndMergeLeaveItOut) {
  ASSERT_EQ(program_.Run({"export", "--db=x.db", "--output=x.jsonl"}).status,
            0);
  const Result imported = program_.Run({"import", "--db=y.db", "x.jsonl"});
  EXPECT_TRUE(
      Has(imported, "left out, as they cannot be true; the first: line"))
      << imported.output;
  const Result merged = program_.Run({"merge", "--db=z.db", "x.db"});
  EXPECT_TRUE(Has(merged, "left out, as they cannot be true")) << merged.output;
  for (const char* db : {"--db=y.db", "--db=z.db"}) {
    EXPECT_FALSE(Has(program_.Run({"list", db}), "impossible"));
  }
}

TEST_F(ImpossibleTest, GcDropsItWhereThatIsSaid) {
  const Result kept = program_.Run({"gc", "--db=x.db"});
  EXPECT_TRUE(Has(kept, "that cannot be true; --impossible drops them"))
      << kept.output;
  EXPECT_TRUE(Has(program_.Run({"list", "--db=x.db"}), "impossible"));
  const Result gone = program_.Run({"gc", "--impossible", "--db=x.db"});
  EXPECT_TRUE(Has(gone, "dropped 2 measurements")) << gone.output;
  EXPECT_FALSE(Has(program_.Run({"list", "--db=x.db"}), "impossible"));
}

TEST(Gc, DoesNotSayThatItDroppedWhatItCouldNot) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  Sql(program.File("x.db"),
      "UPDATE configs SET build = 'old';"
      "CREATE TRIGGER stop BEFORE DELETE ON measurements"
      " BEGIN SELECT RAISE(ABORT, 'stop'); END");
  const Result r = program.Run({"gc", "--other-builds", "--db=x.db"});
  EXPECT_NE(r.status, 0) << r.output;
  EXPECT_FALSE(Has(r, "drop")) << r.output;
}

TEST(List, SaysThatItWaits) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  sqlite3* holder = nullptr;
  ASSERT_EQ(sqlite3_open(program.File("x.db").c_str(), &holder), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  std::thread release([holder] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    sqlite3_close(holder);
  });
  const Result r = program.Run({"list", "--db=x.db"});
  release.join();
  EXPECT_EQ(r.status, 0) << r.output;
  EXPECT_EQ(r.output.rfind("autotune: waiting for another process", 0), 0u)
      << r.output;
}

TEST(List, NamesTheDatabaseInWhichSomethingIsMissing) {
  Program program;
  ASSERT_EQ(program.Run(FakeTune("x.db", {"64x64x64"})).status, 0);
  Sql(program.File("x.db"), "DROP TABLE predictions");
  const Result r = program.Run({"list", "--db=x.db"});
  EXPECT_EQ(r.status, 1) << r.output;
  EXPECT_TRUE(Has(r, "x.db: cannot prepare: no such table")) << r.output;
  EXPECT_TRUE(Has(r, "restore a copy")) << r.output;
}

}  // namespace
}  // namespace tiletune
