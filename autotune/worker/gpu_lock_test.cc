#include "autotune/worker/gpu_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

// Of a lock file that goes with the test's other files.
std::string Name(const char* test) { return testing::TempDir() + "/" + test; }

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

TEST(GpuLock, APathIsTheFile) {
  const std::string path = Name("here.lock");
  EXPECT_TRUE(GpuLock::Take(path).ok());
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
}

TEST(GpuLock, AGpusFileIsWhereEveryUsersTunerLooks) {
  const std::string name = "test:" + std::to_string(getpid());
  const std::string path = "/tmp/tiletune-gpu-" + name + ".lock";
  EXPECT_TRUE(GpuLock::Take(name).ok());
  EXPECT_EQ(unlink(path.c_str()), 0);
}

}  // namespace
}  // namespace tiletune
