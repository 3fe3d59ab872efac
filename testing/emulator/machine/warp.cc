#include "testing/emulator/machine/warp.h"

#include <cstring>
#include <utility>

namespace tiletune::emulator {

Warp::Warp(Machine* machine_in, Cta* cta_in, int index_in, uint32_t live_in,
           int slots, int predicates)
    : machine(machine_in),
      cta(cta_in),
      index(index_in),
      live(live_in),
      slots_(slots),
      registers_(static_cast<size_t>(slots) * kWarpSize),
      predicates_(new uint32_t[predicates]()) {
  Fragment all;
  all.mask = live;
  fragments.push_back(std::move(all));
}

void Warp::Branch(uint32_t taken, uint32_t target) {
  Fragment& fragment = fragments[current];
  if (taken == fragment.mask) {
    fragment.pc = target;
    return;
  }
  fragment.mask &= ~taken;
  fragment.pc += 1;
  if (taken == 0) return;
  Fragment other;
  other.pc = target;
  other.mask = taken;
  other.returns = fragment.returns;
  fragments.push_back(std::move(other));
}

void Warp::ExitLanes(uint32_t mask) {
  live &= ~mask;
  known.Exit(mask);
  Fragment& fragment = fragments[current];
  fragment.mask &= ~mask;
  fragment.pc += 1;
  if (fragment.mask == 0) {
    fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(current));
    current = 0;
  }
}

bool Warp::SelectFragment(bool rotate) {
  for (size_t i = 0; i < fragments.size(); ++i) {
    for (size_t j = i + 1; j < fragments.size();) {
      Fragment& a = fragments[i];
      Fragment& b = fragments[j];
      if (a.pc == b.pc && !a.waiting && !b.waiting && a.returns == b.returns) {
        a.mask |= b.mask;
        a.blocked = false;
        fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
        if (current >= fragments.size()) current = i;
      } else {
        ++j;
      }
    }
  }
  size_t best = fragments.size();
  if (rotate) {
    for (size_t k = 1; k <= fragments.size(); ++k) {
      size_t i = (current + k) % fragments.size();
      if (!fragments[i].blocked) {
        best = i;
        break;
      }
    }
  } else {
    for (size_t i = 0; i < fragments.size(); ++i) {
      if (fragments[i].blocked) continue;
      if (best == fragments.size() || fragments[i].pc < fragments[best].pc) {
        best = i;
      }
    }
  }
  if (best == fragments.size()) return false;
  current = best;
  return true;
}

void Warp::MarkInFlight(const int32_t* slots, uint32_t count, int line) {
  if (in_flight_.empty()) in_flight_.assign(static_cast<size_t>(slots_), 0);
  for (uint32_t i = 0; i < count; ++i) {
    ++in_flight_[static_cast<size_t>(slots[i])];
  }
  in_flight_count_ += static_cast<int>(count);
  in_flight_line_ = line;
}

void Warp::ClearInFlight(const std::vector<int32_t>& slots) {
  for (int32_t slot : slots) --in_flight_[static_cast<size_t>(slot)];
  in_flight_count_ -= static_cast<int>(slots.size());
}

}  // namespace tiletune::emulator
