#include "testing/emulator/machine/trace.h"

#include "gtest/gtest.h"
#include "testing/emulator/snippet/read_trace.h"

namespace tiletune::emulator {
namespace {

using Kind = Trace::RowKind;

ReadTrace Written(const Trace& trace) {
  const std::string path = TracePath("trace");
  EXPECT_TRUE(trace.WriteFile(path));
  return ReadTrace(path);
}

TEST(Trace, WritesChromeTraceEvents) {
  Trace trace;
  const int row = trace.AddRow(1, 2, Kind::kNested);
  trace.NameRow(row, "warp \"0\"");
  trace.Slice(row, "TMA load", "async", 10, 25, {{"line", "7"}});
  trace.Instant(row, "refused", "clc", 30);
  EXPECT_EQ(
      trace.Json(),
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
      "\"args\":{\"name\":\"SM 1\"}},\n"
      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,"
      "\"args\":{\"name\":\"warp \\\"0\\\"\"}},\n"
      "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":1,\"tid\":1,"
      "\"args\":{\"sort_index\":1}},\n"
      "{\"ph\":\"X\",\"name\":\"TMA load\",\"pid\":1,\"tid\":1,"
      "\"cat\":\"async\",\"ts\":10,\"dur\":15,\"args\":{\"line\":\"7\"}},\n"
      "{\"ph\":\"i\",\"name\":\"refused\",\"pid\":1,\"tid\":1,"
      "\"cat\":\"clc\",\"ts\":30,\"s\":\"t\"}\n]}\n");
}

TEST(Trace, KeepsSlicesThatNestOnOneRow) {
  Trace trace;
  const int row = trace.AddRow(0, 0, Kind::kNested);
  trace.Slice(row, "wait", "", 2, 5);
  trace.Slice(row, "tile", "", 2, 9);
  trace.Slice(row, "next", "", 9, 12);
  const ReadTrace read = Written(trace);
  EXPECT_TRUE(read.IsWellFormed());
  for (const auto& slice : read.slices()) EXPECT_EQ(slice.row_id, 1);
}

TEST(Trace, GivesSlicesThatCrossARowEach) {
  Trace trace;
  const int row = trace.AddRow(0, 0, Kind::kNested);
  trace.Slice(row, "a", "", 0, 10);
  trace.Slice(row, "b", "", 5, 15);
  trace.Slice(row, "c", "", 12, 14);
  const ReadTrace read = Written(trace);
  EXPECT_TRUE(read.IsWellFormed());
  ASSERT_EQ(read.slices().size(), 3u);
  EXPECT_EQ(read.slices()[1].row_id, 2);
  EXPECT_EQ(read.slices()[2].row_id, 1);
}

TEST(Trace, DoesNotNestOnAFlatRow) {
  Trace trace;
  const int row = trace.AddRow(0, 0, Kind::kFlat);
  trace.Slice(row, "a", "", 0, 10);
  trace.Slice(row, "b", "", 2, 5);
  const ReadTrace read = Written(trace);
  ASSERT_EQ(read.slices().size(), 2u);
  EXPECT_NE(read.slices()[0].row_id, read.slices()[1].row_id);
}

TEST(Trace, OrdersRowsAsTheyWereAsked) {
  Trace trace;
  trace.Slice(trace.AddRow(0, 7, Kind::kFlat), "late", "", 0, 1);
  trace.Slice(trace.AddRow(0, 3, Kind::kFlat), "early", "", 0, 1);
  const std::string json = trace.Json();
  EXPECT_LT(json.find("early"), json.find("late"));
}

}  // namespace
}  // namespace tiletune::emulator
