#include "dispatch/choice_table.h"

#include <utility>

#include "dispatch/problem_hash.h"

namespace tiletune {

ChoiceTable::ChoiceTable(std::vector<TableEntry> entries) {
  size_t slots = 16;
  while (slots < 2 * entries.size()) slots *= 2;
  slots_.resize(slots);
  mask_ = slots - 1;
  entries_.reserve(entries.size());
  for (TableEntry& entry : entries) {
    const uint64_t hash = HashProblem(entry.problem);
    size_t at = hash & mask_;
    bool known = false;
    for (; slots_[at].entry_plus_one != 0; at = (at + 1) & mask_) {
      known = known ||
              entries_[slots_[at].entry_plus_one - 1].problem == entry.problem;
    }
    if (known) continue;
    entries_.push_back(std::move(entry));
    slots_[at].tag = static_cast<uint32_t>(hash >> 32);
    slots_[at].entry_plus_one = static_cast<uint32_t>(entries_.size());
  }
}

const TableEntry* ChoiceTable::Find(const GemmProblem& normalized) const {
  const uint64_t hash = HashProblem(normalized);
  const uint32_t tag = static_cast<uint32_t>(hash >> 32);
  for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.entry_plus_one == 0) return nullptr;
    if (slot.tag != tag) continue;
    const TableEntry& entry = entries_[slot.entry_plus_one - 1];
    if (entry.problem == normalized) return &entry;
  }
}

}  // namespace tiletune
