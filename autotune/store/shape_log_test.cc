#include "autotune/store/shape_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

TEST(ShapeLog, LinesOfOneProblemAddUp) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  ASSERT_TRUE(AppendShape(path, TestProblem(1), 2).ok());
  ASSERT_TRUE(AppendShape(path, TestProblem(2), 1).ok());
  ASSERT_TRUE(AppendShape(path, TestProblem(1), 3).ok());
  auto shapes = ReadShapeLog(path);
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_TRUE((*shapes)[0].problem == Normalized(TestProblem(1)));
  EXPECT_EQ((*shapes)[0].launches, 5);
}

TEST(ShapeLog, LinesOfOneProblemAddUpHoweverItIsWritten) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  std::ofstream(path) << "1000\t16x32x64 bf16 TN -> bf16\n"
                         "1\t16x32x64 bf16 TN -> bf16 lda=64\n";
  auto shapes = ReadShapeLog(path);
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 1u);
  EXPECT_EQ((*shapes)[0].launches, 1001);
}

TEST(ShapeLog, TheMostExpensiveShapeComesFirst) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  ASSERT_TRUE(AppendShape(path, TestProblem(1), 100).ok());
  ASSERT_TRUE(AppendShape(path, TestProblem(64), 1).ok());
  ASSERT_TRUE(AppendShape(path, TestProblem(1024), 1).ok());
  auto shapes = ReadShapeLog(path);
  ASSERT_EQ(shapes->size(), 3u);
  EXPECT_EQ((*shapes)[0].problem.m, 1024);
  EXPECT_EQ((*shapes)[1].problem.m, 1);
  EXPECT_EQ((*shapes)[2].problem.m, 64);
}

TEST(ShapeLog, WhatDoesNotParseIsLeftOutAndCounted) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  std::ofstream(path) << "nonsense\n3\tnot a problem\n-1\t"
                      << ProblemKey(TestProblem()) << "\n\t\n7\t"
                      << ProblemKey(TestProblem());
  LeftOutLines left_out;
  auto shapes = ReadShapeLog(path, &left_out);
  ASSERT_TRUE(shapes.ok());
  ASSERT_EQ(shapes->size(), 1u);
  EXPECT_EQ(shapes->front().launches, 7);
  EXPECT_EQ(left_out.count, 4);
  EXPECT_EQ(left_out.first, "line 1: no tab after a count of launches");
}

TEST(ShapeLog, SaysWhatIsWrongWithALine) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  const std::string key = ProblemKey(TestProblem());
  for (const auto& [line, why] : {
           std::make_pair("-1\t" + key, "'-1' is no count of launches"),
           std::make_pair("99999999999999999999\t" + key,
                          "'99999999999999999999' is no count"),
           std::make_pair(std::string("5\t0x64x64 bf16 TN -> bf16"), "0x64x64"),
       }) {
    std::ofstream(path) << "3\t" << key << "\n" << line << "\n";
    LeftOutLines left_out;
    ASSERT_EQ(ReadShapeLog(path, &left_out)->size(), 1u);
    EXPECT_EQ(left_out.first.rfind("line 2: ", 0), 0u) << left_out.first;
    EXPECT_NE(left_out.first.find(why), std::string::npos) << left_out.first;
  }
}

TEST(ShapeLog, WhatIsNoTextIsNotQuotedAsItIs) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  std::ofstream(path) << "\x1b[2J\t1\n";
  LeftOutLines left_out;
  ASSERT_TRUE(ReadShapeLog(path, &left_out).ok());
  EXPECT_EQ(left_out.first, "line 1: '\\x1b[2J' is no count of launches");
}

TEST(ShapeLog, CountsThatOverflowStayTheLargest) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(
        AppendShape(path, TestProblem(1), std::numeric_limits<int64_t>::max())
            .ok());
  }
  ASSERT_TRUE(AppendShape(path, TestProblem(2), 1).ok());
  auto shapes = ReadShapeLog(path);
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ((*shapes)[0].problem.m, 1);
  EXPECT_EQ((*shapes)[0].launches, std::numeric_limits<int64_t>::max());
}

TEST(ShapeLog, NoFileIsNotFound) {
  EXPECT_EQ(ReadShapeLog("/no/such/file").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(AppendShape("/no/such/file", TestProblem(), 1).ok());
}

TEST(ShapeLog, NothingIsLoggedToAPipe) {
  alarm(20);  // to open one without a reader would wait for ever
  TemporaryFolder folder;
  const std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(AppendShape(path, TestProblem(), 1).code(),
            absl::StatusCode::kFailedPrecondition);
  // With a reader it would fill up and then wait.
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(AppendShape(path, TestProblem(), 1).code(),
            absl::StatusCode::kFailedPrecondition);
  char byte;
  EXPECT_EQ(read(reader, &byte, 1), 0);
  close(reader);
  alarm(0);
}

// TILETUNE_LOG_SHAPES with the value that was meant for TILETUNE_DB.
TEST(ShapeLog, NothingIsLoggedToADatabase) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  const auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(AppendShape(path, TestProblem(), 1)));
  EXPECT_TRUE((*store)->CheckIntegrity().ok());
}

TEST(ShapeLog, ThreadsDoNotTearLines) {
  TemporaryFolder folder;
  const std::string path = folder.File("log");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&path] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(AppendShape(path, TestProblem(1 + i), 1).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto shapes = ReadShapeLog(path);
  ASSERT_EQ(shapes->size(), 100u);
  for (const LoggedShape& shape : *shapes) EXPECT_EQ(shape.launches, 4);
}

}  // namespace
}  // namespace tiletune
