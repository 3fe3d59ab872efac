#include "testing/emulator/runtime/stream.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator::runtime {
namespace {

class Streams : public testing::Test {
 protected:
  Work Note(char letter) {
    return [this, letter] {
      log_ += letter;
      return cudaSuccess;
    };
  }

  std::string log_;
  Stream stream_;
  Stream other_;
};

TEST_F(Streams, RunWorkAtOnce) {
  EXPECT_EQ(stream_.Submit(Note('a')), cudaSuccess);
  EXPECT_EQ(log_, "a");
}

TEST_F(Streams, OnlyRecordWhileCaptured) {
  ASSERT_EQ(stream_.BeginCapture(), cudaSuccess);
  stream_.Submit(Note('a'));
  stream_.Submit(Note('b'));
  EXPECT_EQ(log_, "");
  const std::unique_ptr<Graph> graph = stream_.EndCapture();
  ASSERT_NE(graph, nullptr);
  graph->Run();
  graph->Run();
  EXPECT_EQ(log_, "abab");
  EXPECT_FALSE(stream_.is_capturing());
}

TEST_F(Streams, ThatJoinedACaptureLeaveItWhenItEnds) {
  ASSERT_EQ(stream_.BeginCapture(), cudaSuccess);
  other_.Join(stream_.capture());
  other_.Submit(Note('a'));
  EXPECT_EQ(other_.EndCapture(), nullptr) << "it did not begin it";
  EXPECT_EQ(stream_.EndCapture()->works.size(), 1u);
  other_.Submit(Note('b'));
  EXPECT_EQ(log_, "b");
}

TEST_F(Streams, DoNotBeginTwoCaptures) {
  ASSERT_EQ(stream_.BeginCapture(), cudaSuccess);
  EXPECT_EQ(stream_.BeginCapture(), cudaErrorIllegalState);
}

TEST_F(Streams, StopAGraphAtItsFirstError) {
  Graph graph;
  graph.works = {Note('a'), [] { return cudaErrorLaunchFailure; }, Note('b')};
  EXPECT_EQ(graph.Run(), cudaErrorLaunchFailure);
  EXPECT_EQ(log_, "a");
}

}  // namespace
}  // namespace tiletune::emulator::runtime
