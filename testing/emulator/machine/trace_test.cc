#include "testing/emulator/machine/trace.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(Trace, WritesChromeTraceEvents) {
  Trace trace(true);
  trace.NameRow(1, 2, "warp \"0\"");
  trace.Complete("TMA load", "async", 1, 2, 10, 25);
  EXPECT_EQ(trace.Json(),
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,"
            "\"args\":{\"name\":\"warp \\\"0\\\"\"}},\n"
            "{\"ph\":\"X\",\"name\":\"TMA load\",\"cat\":\"async\",\"pid\":1,"
            "\"tid\":2,\"ts\":10,\"dur\":15}\n]}\n");
}

TEST(Trace, RecordsNothingWhenDisabled) {
  Trace trace(false);
  trace.Instant("x", "y", 0, 0, 1);
  EXPECT_EQ(trace.Json().find("\"ph\""), std::string::npos);
}

}  // namespace
}  // namespace tiletune::emulator
