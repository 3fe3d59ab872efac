// Asynchronous completions of the machine: the queue, its random delays, and
// what happens when nothing can run.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {

uint32_t Machine::RandomDelay() {
  uint32_t longest = std::max(1u, options_.max_delay);
  switch (random_.Below(4)) {
    case 0:
      return random_.Below(4);
    case 1:
      return random_.Below(longest / 16 + 1);
    case 2:
      return random_.Below(longest / 4 + 1);
    default:
      return random_.Below(longest);
  }
}

uint64_t Machine::Schedule(Cta* cta, const std::string& what, const Inst* inst,
                           int thread, uint64_t not_before,
                           std::function<void()> complete) {
  Event event;
  event.due = std::max(now_ + RandomDelay(), not_before);
  event.sequence = next_sequence_++;
  event.flight = 0;
  event.cta = cta;
  event.complete = std::move(complete);
  if (!what.empty()) {
    event.flight = next_flight_++;
    InFlight flight;
    flight.what = what;
    flight.inst = inst;
    flight.thread = thread;
    cta->in_flight.emplace(event.flight, std::move(flight));
    if (timeline_ != nullptr) timeline_->OnAsync(*cta, what, thread, event.due);
  }
  uint64_t due = event.due;
  ++cta->grid->events;
  events_.push_back(std::move(event));
  std::push_heap(events_.begin(), events_.end(), std::greater<Event>());
  return due;
}

void Machine::RunNextEvent() {
  std::pop_heap(events_.begin(), events_.end(), std::greater<Event>());
  Event event = std::move(events_.back());
  events_.pop_back();
  if (event.flight != 0) event.cta->in_flight.erase(event.flight);
  grid_ = event.cta->grid;
  event.complete();
  --grid_->events;
  if (grids_.size() > 1 && grid_->IsComplete()) WakeAll();
  Progress();
}

void Machine::RunDueEvents() {
  while (!events_.empty() && events_.front().due <= now_ && !stopped_) {
    RunNextEvent();
  }
}

bool Machine::TimeOutWaits() {
  // A loop around try_wait comes back at once. Code between two of them may
  // go on: CUTLASS asks for the next stage before it fills this one.
  constexpr int kInVain = 32;
  if (++vain_time_outs_ > kInVain) return false;
  bool any = false;
  for (auto& cluster : clusters_) {
    if (cluster->live_ctas == 0) continue;
    for (auto& cta : cluster->ctas) {
      for (auto& warp : cta->warps) {
        for (Fragment& fragment : warp->fragments) {
          if (!fragment.blocked || !fragment.may_time_out) continue;
          fragment.timed_out = true;
          fragment.blocked = false;
          any = true;
          if (!warp->runnable) AddRunnable(warp.get());
        }
      }
    }
  }
  return any;
}

void Machine::NewAsyncEpoch(Cta* cta, uint32_t* actor, uint32_t* clock) {
  // A strand is used again after all others: two operations on one strand are
  // treated as ordered, which can only hide a race between an operation and
  // another one issued kAsyncActors operations later.
  size_t strand = cta->next_async++ % cta->async_clocks.size();
  *actor = cta->first_async_actor + static_cast<uint32_t>(strand);
  *clock = ++cta->async_clocks[strand];
}

Mbarrier* Machine::FindMbarrier(Cta* cta, uint32_t offset, const Inst& inst,
                                const Cta* accessor, int thread) {
  Mbarrier* barrier = cta->FindMbarrier(offset);
  if (barrier == nullptr) {
    ReportAt(accessor, thread, &inst, "no mbarrier",
             "the address holds no initialised mbarrier object", offset);
  } else if (cta->exited) {
    ReportAt(accessor, thread, &inst, "access to an exited CTA",
             "the mbarrier belongs to a CTA that has exited", offset);
    return nullptr;
  }
  return barrier;
}

void Machine::CheckVisible(const Mbarrier& barrier, const Knowledge& user,
                           const Inst& inst, const Cta* accessor, int thread,
                           uint64_t offset) {
  if (!strict() || barrier.birth().IsBefore(user.order)) return;
  ReportAt(accessor, thread, &inst, "mbarrier not visible",
           "uses an mbarrier that line " +
               std::to_string(barrier.birth().line) +
               " initialises, with nothing ordering the two (a barrier; or "
               "fence.mbarrier_init and a relaxed cluster barrier)",
           offset);
}

void Machine::CompleteTx(Cta* cta, uint32_t offset, uint32_t bytes,
                         const Knowledge& knowledge, const Inst& inst,
                         const Cta* accessor, int thread) {
  Mbarrier* barrier = FindMbarrier(cta, offset, inst, accessor, thread);
  if (barrier == nullptr) return;
  if (timeline_ != nullptr) timeline_->OnMbarrierSignal(cta, offset, inst);
  barrier->gathering()->Join(knowledge);
  uint64_t phase = barrier->phase();
  if (const char* wrong = barrier->CompleteTx(bytes)) {
    ReportAt(accessor, thread, &inst, "mbarrier transaction overflow", wrong,
             offset);
  }
  if (barrier->phase() != phase) Wake(cta);
}

void Machine::ArriveOn(Cta* cta, uint32_t offset, uint32_t count,
                       const Knowledge& knowledge, const Inst& inst,
                       const Cta* accessor, int thread) {
  Mbarrier* barrier = FindMbarrier(cta, offset, inst, accessor, thread);
  if (barrier == nullptr) return;
  CheckVisible(*barrier, knowledge, inst, accessor, thread, offset);
  if (timeline_ != nullptr) timeline_->OnMbarrierSignal(cta, offset, inst);
  barrier->gathering()->Join(knowledge);
  uint64_t phase = barrier->phase();
  if (const char* wrong = barrier->Arrive(count)) {
    ReportAt(accessor, thread, &inst, "mbarrier phase overrun", wrong, offset);
  }
  Progress();
  if (barrier->phase() != phase) Wake(cta);
}

const TensorMap* Machine::FindTensorMap(Warp& warp, const Inst& inst, int lane,
                                        uint64_t address) {
  if (address % 64 != 0) {
    Report(warp, inst, lane, "misaligned access",
           "a tensor map is 64-byte aligned", address);
    return nullptr;
  }
  Location at =
      Locate(warp, inst, lane, MemorySpace::kGeneric, address, 1, false);
  if (at.data == nullptr) return nullptr;
  Location last = Locate(warp, inst, lane, MemorySpace::kGeneric,
                         address + kTensorMapBytes - 1, 1, false);
  if (last.data == nullptr) return nullptr;
  CachedMap& cached = tensor_maps_[address];
  if (cached.map.address != 0 &&
      std::memcmp(cached.bytes, at.data, kTensorMapBytes) == 0) {
    return &cached.map;
  }
  TensorMap map;
  if (!DecodeTensorMap(at.data, &map)) {
    Fatal(warp, inst, lane, "bad tensor map", "the address holds no tensor map",
          address);
    return nullptr;
  }
  Findings wrong = CheckTensorMap(map);
  if (!wrong.empty()) {
    Fatal(warp, inst, lane, "bad tensor map", wrong.front(), address);
    return nullptr;
  }
  std::memcpy(cached.bytes, at.data, kTensorMapBytes);
  cached.map = map;
  return &cached.map;
}

}  // namespace tiletune::emulator
