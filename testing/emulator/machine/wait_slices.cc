#include "testing/emulator/machine/wait_slices.h"

namespace tiletune::emulator {

void WaitSlices::Write(int row, const Wait& wait, uint64_t end) {
  trace_->Slice(row, wait.label.name, "wait", wait.begin, end,
                wait.label.arguments);
}

void WaitSlices::Poll(int row, uint32_t mask, uint32_t done,
                      const Target& target, const Label& label, uint64_t now) {
  std::vector<Wait>& waits = open_[row];
  size_t at = 0;
  while (at < waits.size() &&
         ((waits[at].mask & mask) == 0 || !(waits[at].target == target))) {
    ++at;
  }
  if (at == waits.size()) {
    Leave(row, mask);
    at = waits.size();
    waits.push_back({mask, target, label, now - 1, now});
  }
  Wait& wait = waits[at];
  wait.label = label;
  wait.last = now;
  wait.mask &= ~done;
  if (wait.mask != 0) return;
  Write(row, wait, now);
  waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(at));
}

void WaitSlices::Leave(int row, uint32_t mask) {
  std::vector<Wait>& waits = open_[row];
  for (size_t i = waits.size(); i-- > 0;) {
    if ((waits[i].mask & mask) == 0) continue;
    waits[i].label.arguments.emplace_back("result", "not yet");
    Write(row, waits[i], waits[i].last);
    waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void WaitSlices::Close(uint64_t now) {
  for (auto& [row, waits] : open_) {
    for (Wait& wait : waits) {
      wait.label.arguments.emplace_back("result", "none: the run ended");
      Write(row, wait, now);
    }
  }
  open_.clear();
}

}  // namespace tiletune::emulator
