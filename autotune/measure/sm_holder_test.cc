#include "autotune/measure/sm_holder.h"

#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

// Notes what is asked of it, in turn.
class NotingHolder : public SmHolder {
 public:
  absl::Status Enter() override {
    calls += "enter ";
    return entered;
  }
  bool HasEnded() override {
    calls += "ended? ";
    return has_ended;
  }
  absl::Status Leave() override {
    calls += "leave ";
    return left;
  }

  absl::Status Take(const absl::Status& taken = absl::OkStatus()) {
    return TakeBeside(this, [&] {
      calls += "take ";
      return taken;
    });
  }

  absl::Status entered, left;
  bool has_ended = false;
  std::string calls;
};

TEST(TakeBeside, TakesWhileTheSmsAreHeld) {
  NotingHolder holder;
  EXPECT_TRUE(holder.Take().ok());
  EXPECT_EQ(holder.calls, "enter take ended? leave ");
}

TEST(TakeBeside, RefusesWhatOutlastedTheHolder) {
  NotingHolder holder;
  holder.has_ended = true;
  EXPECT_TRUE(absl::IsDeadlineExceeded(holder.Take()));
  EXPECT_EQ(holder.calls, "enter take ended? leave ");
}

TEST(TakeBeside, TakesNothingWhereTheSmsAreNotFree) {
  NotingHolder holder;
  holder.entered = absl::DeadlineExceededError("no SM in a second");
  EXPECT_EQ(holder.Take(), holder.entered);
  EXPECT_EQ(holder.calls, "enter ");
}

TEST(TakeBeside, LeavesWhereTakingFails) {
  NotingHolder holder;
  holder.has_ended = true;
  const absl::Status crashed = absl::InternalError("the kernel crashed");
  EXPECT_EQ(holder.Take(crashed), crashed) << "its own error, not the clock's";
  EXPECT_EQ(holder.calls, "enter take ended? leave ");
}

TEST(TakeBeside, SaysThatLeavingFailed) {
  NotingHolder holder;
  holder.left = absl::InternalError("the context is broken");
  EXPECT_EQ(holder.Take(), holder.left);
}

TEST(TakeBeside, NobodyHoldsAnIdleGpu) {
  const absl::Status own = absl::AbortedError("its own");
  EXPECT_EQ(TakeBeside(nullptr, [&] { return own; }), own);
}

}  // namespace
}  // namespace tiletune
