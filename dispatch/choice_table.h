// An immutable map from problems to choices: the hot path of dispatch.
//
//   ChoiceTable table(std::move(entries));
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
  explicit ChoiceTable(std::vector<TableEntry> entries);

  // `normalized` must be Normalized().
  const TableEntry* Find(const GemmProblem& normalized) const;

  // The place of an entry that Find returned, below size().
  size_t IndexOf(const TableEntry* entry) const {
    return static_cast<size_t>(entry - entries_.data());
  }
  size_t size() const { return entries_.size(); }
  const std::vector<TableEntry>& entries() const { return entries_; }

 private:
  // Open addressing, at most half full, so that a probe ends soon. The tag
  // spares the look at most entries that are not the one.
  struct Slot {
    uint32_t tag = 0;
    uint32_t entry_plus_one = 0;  // 0: empty
  };

  std::vector<TableEntry> entries_;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_CHOICE_TABLE_H_
