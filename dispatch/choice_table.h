// An immutable map from problems to choices: the hot path of dispatch.
//
//   ChoiceTable table(entries);
//   const TableEntry* hit = table.Find(normalized);   // nullptr: a miss
//   if (hit != nullptr) Launch(hit->choice.config);
//   // Find allocates nothing, locks nothing and calls no system.
#ifndef TILETUNE_DISPATCH_CHOICE_TABLE_H_
#define TILETUNE_DISPATCH_CHOICE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dispatch/choice.h"
#include "kernels/problem.h"

namespace tiletune {

// Starts on a cache line: a hit then touches as few as it can.
struct alignas(64) TableEntry {
  GemmProblem problem;  // Normalized()
  Choice choice;
};

class ChoiceTable {
 public:
  // Of entries with one problem the first counts.
  explicit ChoiceTable(const std::vector<TableEntry>& entries);

  // `normalized` must be Normalized().
  const TableEntry* Find(const GemmProblem& normalized) const;

  // A number of an entry that Find returned, below slot_count().
  size_t IndexOf(const TableEntry* entry) const {
    return static_cast<size_t>(entry - slots_.data());
  }
  size_t slot_count() const { return slots_.size(); }
  size_t size() const { return size_; }
  std::vector<const TableEntry*> Entries() const;  // in no order

 private:
  // Open addressing, at most two thirds full. The tags lie apart, so that a
  // probe that fails touches 4 bytes and not an entry.
  std::vector<uint32_t> tags_;  // 0: free
  std::vector<TableEntry> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_CHOICE_TABLE_H_
