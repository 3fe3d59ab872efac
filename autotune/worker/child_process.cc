#include "autotune/worker/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "autotune/measure/steady_now.h"

namespace tiletune {
namespace {

// In the child, between fork and exec: async-signal-safe calls alone.
[[noreturn]] void Become(char* const* arguments, int channel, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before prctl
  dup2(channel, STDIN_FILENO);
  dup2(channel, STDOUT_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const std::vector<std::string>& arguments) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::InternalError(
        absl::StrCat("socketpair: ", std::strerror(errno)));
  }
  std::vector<char*> raw;
  for (const std::string& argument : arguments) {
    raw.push_back(const_cast<char*>(argument.c_str()));
  }
  raw.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(raw.data(), ends[1], parent);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return absl::InternalError(absl::StrCat("fork: ", std::strerror(errno)));
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, ends[0]));
}

ChildProcess::~ChildProcess() {
  Kill();
  close(channel_);
}

absl::StatusOr<std::string> ChildProcess::Ask(std::string_view line,
                                              absl::Duration limit) {
  const absl::Time deadline = SteadyNow() + limit;
  std::string message(line);
  message.push_back('\n');
  for (size_t sent = 0; sent < message.size();) {
    const ssize_t n = send(channel_, message.data() + sent,
                           message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::UnavailableError(HowItEnded());
    sent += n;
  }
  while (true) {
    const size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string answer = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return answer;
    }
    const absl::Duration left = deadline - SteadyNow();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError(
          absl::StrCat("no answer in ", absl::FormatDuration(limit)));
    }
    pollfd watched = {channel_, POLLIN, 0};
    // Rounded up: a remainder below a millisecond must not spin.
    const int milliseconds = static_cast<int>(
        std::min<int64_t>(absl::ToInt64Milliseconds(left) + 1, 1 << 30));
    const int ready = poll(&watched, 1, milliseconds);
    if (ready <= 0) continue;
    char buffer[4096];
    const ssize_t n = read(channel_, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::UnavailableError(HowItEnded());
    unread_.append(buffer, n);
  }
}

void ChildProcess::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string ChildProcess::HowItEnded() {
  if (pid_ <= 0) return "it had ended before";
  int status = 0;
  // The channel is closed, so it is ending; it may take a moment to be reaped.
  for (int i = 0; i < 200; ++i) {
    const pid_t reaped = waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_) {
      pid_ = -1;
      if (WIFSIGNALED(status)) {
        return absl::StrCat("killed by signal ", WTERMSIG(status), " (",
                            strsignal(WTERMSIG(status)), ")");
      }
      return absl::StrCat("exited with status ", WEXITSTATUS(status));
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
  return "closed its channel and stayed";
}

}  // namespace tiletune
