#include "autotune/worker/child_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace {

std::atomic<int64_t> set_by_seconds{0};

}  // namespace

// The time of day of this program, which its tests set.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME) time->tv_sec += set_by_seconds;
  return result;
}

namespace tiletune {
namespace {

std::unique_ptr<ChildProcess> Shell(const std::string& script) {
  return std::move(ChildProcess::Start({"/bin/sh", "-c", script}).value());
}

TEST(ChildProcess, AnswersLinesWithLines) {
  auto child = Shell("while read x; do echo \"<$x>\"; done");
  EXPECT_EQ(child->Ask("one", absl::Seconds(5)).value(), "<one>");
  EXPECT_EQ(child->Ask("two", absl::Seconds(5)).value(), "<two>");
}

TEST(ChildProcess, KeepsALongAnswerWhole) {
  auto child = Shell("while read x; do echo \"$x$x$x\"; done");
  const std::string line(100000, 'a');
  EXPECT_EQ(child->Ask(line, absl::Seconds(10)).value(), line + line + line);
}

TEST(ChildProcess, ReportsAHangAtItsDeadline) {
  auto child = Shell("read x; exec sleep 100");
  const absl::Time start = absl::Now();
  const absl::Status status =
      child->Ask("go", absl::Milliseconds(200)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_LT(absl::Now() - start, absl::Seconds(2));
}

// As a server of time does on a machine that has just started.
class ClockThatIsSet {
 public:
  explicit ClockThatIsSet(int64_t seconds)
      : before_(absl::Now()), setter_([seconds] {
          absl::SleepFor(absl::Milliseconds(100));
          set_by_seconds = seconds;
        }) {}
  ~ClockThatIsSet() {
    setter_.join();
    const absl::Duration moved = absl::Now() - before_;
    EXPECT_GT(absl::AbsDuration(moved), absl::Minutes(30)) << "it is not set";
    set_by_seconds = 0;
  }

 private:
  const absl::Time before_;
  std::thread setter_;
};

TEST(ChildProcess, IsNotLateWhereTheClockIsSetForward) {
  auto child = Shell("while read x; do sleep 0.4; echo \"<$x>\"; done");
  ClockThatIsSet clock(3600);
  EXPECT_EQ(child->Ask("one", absl::Seconds(20)).value(), "<one>");
}

TEST(ChildProcess, IsLateWhereTheClockIsSetBack) {
  alarm(20);
  auto child = Shell("read x; exec sleep 100");
  ClockThatIsSet clock(-3600);
  EXPECT_EQ(child->Ask("go", absl::Milliseconds(400)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  alarm(0);
}

TEST(ChildProcess, ReportsHowAChildEnded) {
  EXPECT_NE(Shell("read x; kill -SEGV $$")
                ->Ask("go", absl::Seconds(5))
                .status()
                .message()
                .find("signal 11"),
            absl::string_view::npos);
  EXPECT_NE(Shell("read x; exit 3")
                ->Ask("go", absl::Seconds(5))
                .status()
                .message()
                .find("status 3"),
            absl::string_view::npos);
}

TEST(ChildProcess, SurvivesWritingToADeadChild) {
  auto child = Shell("exit 0");
  absl::SleepFor(absl::Milliseconds(100));
  EXPECT_EQ(child->Ask("go", absl::Seconds(5)).status().code(),
            absl::StatusCode::kUnavailable);
}

// A tuner that is killed must not leave a worker holding the GPU.
TEST(ChildProcess, DiesWithItsParent) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    auto child = Shell("read x; echo $$; exec sleep 100");
    const std::string pid = child->Ask("go", absl::Seconds(5)).value() + "\n";
    if (write(report[1], pid.data(), pid.size()) < 0) _exit(1);
    pause();
    _exit(0);
  }
  char text[32] = {};
  ASSERT_GT(read(report[0], text, sizeof(text) - 1), 0);
  const pid_t grandchild = atoi(text);
  ASSERT_EQ(kill(grandchild, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    // Nobody may reap it here, so a zombie counts as gone.
    std::string stat = "/proc/" + std::to_string(grandchild) + "/stat";
    FILE* file = fopen(stat.c_str(), "r");
    char state = 'Z';
    if (file != nullptr) {
      if (fscanf(file, "%*d %*s %c", &state) != 1) state = 'Z';
      fclose(file);
    }
    gone = state == 'Z';
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace tiletune
