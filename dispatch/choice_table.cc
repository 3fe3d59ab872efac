#include "dispatch/choice_table.h"

#include "dispatch/problem_hash.h"

namespace tiletune {
namespace {

// Never 0, which marks a free slot.
uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1; }

}  // namespace

ChoiceTable::ChoiceTable(const std::vector<TableEntry>& entries) {
  size_t slots = 16;
  while (2 * slots < 3 * entries.size()) slots *= 2;
  tags_.resize(slots);
  slots_.resize(slots);
  mask_ = slots - 1;
  for (const TableEntry& entry : entries) {
    const uint64_t hash = HashProblem(entry.problem);
    size_t at = hash & mask_;
    while (tags_[at] != 0 && slots_[at].problem != entry.problem) {
      at = (at + 1) & mask_;
    }
    if (tags_[at] != 0) continue;
    tags_[at] = TagOf(hash);
    slots_[at] = entry;
    ++size_;
  }
}

const TableEntry* ChoiceTable::Find(const GemmProblem& normalized) const {
  const uint64_t hash = HashProblem(normalized);
  const uint32_t tag = TagOf(hash);
  size_t at = hash & mask_;
  // The entry is most likely here: fetch it while the tag is on its way.
  for (size_t line = 0; line < sizeof(TableEntry); line += 64) {
    __builtin_prefetch(reinterpret_cast<const char*>(&slots_[at]) + line);
  }
  for (;; at = (at + 1) & mask_) {
    if (tags_[at] == 0) return nullptr;
    if (tags_[at] == tag && slots_[at].problem == normalized) {
      return &slots_[at];
    }
  }
}

std::vector<const TableEntry*> ChoiceTable::Entries() const {
  std::vector<const TableEntry*> entries;
  entries.reserve(size_);
  for (size_t at = 0; at <= mask_; ++at) {
    if (tags_[at] != 0) entries.push_back(&slots_[at]);
  }
  return entries;
}

}  // namespace tiletune
