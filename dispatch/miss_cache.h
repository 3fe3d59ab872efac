// What dispatch worked out for problems that nobody tuned, so that it need not
// again: of fixed size, read without locks, written in place.
//
//   MissCache cache(1024);
//   cache.Store(normalized, choice);
//   Choice choice; int64_t launches;
//   if (cache.Find(normalized, &choice, &launches)) Launch(choice.config);
#ifndef TILETUNE_DISPATCH_MISS_CACHE_H_
#define TILETUNE_DISPATCH_MISS_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "dispatch/choice.h"
#include "kernels/problem.h"

namespace tiletune {

// Safe from several threads at once. Each slot is a sequence lock: its number
// is odd while somebody writes, and a reader that saw it change reads again
// elsewhere. All words are atomic, so a torn read is noticed and never used.
// H.-J. Boehm, "Can seqlocks get along with programming language memory
// models?", MSPC 2012.
class MissCache {
 public:
  // Room for `capacity` problems, rounded up to a power of two of at least 8;
  // a full set forgets an older one.
  explicit MissCache(size_t capacity);
  ~MissCache();

  // True: *choice is what was stored for the problem, and *finds how often it
  // has been found, this time included. Neither allocates nor locks.
  bool Find(const GemmProblem& normalized, Choice* choice, int64_t* finds);

  void Store(const GemmProblem& normalized, const Choice& choice);

  // Calls `use` for every problem in the cache. Others may go on meanwhile.
  void ForEach(
      const std::function<void(const GemmProblem&, int64_t finds)>& use) const;

  size_t capacity() const { return mask_ + 1; }

 private:
  struct Slot;

  Slot& At(uint64_t hash, size_t way);
  struct Content;
  // False: free, being written, or changed while it was read.
  static bool Read(const Slot& slot, Content* content);

  std::unique_ptr<Slot[]> slots_;
  size_t mask_;
  std::mutex writing_;
  uint32_t next_victim_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_MISS_CACHE_H_
