// What the lanes of one warp know of other threads' work, and of each other's.
//
// In strict checks every lane is a thread of its own: only bar.warp.sync and
// the barriers of the CTA and the cluster order the lanes of a warp (PTX ISA
// 9.7.13.2; shfl, vote, elect and .aligned instructions promise no order of
// memory accesses). Lanes that know the same share one view; in hardware
// checks all lanes do, always.
//
//   WarpKnowledge known;
//   known.Start(/*by_lane=*/true, actor, tensor_actor, clock, live);
//   known.Acquire(lanes, barrier->published());
//   known.ReleaseTo(lanes, barrier->gathering());
//   known.Synchronise(lanes);  // bar.warp.sync
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_WARP_KNOWLEDGE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_WARP_KNOWLEDGE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "testing/emulator/machine/scope.h"
#include "testing/emulator/machine/vector_clock.h"

namespace tiletune::emulator {

class WarpKnowledge {
 public:
  // `actor` and `tensor_actor` name the warp; each is followed by the actors
  // of its 32 lanes (LaneActor). Accesses start at epoch `clock`.
  void Start(bool by_lane, uint32_t actor, uint32_t tensor_actor,
             uint32_t clock, uint32_t live);
  void Exit(uint32_t lanes) { live_ &= ~lanes; }

  bool by_lane() const { return by_lane_; }
  // The epoch of accesses made now.
  uint32_t clock() const { return clock_; }
  // Later accesses are not covered by what was released before.
  void NextEpoch() { ++clock_; }

  // What a lane knows of others; its own accesses are not in there.
  const Knowledge& Of(int lane) const { return ViewOf(lane).knowledge; }
  // Calls f(lanes) for each part of `lanes` that knows the same.
  template <typename F>
  void ForViews(uint32_t lanes, F f) const {
    for (const View& view : views_) {
      if ((view.lanes & lanes) != 0) f(view.lanes & lanes);
    }
  }

  // The lanes learn `other`: at once, or at their next fence. Unless that
  // fence has the scope `needed`, they then see nothing of it.
  void Acquire(uint32_t lanes, const Knowledge& other);
  void AcquireLater(uint32_t lanes, const Knowledge& other,
                    Scope needed = Scope::kCta);
  void LearnOrder(uint32_t lanes, uint32_t actor, uint32_t clock);

  // Adds what the lanes know, their own accesses included; and what they knew
  // at their last fence of at least this scope, with what tcgen05 fences have
  // ordered. The caller begins a new epoch.
  void ReleaseTo(uint32_t lanes, Knowledge* target) const;
  void ReleaseFenced(uint32_t lanes, Knowledge* target,
                     Scope scope = Scope::kCta) const;
  // False if ReleaseFenced adds no more than it does for the next wider scope.
  bool HasFencedMore(uint32_t lanes, Scope scope) const;
  // ReleaseTo as a shared value; cheap while nothing changes.
  KnowledgePtr Snapshot(uint32_t lanes);

  // fence.acq_rel and its like; fence.proxy.async of the state spaces.
  void Fence(uint32_t lanes, Scope scope = Scope::kGpu);
  void ProxyFence(uint32_t lanes, bool shared, bool global);
  // tcgen05.fence::before_thread_sync: tcgen05.ld and .st of the lanes up to
  // epoch `done` are complete. ::after_thread_sync.
  void TensorFenceBefore(uint32_t lanes, uint32_t done);
  void TensorFenceAfter(uint32_t lanes);

  // The lanes wait for each other, and their accesses become ordered.
  void Synchronise(uint32_t lanes);
  // A barrier of the CTA or the cluster has told all lanes the same.
  void Unite();

 private:
  // Epochs up to which the lanes' own work counts: accesses, those fenced for
  // the async proxy, tcgen05.ld and .st.
  struct Own {
    uint32_t clock = 0;
    uint32_t shared_proxy = 0;
    uint32_t global_proxy = 0;
    uint32_t tensor = 0;
  };
  struct Fenced {
    KnowledgePtr knowledge;  // null: never
    Own own;
  };
  struct View {
    uint32_t lanes = 0;
    Knowledge knowledge;
    Own own;  // clock is not used: it is clock_
    // By scope: what relaxed reads have seen and the next fence acquires; what
    // the last fence, if so wide, releases to later relaxed writes.
    std::array<Knowledge, kScopes> unacquired;
    std::array<Fenced, kScopes> fenced;
    KnowledgePtr snapshot;
    uint32_t snapshot_lanes = 0;
    uint32_t snapshot_clock = 0;
  };

  const View& ViewOf(int lane) const;
  bool AreAll(uint32_t lanes) const {
    return !by_lane_ || (live_ & ~lanes) == 0;
  }
  // Makes the views such that each lies inside or outside `lanes`.
  void Split(uint32_t lanes);
  // Merges the views inside `lanes`, which then know `all`.
  void Merge(uint32_t lanes, Knowledge all);
  // What the lanes know, fenced or complete work of their own included.
  void Gather(uint32_t lanes, Knowledge* target) const;
  void SetOwn(VectorClock* clock, uint32_t actor, uint32_t lanes,
              uint32_t epoch) const;
  void SetOwnOrder(Knowledge* target, uint32_t actor, uint32_t lanes,
                   uint32_t epoch) const;
  void AddOwn(const Own& own, uint32_t lanes, Knowledge* target) const;

  bool by_lane_ = false;
  uint32_t actor_ = 0;
  uint32_t tensor_actor_ = 0;
  uint32_t clock_ = 1;
  uint32_t live_ = 0;
  std::vector<View> views_ = std::vector<View>(1);  // a partition of the lanes
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_WARP_KNOWLEDGE_H_
