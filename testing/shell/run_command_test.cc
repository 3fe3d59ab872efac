#include "testing/shell/run_command.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(RunCommand, HasTheExitStatusAndAllThatWasPrinted) {
  const CommandOutcome ran = RunCommand("echo one; echo two >&2; exit 3");
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.output, "one\ntwo\n");
  EXPECT_TRUE(ran.Has("two"));
  EXPECT_FALSE(ran.Has("three"));
}

TEST(RunCommand, ASignalIsNoExitStatus) {
  EXPECT_EQ(RunCommand("kill -9 $$").code, -1);
}

}  // namespace
}  // namespace tiletune
