#include "autotune/worker/gpu_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

std::string PathOf(const std::string& name) {
  if (name.rfind('/', 0) == 0) return name;
  std::string path = "/tmp/tiletune-gpu-";
  for (char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) ||
                       c == '.' || c == ':' || c == '-';
    path.push_back(plain ? c : '_');
  }
  return path + ".lock";
}

// Another user's file in /tmp may not be opened with O_CREAT
// (fs.protected_regular), nor for writing; locking it needs neither.
int Open(const std::string& path) {
  const int flags = O_CLOEXEC | O_NOFOLLOW;
  int descriptor = open(path.c_str(), O_RDWR | O_CREAT | flags, 0644);
  if (descriptor < 0) descriptor = open(path.c_str(), O_RDONLY | flags);
  return descriptor;
}

}  // namespace

absl::StatusOr<GpuLock> GpuLock::Take(const std::string& name) {
  const std::string path = PathOf(name);
  const int descriptor = Open(path);
  if (descriptor < 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot open the lock file ", path, ": ", std::strerror(errno)));
  }
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    char holder[32] = {};
    const ssize_t n = read(descriptor, holder, sizeof(holder) - 1);
    close(descriptor);
    return absl::FailedPreconditionError(absl::StrCat(
        "process ", n > 0 ? holder : "(unknown)",
        " is tuning on this GPU, and two at once would time each other; wait "
        "for it, or say --force to store times that are wrong"));
  }
  // For the message above; best effort.
  const std::string pid = absl::StrCat(getpid());
  if (ftruncate(descriptor, 0) == 0) {
    (void)!pwrite(descriptor, pid.data(), pid.size(), 0);
  }
  return GpuLock(descriptor);
}

GpuLock::~GpuLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace tiletune
