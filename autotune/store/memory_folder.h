// A folder of one test, in memory where there is such a file system: a tuner
// waits for the disk twice a measurement, and tests should not.
//
//   MemoryFolder folder;
//   auto store = *Store::Open(folder.File("x.db"), Store::Mode::kReadWrite);
//   // gone with the folder
#ifndef TILETUNE_AUTOTUNE_STORE_MEMORY_FOLDER_H_
#define TILETUNE_AUTOTUNE_STORE_MEMORY_FOLDER_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tiletune {

class MemoryFolder {
 public:
  MemoryFolder() {
    const char* disk = std::getenv("TEST_TMPDIR");
    const std::string root = access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                             : disk != nullptr             ? disk
                                                           : "/tmp";
    path_ = root + "/tiletuneXXXXXX";
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_MEMORY_FOLDER_H_
