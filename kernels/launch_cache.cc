#include "kernels/launch_cache.h"

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
    if (tags_[at] != tag || entries_[at] == nullptr) continue;
    if (entries_[at]->request == request) return &entries_[at]->gemm;
  }
  return nullptr;
}

const PreparedGemm* LaunchCache::FindShape(const LaunchRequest& request) const {
  const Entry* entry =
      entries_[last_of_shape_[request.shape_hash() % kShapes]].get();
  if (entry == nullptr || !entry->request.HasShapeOf(request)) return nullptr;
  return &entry->gemm;
}

void LaunchCache::Store(const LaunchRequest& request,
                        const PreparedGemm& gemm) {
  const size_t first = FirstOf(request);
  size_t at = first;
  while (at < first + kWays && entries_[at] != nullptr &&
         !(entries_[at]->request == request)) {
    ++at;
  }
  if (at == first + kWays) at = first + next_victim_++ % kWays;
  if (entries_[at] == nullptr) entries_[at] = std::make_unique<Entry>();
  tags_[at] = TagOf(request);
  entries_[at]->request = request;
  entries_[at]->gemm = gemm;
  last_of_shape_[request.shape_hash() % kShapes] = static_cast<uint16_t>(at);
}

}  // namespace tiletune
