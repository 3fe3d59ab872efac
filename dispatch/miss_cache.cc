#include "dispatch/miss_cache.h"

#include <cstring>
#include <type_traits>

#include "dispatch/problem_hash.h"

namespace tiletune {
namespace {

constexpr size_t kWays = 4;

}  // namespace

struct MissCache::Content {
  GemmProblem problem;
  Choice choice;
};

struct MissCache::Slot {
  static_assert(std::is_trivially_copyable_v<Content>);
  static constexpr size_t kWords = (sizeof(Content) + 7) / 8;

  std::atomic<uint64_t> sequence{0};  // 0: never written; odd: being written
  std::atomic<uint64_t> hash{0};
  std::atomic<int64_t> finds{0};
  std::atomic<uint64_t> words[kWords] = {};
};

MissCache::MissCache(size_t capacity) {
  size_t slots = 8;
  while (slots < capacity) slots *= 2;
  slots_.reset(new Slot[slots]);
  mask_ = slots - 1;
}

MissCache::~MissCache() = default;

MissCache::Slot& MissCache::At(uint64_t hash, size_t way) {
  return slots_[(hash + way) & mask_];
}

bool MissCache::Find(const GemmProblem& normalized, Choice* choice,
                     int64_t* finds) {
  const uint64_t hash = HashProblem(normalized);
  for (size_t way = 0; way < kWays; ++way) {
    Slot& slot = At(hash, way);
    if (slot.hash.load(std::memory_order_relaxed) != hash) continue;
    Content content;
    if (!Read(slot, &content) || content.problem != normalized) continue;
    *choice = content.choice;
    *finds = slot.finds.fetch_add(1, std::memory_order_relaxed) + 1;
    return true;
  }
  return false;
}

bool MissCache::Read(const Slot& slot, Content* content) {
  const uint64_t before = slot.sequence.load(std::memory_order_acquire);
  if (before == 0 || before % 2 == 1) return false;
  uint64_t words[Slot::kWords];
  // Acquire, so that no later load of `sequence` can come before these.
  for (size_t i = 0; i < Slot::kWords; ++i) {
    words[i] = slot.words[i].load(std::memory_order_acquire);
  }
  if (slot.sequence.load(std::memory_order_relaxed) != before) return false;
  std::memcpy(static_cast<void*>(content), words, sizeof(*content));
  return true;
}

void MissCache::ForEach(
    const std::function<void(const GemmProblem&, int64_t)>& use) const {
  for (size_t i = 0; i <= mask_; ++i) {
    Content content;
    if (!Read(slots_[i], &content)) continue;
    use(content.problem, slots_[i].finds.load(std::memory_order_relaxed));
  }
}

void MissCache::Store(const GemmProblem& normalized, const Choice& choice) {
  const std::lock_guard<std::mutex> lock(writing_);
  const uint64_t hash = HashProblem(normalized);
  // The slot of the same problem, else a free one, else one in turn.
  Slot* slot = nullptr;
  for (size_t way = 0; way < kWays && slot == nullptr; ++way) {
    Slot& candidate = At(hash, way);
    if (candidate.hash.load(std::memory_order_relaxed) == hash) {
      slot = &candidate;
    }
  }
  for (size_t way = 0; way < kWays && slot == nullptr; ++way) {
    Slot& candidate = At(hash, way);
    if (candidate.sequence.load(std::memory_order_relaxed) == 0) {
      slot = &candidate;
    }
  }
  if (slot == nullptr) slot = &At(hash, next_victim_++ % kWays);

  Content content = {normalized, choice};
  uint64_t words[Slot::kWords] = {};
  std::memcpy(words, &content, sizeof(content));
  const uint64_t before = slot->sequence.load(std::memory_order_relaxed);
  slot->sequence.store(before + 1, std::memory_order_relaxed);
  // Release, so that a reader that sees a new word sees the odd number too.
  for (size_t i = 0; i < Slot::kWords; ++i) {
    slot->words[i].store(words[i], std::memory_order_release);
  }
  slot->hash.store(hash, std::memory_order_relaxed);
  slot->finds.store(0, std::memory_order_relaxed);
  slot->sequence.store(before + 2, std::memory_order_release);
}

}  // namespace tiletune
