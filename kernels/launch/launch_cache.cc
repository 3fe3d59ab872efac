#include "kernels/launch/launch_cache.h"

namespace tiletune {

LaunchCache& LaunchCache::OfThisThread() {
  // Behind a pointer: thread-local storage of a shared library is scarce.
  static thread_local const std::unique_ptr<LaunchCache> cache =
      std::make_unique<LaunchCache>();
  return *cache;
}

const PreparedGemm* LaunchCache::Find(const LaunchRequest& request) const {
  const size_t first = FirstOf(request);
  const uint32_t tag = TagOf(request);
  for (size_t at = first; at < first + kWays; ++at) {
    if (tags_[at] != tag || !IsKept(at)) continue;
    if (entries_[at]->request == request) return &entries_[at]->gemm;
  }
  return nullptr;
}

const PreparedGemm* LaunchCache::FindShape(const LaunchRequest& request) const {
  const Entry* entry =
      entries_[last_of_shape_[request.shape_hash() % kShapes]].get();
  if (entry == nullptr || !entry->is_kept ||
      !entry->request.HasShapeOf(request)) {
    return nullptr;
  }
  return &entry->gemm;
}

PreparedGemm& LaunchCache::Claim(const LaunchRequest& request) {
  const size_t first = FirstOf(request);
  claimed_ = first;
  while (claimed_ < first + kWays && IsKept(claimed_)) ++claimed_;
  if (claimed_ == first + kWays) {
    claimed_ = first + next_victims_[first / kWays]++ % kWays;
  }
  std::unique_ptr<Entry>& entry = entries_[claimed_];
  if (entry == nullptr) entry = std::make_unique<Entry>();
  entry->is_kept = false;
  return entry->gemm;
}

void LaunchCache::Keep(const LaunchRequest& request) {
  entries_[claimed_]->request = request;
  entries_[claimed_]->is_kept = true;
  tags_[claimed_] = TagOf(request);
  last_of_shape_[request.shape_hash() % kShapes] =
      static_cast<uint16_t>(claimed_);
}

}  // namespace tiletune
