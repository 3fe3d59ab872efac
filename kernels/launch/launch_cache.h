// The launches that a thread has made lately, ready to be enqueued again.
//
//   LaunchCache& cache = LaunchCache::OfThisThread();
//   const LaunchRequest request(problem, config, arguments, ...);
//   const PreparedGemm* known = cache.Find(request);
//   if (known != nullptr) return known->Launch(stream);
//   PreparedGemm& gemm = cache.Claim(request);   // and prepare it there
//   if (gemm.Launch(stream).ok()) cache.Keep(request);
#ifndef TILETUNE_KERNELS_LAUNCH_LAUNCH_CACHE_H_
#define TILETUNE_KERNELS_LAUNCH_LAUNCH_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/launch/launch_request.h"
#include "kernels/prepared_gemm.h"

namespace tiletune {

// Belongs to one thread: no locks, no atomics. Holds at most kCapacity
// launches of some 2.5 KB, made as they are claimed; a full set forgets its
// launches in turn. Finding one neither allocates nor calls the system.
class LaunchCache {
 public:
  static constexpr size_t kCapacity = 1024;

  static LaunchCache& OfThisThread();

  // nullptr when there is none. Valid until the next Claim().
  const PreparedGemm* Find(const LaunchRequest& request) const;
  // The last one that was kept of this problem, config and device, whatever
  // its operands. It may have been forgotten.
  const PreparedGemm* FindShape(const LaunchRequest& request) const;

  // Where the launch of this request is to be prepared: a place that nobody
  // finds until Keep(), with whatever it held before.
  PreparedGemm& Claim(const LaunchRequest& request);
  // What was prepared in the place that was claimed last is this request's.
  void Keep(const LaunchRequest& request);

 private:
  static constexpr size_t kWays = 8;
  static constexpr size_t kSets = kCapacity / kWays;
  static constexpr size_t kShapes = 256;

  struct Entry {
    bool is_kept = false;
    LaunchRequest request;
    PreparedGemm gemm;
  };

  bool IsKept(size_t at) const {
    return entries_[at] != nullptr && entries_[at]->is_kept;
  }
  static size_t FirstOf(const LaunchRequest& request) {
    return request.hash() % kSets * kWays;
  }
  static uint32_t TagOf(const LaunchRequest& request) {
    return static_cast<uint32_t>(request.hash() >> 32);
  }

  // Tags lie apart: those of a set are in one cache line.
  alignas(64) std::array<uint32_t, kCapacity> tags_ = {};
  std::array<std::unique_ptr<Entry>, kCapacity> entries_;
  std::array<uint16_t, kShapes> last_of_shape_ = {};  // places in entries_
  size_t claimed_ = 0;
  std::array<uint8_t, kSets> next_victims_ = {};
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_LAUNCH_CACHE_H_
