#include "testing/launch/hot_path.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_allocations{0};

void* Allocate(size_t size, size_t alignment) {
  ++g_allocations;
  // aligned_alloc wants whole alignments.
  size = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// Not inlined, or the compiler sees malloc meet operator delete and warns.
__attribute__((noinline)) void* operator new(size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
__attribute__((noinline)) void* operator new(size_t size,
                                             std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory,
                                               std::align_val_t) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, size_t,
                                               std::align_val_t) noexcept {
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

}  // namespace

int64_t AllocationsSoFar() { return g_allocations; }

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

}  // namespace tiletune
