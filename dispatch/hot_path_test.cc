// A hit allocates nothing and calls no system. Nor does a miss that is
// remembered.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>

#include "dispatch/dispatch_testing.h"
#include "dispatch/many_problems.h"
#include "dispatch/tuned_gemm.h"

namespace {
std::atomic<int64_t> g_allocations{0};
}  // namespace

// Not inlined, or the compiler sees malloc meet operator delete and warns.
__attribute__((noinline)) void* operator new(size_t size) {
  ++g_allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace tiletune {
namespace {

// From here on every system call but exit kills this process.
void ForbidSystemCalls() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(97);
  }
}

// The wait status of a child that ran `body` without system calls: 0 when it
// made none.
int StatusWithoutSystemCalls(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    ForbidSystemCalls();
    body();
    syscall(SYS_exit, 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class HotPathTest : public ::testing::Test {
 protected:
  HotPathTest() {
    FakeKernels::Reset();
    FakeKernels::silent = true;
    TunedGemmOptions options;
    options.user_database = folder_.File("many.db");
    options.system_database = "";
    options.shape_log = "";
    options.device = TestDevice();
    options.backend = &FakeKernels::Backend();
    problems_ = TuneMany(*options.user_database, 200, TestDevice());
    gemm_ = *TunedGemm::Open(options);
    EXPECT_EQ(gemm_->tuned_problems(), problems_.size());
    EXPECT_TRUE(gemm_->Choose(untuned_).ok());
  }

  void RunAll() {
    for (const GemmProblem& problem : problems_) {
      if (!gemm_->Run(problem, {}, nullptr).ok()) std::abort();
    }
    if (!gemm_->Run(untuned_, {}, nullptr).ok()) std::abort();
  }

  TemporaryFolder folder_;
  std::vector<GemmProblem> problems_;
  const GemmProblem untuned_ = TestProblem(3, 5, 7);
  std::unique_ptr<TunedGemm> gemm_;
};

TEST_F(HotPathTest, AllocatesNothing) {
  const int64_t before = g_allocations;
  RunAll();
  const int64_t after = g_allocations;
  EXPECT_EQ(after, before);
}

TEST_F(HotPathTest, CallsNoSystem) {
  EXPECT_EQ(StatusWithoutSystemCalls([this] { RunAll(); }), 0);
}

// The two tests above can fail.
TEST_F(HotPathTest, AnErrorAllocates) {
  GemmProblem bad = untuned_;
  bad.m = -1;
  const int64_t before = g_allocations;
  const bool ok = gemm_->Choose(bad).ok();
  const int64_t after = g_allocations;
  EXPECT_FALSE(ok);
  EXPECT_GT(after, before);
}

TEST_F(HotPathTest, ReloadingCallsTheSystem) {
  const int status = StatusWithoutSystemCalls([this] { gemm_->Reload(); });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

}  // namespace
}  // namespace tiletune
