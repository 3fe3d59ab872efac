#include "testing/emulator/machine/zero_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace tiletune::emulator {

// Not calloc: what was freed once it gives out again from memory, and clears.
ZeroPages::ZeroPages(size_t words)
    : bytes_(std::max<size_t>(words, 1) * sizeof(uint64_t)) {
  void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_NOHUGEPAGE
  // A huge page would take 2 MiB for one word. Kernels without them refuse.
  (void)madvise(pages, bytes_, MADV_NOHUGEPAGE);
#endif
  words_ = static_cast<uint64_t*>(pages);
}

ZeroPages::~ZeroPages() { munmap(words_, bytes_); }

}  // namespace tiletune::emulator
