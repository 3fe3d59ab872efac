#include "autotune/command_line/problems.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "autotune/command_line/problem_flags.h"
#include "autotune/store/shape_log.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(ProblemsOf, AreTheModelsUnlessShapesAreGiven) {
  EXPECT_GE(ProblemsOf(Options())->size(), 4u);
  Options options;
  options.shapes = {{16, 32, 64}, {16, 32, 64}, {16, 32, 128}};
  EXPECT_EQ(ProblemsOf(options)->size(), 2u) << "a duplicate is dropped";
}

TEST(ProblemsOf, TakeAWholeProblemByItsKey) {
  GemmProblem problem = ProblemOf({16, 32, 64}, Options()).value();
  problem.b_type = problem.a_type = DataType::kFp8E5m2;
  problem.pointer_alignment = 4;
  Options options;
  options.problems = {ProblemKey(problem)};
  const auto problems = ProblemsOf(options);
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1u);
  EXPECT_EQ(problems->front(), problem);
  for (const char* bad : {"nonsense", "0x64x64 bf16 TN -> bf16"}) {
    options.problems = {bad};
    EXPECT_FALSE(ProblemsOf(options).ok()) << bad;
  }
}

TEST(ProblemsOf, TakeALogOfDispatchMostExpensiveFirst) {
  const std::string path = ::testing::TempDir() + "/shapes.log";
  std::remove(path.c_str());
  const GemmProblem small = ProblemOf({16, 32, 64}, Options()).value();
  const GemmProblem large = ProblemOf({160, 32, 64}, Options()).value();
  ASSERT_TRUE(AppendShape(path, small, 1).ok());
  ASSERT_TRUE(AppendShape(path, large, 2).ok());
  Options options;
  options.from_log = path;
  const auto problems = ProblemsOf(options);
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_EQ(*problems, (std::vector<GemmProblem>{large, small}));
  LaunchCounts launches;
  ASSERT_TRUE(ProblemsOf(options, &launches).ok());
  EXPECT_EQ(launches,
            (LaunchCounts{{ProblemKey(small), 1}, {ProblemKey(large), 2}}));
}

TEST(ProblemsOf, RefuseToReadOneFileAndDropAnother) {
  const std::string csv = ::testing::TempDir() + "/both.csv";
  const std::string log = ::testing::TempDir() + "/both.log";
  std::ofstream(csv) << "m,n,k\n16,32,64\n";
  std::remove(log.c_str());
  ASSERT_TRUE(
      AppendShape(log, ProblemOf({16, 32, 64}, Options()).value(), 1).ok());
  Options options;
  options.shapes_file = csv;
  ASSERT_TRUE(ProblemsOf(options).ok());
  options.from_log = log;
  EXPECT_EQ(ProblemsOf(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ProblemsOf, ShardsAreDisjointAndComplete) {
  Options options;
  const size_t all = ProblemsOf(options)->size();
  options.shards = 3;
  size_t sum = 0;
  for (options.shard = 0; options.shard < 3; ++options.shard) {
    sum += ProblemsOf(options)->size();
  }
  EXPECT_EQ(sum, all);
}

TEST(ProblemsOf, ModelsThatAreNamedAreAdded) {
  Options options;
  options.shapes = {{16, 32, 64}};
  EXPECT_EQ(ProblemsOf(options)->size(), 1u);
  options.given = {"models"};
  EXPECT_EQ(ProblemsOf(options)->size(), 1 + ProblemsOf(Options())->size());
}

TEST(ProblemsOf, AFlagThatChangesNoProblemIsAnError) {
  Options options;
  options.dtype = "fp16";
  options.given = {"dtype", "problem"};
  options.problems = {"16x32x64 bf16 TN -> bf16"};
  EXPECT_NE(ProblemsOf(options).status().message().find("--dtype: "),
            absl::string_view::npos);
  options.shapes = {{16, 32, 64}};
  ASSERT_TRUE(ProblemsOf(options).ok());
  EXPECT_EQ(ProblemsOf(options)->front().a_type, DataType::kFp16);
}

TEST(ProblemsOf, AFileWithoutProblemsIsAnError) {
  const std::string path = ::testing::TempDir() + "/empty.csv";
  std::ofstream(path) << "m,n,k\n";
  Options csv;
  csv.shapes_file = path;
  EXPECT_NE(ProblemsOf(csv).status().message().find("empty.csv"),
            absl::string_view::npos);
  Options log;
  log.from_log = path;
  EXPECT_FALSE(ProblemsOf(log).ok());
}

TEST(ProblemsOf, NamesAFileThatIsNotThere) {
  Options options;
  options.shapes_file = "/nonexistent/shapes.csv";
  const std::string csv(ProblemsOf(options).status().message());
  EXPECT_EQ(csv,
            "/nonexistent/shapes.csv: cannot be read: No such file or "
            "directory");
  options.shapes_file.clear();
  options.from_log = "/nonexistent/log";
  const std::string log(ProblemsOf(options).status().message());
  EXPECT_EQ(log, "/nonexistent/log: cannot be read: No such file or directory");
}

TEST(ProblemsOf, AFileThatCannotBeReadIsNotAnEmptyOne) {
  Options csv;
  csv.shapes_file = ::testing::TempDir();
  EXPECT_FALSE(ProblemsOf(csv).ok());
  Options log;
  log.from_log = ::testing::TempDir();
  EXPECT_FALSE(ProblemsOf(log).ok());
}

}  // namespace
}  // namespace tiletune
