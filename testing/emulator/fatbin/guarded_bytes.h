// A copy of some bytes right before memory that cannot be read, so that one
// byte too far is a fault, with or without a sanitizer. For tests.
//
//   GuardedBytes image(fatbin);
//   auto ptx = PtxOfImage(image.data(), 90);
//   // A read of image.data()[fatbin.size()] would have ended the process.
#ifndef TILETUNE_TESTING_EMULATOR_FATBIN_GUARDED_BYTES_H_
#define TILETUNE_TESTING_EMULATOR_FATBIN_GUARDED_BYTES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tiletune::emulator {

class GuardedBytes {
 public:
  // Ends the process when there is no memory.
  explicit GuardedBytes(std::string_view bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t pages = (bytes.size() + page - 1) / page;
    mapped_bytes_ = (pages + 1) * page;
    mapping_ = mmap(nullptr, mapped_bytes_, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED ||
        (pages != 0 &&
         mprotect(mapping_, pages * page, PROT_READ | PROT_WRITE) != 0)) {
      std::abort();
    }
    data_ = static_cast<char*>(mapping_) + pages * page - bytes.size();
    if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
  }
  ~GuardedBytes() { munmap(mapping_, mapped_bytes_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  const char* data() const { return data_; }

 private:
  void* mapping_ = nullptr;
  size_t mapped_bytes_ = 0;
  char* data_ = nullptr;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FATBIN_GUARDED_BYTES_H_
