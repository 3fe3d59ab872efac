#include "autotune/worker/gpu_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::string Name(const char* test) {
  return std::string("test:") + test + std::to_string(getpid());
}

TEST(GpuLock, KeepsASecondTunerOff) {
  const std::string name = Name("second");
  const absl::StatusOr<GpuLock> first = GpuLock::Take(name);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::Status second = GpuLock::Take(name).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(second.message().find(std::to_string(getpid())),
            absl::string_view::npos)
      << "it says who holds the lock: " << second;
}

TEST(GpuLock, IsFreeAgainAfterItsHolder) {
  const std::string name = Name("again");
  { ASSERT_TRUE(GpuLock::Take(name).ok()); }
  EXPECT_TRUE(GpuLock::Take(name).ok());
}

TEST(GpuLock, IsFreeAgainAfterItsHolderWasKilled) {
  const std::string name = Name("killed");
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = GpuLock::Take(name);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(GpuLock::Take(name).ok());
}

TEST(GpuLock, GpusDoNotShareALock) {
  const absl::StatusOr<GpuLock> one = GpuLock::Take(Name("one"));
  EXPECT_TRUE(GpuLock::Take(Name("other")).ok());
}

}  // namespace
}  // namespace tiletune
