#include "testing/emulator/machine/vector_clock.h"

#include <algorithm>

namespace tiletune::emulator {

uint32_t VectorClock::Get(uint32_t actor) const {
  auto it = std::lower_bound(
      entries_.begin(), entries_.end(), actor,
      [](const Entry& entry, uint32_t a) { return entry.actor < a; });
  return it != entries_.end() && it->actor == actor ? it->clock : 0;
}

void VectorClock::Set(uint32_t actor, uint32_t clock) {
  auto it = std::lower_bound(
      entries_.begin(), entries_.end(), actor,
      [](const Entry& entry, uint32_t a) { return entry.actor < a; });
  if (it != entries_.end() && it->actor == actor) {
    it->clock = std::max(it->clock, clock);
  } else {
    entries_.insert(it, Entry{actor, clock});
  }
}

void VectorClock::Join(const VectorClock& other) {
  all_below_ = std::max(all_below_, other.all_below_);
  if (other.entries_.empty()) return;
  if (entries_.empty()) {
    entries_ = other.entries_;
    return;
  }
  // The common case: the same actors on both sides, or few new ones.
  size_t i = 0;
  size_t missing = 0;
  for (const Entry& entry : other.entries_) {
    while (i < entries_.size() && entries_[i].actor < entry.actor) ++i;
    if (i < entries_.size() && entries_[i].actor == entry.actor) {
      entries_[i].clock = std::max(entries_[i].clock, entry.clock);
    } else {
      ++missing;
    }
  }
  if (missing == 0) return;
  std::vector<Entry> merged;
  merged.reserve(entries_.size() + missing);
  i = 0;
  for (const Entry& entry : other.entries_) {
    while (i < entries_.size() && entries_[i].actor < entry.actor) {
      merged.push_back(entries_[i++]);
    }
    if (i < entries_.size() && entries_[i].actor == entry.actor) {
      merged.push_back(entries_[i++]);
    } else {
      merged.push_back(entry);
    }
  }
  while (i < entries_.size()) merged.push_back(entries_[i++]);
  entries_ = std::move(merged);
}

bool VectorClock::Includes(const VectorClock& other) const {
  if (all_below_ < other.all_below_) return false;
  size_t i = 0;
  for (const Entry& entry : other.entries_) {
    while (i < entries_.size() && entries_[i].actor < entry.actor) ++i;
    if (i == entries_.size() || entries_[i].actor != entry.actor ||
        entries_[i].clock < entry.clock) {
      return false;
    }
  }
  return true;
}

}  // namespace tiletune::emulator
