#include "testing/emulator/machine/warp_knowledge.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace tiletune::emulator {

void WarpKnowledge::Start(bool by_lane, uint32_t actor, uint32_t tensor_actor,
                          uint32_t clock, uint32_t live) {
  by_lane_ = by_lane;
  actor_ = actor;
  tensor_actor_ = tensor_actor;
  clock_ = clock;
  live_ = live;
  views_.assign(1, View());
  views_.front().lanes = ~0u;
}

const WarpKnowledge::View& WarpKnowledge::ViewOf(int lane) const {
  for (const View& view : views_) {
    if ((view.lanes >> lane & 1) != 0) return view;
  }
  return views_.front();
}

void WarpKnowledge::Split(uint32_t lanes) {
  if (!by_lane_) return;
  const size_t count = views_.size();
  for (size_t i = 0; i < count; ++i) {
    // Lanes that have exited go with the others.
    const uint32_t out = views_[i].lanes & live_ & ~lanes;
    if (out == 0 || (views_[i].lanes & lanes) == 0) continue;
    View other = views_[i];
    other.lanes = views_[i].lanes & ~lanes;
    views_[i].lanes &= lanes;
    views_.push_back(std::move(other));
  }
}

void WarpKnowledge::Merge(uint32_t lanes, Knowledge all) {
  View merged;
  merged.knowledge = std::move(all);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    merged.lanes |= view.lanes;
    merged.unacquired.Join(view.unacquired);
    // One fence stands for all: a lane's relaxed write may then release what
    // a sibling fenced, which can only hide a race.
    if (view.fenced_own.clock >= merged.fenced_own.clock) {
      merged.fenced = std::move(view.fenced);
      merged.fenced_own = view.fenced_own;
    }
    view.lanes = 0;
  }
  views_.erase(std::remove_if(views_.begin(), views_.end(),
                              [](const View& v) { return v.lanes == 0; }),
               views_.end());
  views_.push_back(std::move(merged));
}

void WarpKnowledge::SetOwn(VectorClock* order, uint32_t actor, uint32_t lanes,
                           uint32_t clock) const {
  if (clock == 0) return;
  if (AreAll(lanes)) {
    order->Set(actor, clock);
    return;
  }
  for (uint32_t m = lanes & live_; m != 0; m &= m - 1) {
    order->Set(LaneActor(actor, __builtin_ctz(m)), clock);
  }
}

void WarpKnowledge::AddOwn(const Own& own, uint32_t lanes,
                           Knowledge* target) const {
  SetOwn(&target->order, actor_, lanes, own.clock);
  SetOwn(&target->shared_proxy, actor_, lanes, own.shared_proxy);
  SetOwn(&target->global_proxy, actor_, lanes, own.global_proxy);
  SetOwn(&target->order, tensor_actor_, lanes, own.tensor);
}

void WarpKnowledge::Acquire(uint32_t lanes, const Knowledge& other) {
  for (size_t i = 0; i < views_.size(); ++i) {
    if ((views_[i].lanes & lanes) == 0) continue;
    if (views_[i].knowledge.Includes(other)) continue;
    Split(lanes);
    views_[i].knowledge.Join(other);
    views_[i].snapshot.reset();
  }
}

void WarpKnowledge::AcquireLater(uint32_t lanes, const Knowledge& other) {
  for (size_t i = 0; i < views_.size(); ++i) {
    if ((views_[i].lanes & lanes) == 0) continue;
    if (views_[i].unacquired.Includes(other)) continue;
    Split(lanes);
    views_[i].unacquired.Join(other);
  }
}

void WarpKnowledge::LearnOrder(uint32_t lanes, uint32_t actor, uint32_t clock) {
  Knowledge one;
  one.order.Set(actor, clock);
  Acquire(lanes, one);
}

void WarpKnowledge::Gather(uint32_t lanes, Knowledge* target) const {
  for (const View& view : views_) {
    const uint32_t mine = view.lanes & lanes;
    if (mine == 0) continue;
    target->Join(view.knowledge);
    AddOwn(view.own, mine, target);
  }
}

void WarpKnowledge::ReleaseTo(uint32_t lanes, Knowledge* target) const {
  Gather(lanes, target);
  SetOwn(&target->order, actor_, lanes, clock_);
}

void WarpKnowledge::ReleaseFenced(uint32_t lanes, Knowledge* target) const {
  for (const View& view : views_) {
    const uint32_t mine = view.lanes & lanes;
    if (mine == 0 || view.fenced == nullptr) continue;
    target->Join(*view.fenced);
    AddOwn(view.fenced_own, mine, target);
  }
}

KnowledgePtr WarpKnowledge::Snapshot(uint32_t lanes) {
  View& view = const_cast<View&>(ViewOf(__builtin_ctz(lanes)));
  if (view.snapshot == nullptr || view.snapshot_lanes != lanes ||
      view.snapshot_clock != clock_ || (lanes & ~view.lanes) != 0) {
    auto fresh = std::make_shared<Knowledge>();
    ReleaseTo(lanes, fresh.get());
    view.snapshot = std::move(fresh);
    view.snapshot_lanes = lanes;
    view.snapshot_clock = clock_;
  }
  return view.snapshot;
}

void WarpKnowledge::Fence(uint32_t lanes) {
  Split(lanes);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    view.knowledge.Join(view.unacquired);
    view.fenced = std::make_shared<const Knowledge>(view.knowledge);
    view.fenced_own = view.own;
    view.fenced_own.clock = clock_;
    view.snapshot.reset();
  }
  NextEpoch();
}

void WarpKnowledge::ProxyFence(uint32_t lanes, bool shared, bool global) {
  Split(lanes);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    Knowledge& knowledge = view.knowledge;
    if (shared) {
      knowledge.shared_proxy.Join(knowledge.order);
      view.own.shared_proxy = clock_;
    }
    if (global) {
      knowledge.global_proxy.Join(knowledge.order);
      view.own.global_proxy = clock_;
    }
    view.snapshot.reset();
  }
  NextEpoch();  // what comes later is not fenced
}

void WarpKnowledge::TensorFenceBefore(uint32_t lanes, uint32_t done) {
  Split(lanes);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    view.own.tensor = std::max(view.own.tensor, done);
    view.snapshot.reset();
  }
}

void WarpKnowledge::TensorFenceAfter(uint32_t lanes) {
  Split(lanes);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    view.knowledge.tensor.Join(view.knowledge.order);
    view.snapshot.reset();
  }
}

void WarpKnowledge::Synchronise(uint32_t lanes) {
  if (!by_lane_) return;
  Split(lanes);
  View& view = views_.front();
  if (views_.size() == 1 && view.own.shared_proxy == 0 &&
      view.own.global_proxy == 0 && view.own.tensor == 0) {
    // The usual case, quickly.
    SetOwn(&view.knowledge.order, actor_, lanes, clock_);
    view.snapshot.reset();
  } else {
    Knowledge all;
    ReleaseTo(lanes, &all);
    Merge(lanes, std::move(all));
  }
  NextEpoch();
}

void WarpKnowledge::Unite() {
  if (views_.size() == 1) return;
  Knowledge all;
  Gather(~0u, &all);
  Merge(~0u, std::move(all));
}

}  // namespace tiletune::emulator
