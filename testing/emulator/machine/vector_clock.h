// Vector clocks for the happens-before check. An actor is a warp, one lane of
// a warp, or a strand of asynchronous operations; its clock counts releases.
//
// A Knowledge has several clocks, because PTX has several kinds of visibility
// (PTX ISA 8, 9.7.13.4 fence.proxy, 9.7.16.6 tcgen05 memory consistency):
//
//   Knowledge k;
//   k.order.Set(actor, 5);          // ordered before: accesses of epoch <= 5
//   k.shared_proxy.Join(k.order);   // fence.proxy.async.shared::cta
//   k.tensor.Join(k.order);         // tcgen05.fence::after_thread_sync
//   bool ordered = k.order.Covers(actor, clock);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_VECTOR_CLOCK_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_VECTOR_CLOCK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tiletune::emulator {

class VectorClock {
 public:
  uint32_t Get(uint32_t actor) const;
  bool Covers(uint32_t actor, uint32_t clock) const {
    return actor < all_below_ || Get(actor) >= clock;
  }
  bool empty() const { return entries_.empty() && all_below_ == 0; }
  // Nothing but what CoverAllBelow covers.
  VectorClock OnlyBelow() const {
    VectorClock below;
    below.all_below_ = all_below_;
    return below;
  }
  // Covers every clock of the actors below `actor`: of grids that have ended.
  void CoverAllBelow(uint32_t actor) { all_below_ = actor; }
  // Raises the actor's entry to at least `clock`.
  void Set(uint32_t actor, uint32_t clock);
  // Elementwise maximum.
  void Join(const VectorClock& other);
  // True if Join(other) would change nothing.
  bool Includes(const VectorClock& other) const;

 private:
  struct Entry {
    uint32_t actor;
    uint32_t clock;
  };
  std::vector<Entry> entries_;  // sorted by actor
  uint32_t all_below_ = 0;
};

// The actor of one lane of a warp.
inline uint32_t LaneActor(uint32_t warp_actor, int lane) {
  return warp_actor + 1 + static_cast<uint32_t>(lane);
}

// A moment in the life of a warp, or of one of its lanes.
struct Moment {
  uint32_t actor = 0;
  uint32_t clock = 0;  // 0: never
  int lane = -1;       // -1: all lanes are one thread
  int line = 0;        // of the PTX text

  bool IsBefore(const VectorClock& now) const {
    return now.Covers(actor, clock) ||
           (lane >= 0 && now.Covers(LaneActor(actor, lane), clock));
  }
};

struct Knowledge {
  VectorClock order;  // program order and synchronisation
  // Generic accesses made visible to the async proxy: by space, as
  // fence.proxy.async has it.
  VectorClock shared_proxy;
  VectorClock global_proxy;
  VectorClock tensor;  // tcgen05 operations ordered by tcgen05 fences
  // The same, by execution alone, as relaxed accesses order it: enough for
  // Tensor Memory, where there is nothing to make visible (PTX ISA 9.7.16.6.3).
  VectorClock tensor_execution;
  // What of `order` is visible too; all of it where there is none. The rest
  // came through a synchronisation whose scope was too narrow.
  std::optional<VectorClock> visible;

  static Knowledge OfAllBelow(uint32_t actor) {
    Knowledge all;
    all.order.CoverAllBelow(actor);
    all.shared_proxy.CoverAllBelow(actor);
    all.global_proxy.CoverAllBelow(actor);
    all.tensor.CoverAllBelow(actor);
    return all;
  }
  // The same order, and nothing of it visible.
  void Hide() { visible = order.OnlyBelow(); }
  void Join(const Knowledge& other) {
    const bool some_is_hidden =
        visible.has_value() || other.visible.has_value();
    if (some_is_hidden) {
      if (!visible.has_value()) visible = order;
      visible->Join(other.seen());
    }
    order.Join(other.order);
    if (some_is_hidden && visible->Includes(order)) visible.reset();
    shared_proxy.Join(other.shared_proxy);
    global_proxy.Join(other.global_proxy);
    tensor.Join(other.tensor);
    tensor_execution.Join(other.tensor_execution);
  }
  const VectorClock& seen() const {
    return visible.has_value() ? *visible : order;
  }
  bool Includes(const Knowledge& other) const {
    return order.Includes(other.order) &&
           (!visible.has_value() || visible->Includes(other.seen())) &&
           shared_proxy.Includes(other.shared_proxy) &&
           global_proxy.Includes(other.global_proxy) &&
           tensor.Includes(other.tensor) &&
           tensor_execution.Includes(other.tensor_execution);
  }
};

using KnowledgePtr = std::shared_ptr<const Knowledge>;

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_VECTOR_CLOCK_H_
