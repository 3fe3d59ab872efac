#include "testing/emulator/stop_on_signal.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(StopOnSignal, SaysThatASignalCameAndThenRaisesIt) {
  EXPECT_EXIT(
      {
        const StopOnSignal signals;
        if (signals.came()) std::_Exit(3);
        raise(SIGTERM);  // does not end the program here
        if (!signals.came()) std::_Exit(4);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopOnSignal, ChangesNothingWhenNoSignalCame) {
  { const StopOnSignal signals; }
  struct sigaction now = {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST(StopOnSignal, LeavesAProgramsOwnHandlerAlone) {
  ASSERT_NE(::signal(SIGINT, SIG_IGN), SIG_ERR);
  {
    const StopOnSignal signals;
    raise(SIGINT);
    EXPECT_FALSE(signals.came());
  }
  ::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace tiletune::emulator
