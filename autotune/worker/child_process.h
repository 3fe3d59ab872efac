// A child process that answers one line with one line. The tuner runs kernels
// in one, because a kernel may hang or kill the process it runs in.
//
//   auto child = ChildProcess::Start({"/proc/self/exe", "worker"});
//   absl::StatusOr<std::string> answer =
//       (*child)->Ask("{\"op\":\"hello\"}", absl::Seconds(5));
//   if (!answer.ok()) (*child)->Kill();   // hung, or gone: says which
#ifndef TILETUNE_AUTOTUNE_WORKER_CHILD_PROCESS_H_
#define TILETUNE_AUTOTUNE_WORKER_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tiletune {

// Not thread-safe. The child is killed when this object goes, and by the kernel
// when the thread that started it dies, however it dies (PR_SET_PDEATHSIG), so
// no child outlives a killed tuner and keeps its GPU.
class ChildProcess {
 public:
  // Runs arguments[0] with `arguments`; its standard input and output are the
  // line channel, its standard error ours. Internal if the system refuses.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const std::vector<std::string>& arguments);

  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends `line` (no newline in it) and waits for the answering line, without
  // its newline. DeadlineExceeded if none came in `limit`; Unavailable with
  // how the child ended ("killed by signal 11") if it ended first. After
  // either the child is of no more use: Kill it.
  absl::StatusOr<std::string> Ask(std::string_view line, absl::Duration limit);

  // SIGKILL, and reaps it. Harmless when it is gone already.
  void Kill();

 private:
  ChildProcess(pid_t pid, int channel) : pid_(pid), channel_(channel) {}

  // Reaps a child whose channel closed and says how it ended.
  std::string HowItEnded();

  pid_t pid_;
  int channel_;
  std::string unread_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_WORKER_CHILD_PROCESS_H_
