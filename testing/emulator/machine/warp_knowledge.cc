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
    for (int scope = 0; scope < kScopes; ++scope) {
      merged.unacquired[scope].Join(view.unacquired[scope]);
      // One fence stands for all: a lane's relaxed write may then release what
      // a sibling fenced, which can only hide a race.
      if (view.fenced[scope].own.clock >= merged.fenced[scope].own.clock) {
        merged.fenced[scope] = std::move(view.fenced[scope]);
      }
    }
    view.lanes = 0;
  }
  views_.erase(std::remove_if(views_.begin(), views_.end(),
                              [](const View& v) { return v.lanes == 0; }),
               views_.end());
  views_.push_back(std::move(merged));
}

void WarpKnowledge::SetOwn(VectorClock* clock, uint32_t actor, uint32_t lanes,
                           uint32_t epoch) const {
  if (epoch == 0) return;
  if (AreAll(lanes)) {
    clock->Set(actor, epoch);
    return;
  }
  for (uint32_t m = lanes & live_; m != 0; m &= m - 1) {
    clock->Set(LaneActor(actor, __builtin_ctz(m)), epoch);
  }
}

void WarpKnowledge::SetOwnOrder(Knowledge* target, uint32_t actor,
                                uint32_t lanes, uint32_t epoch) const {
  SetOwn(&target->order, actor, lanes, epoch);
  if (target->visible.has_value()) {
    SetOwn(&*target->visible, actor, lanes, epoch);
  }
}

void WarpKnowledge::AddOwn(const Own& own, uint32_t lanes,
                           Knowledge* target) const {
  SetOwnOrder(target, actor_, lanes, own.clock);
  SetOwn(&target->shared_proxy, actor_, lanes, own.shared_proxy);
  SetOwn(&target->global_proxy, actor_, lanes, own.global_proxy);
  SetOwnOrder(target, tensor_actor_, lanes, own.tensor);
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

void WarpKnowledge::AcquireLater(uint32_t lanes, const Knowledge& other,
                                 Scope needed) {
  const size_t scope = static_cast<size_t>(needed);
  for (size_t i = 0; i < views_.size(); ++i) {
    if ((views_[i].lanes & lanes) == 0) continue;
    if (views_[i].unacquired[scope].Includes(other)) continue;
    Split(lanes);
    views_[i].unacquired[scope].Join(other);
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
  SetOwnOrder(target, actor_, lanes, clock_);
}

void WarpKnowledge::ReleaseFenced(uint32_t lanes, Knowledge* target,
                                  Scope scope) const {
  for (const View& view : views_) {
    const uint32_t mine = view.lanes & lanes;
    const Fenced& fenced = view.fenced[static_cast<size_t>(scope)];
    if (mine == 0) continue;
    // Of tcgen05 operations a relaxed write releases what tcgen05 fences have
    // ordered, without another fence.
    SetOwnOrder(target, tensor_actor_, mine, view.own.tensor);
    target->tensor_execution.Join(view.knowledge.tensor);
    target->tensor_execution.Join(view.knowledge.tensor_execution);
    if (fenced.knowledge == nullptr) continue;
    target->Join(*fenced.knowledge);
    AddOwn(fenced.own, mine, target);
  }
}

bool WarpKnowledge::HasFencedMore(uint32_t lanes, Scope scope) const {
  const size_t i = static_cast<size_t>(scope);
  for (const View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    const KnowledgePtr wider =
        scope == Scope::kGpu ? nullptr : view.fenced[i + 1].knowledge;
    if (view.fenced[i].knowledge != wider) return true;
  }
  return false;
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

void WarpKnowledge::Fence(uint32_t lanes, Scope scope) {
  Split(lanes);
  const size_t widest = static_cast<size_t>(scope);
  for (View& view : views_) {
    if ((view.lanes & lanes) == 0) continue;
    for (size_t needed = 0; needed < view.unacquired.size(); ++needed) {
      if (needed <= widest) {
        view.knowledge.Join(view.unacquired[needed]);
      } else if (!view.unacquired[needed].order.empty()) {
        Knowledge unseen = view.unacquired[needed];
        unseen.Hide();
        view.knowledge.Join(unseen);
      }
    }
    Fenced fenced;
    fenced.knowledge = std::make_shared<const Knowledge>(view.knowledge);
    fenced.own = view.own;
    fenced.own.clock = clock_;
    for (size_t i = 0; i <= widest; ++i) view.fenced[i] = fenced;
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
    // What relaxed reads have seen is ordered before, too, though not visible.
    for (const Knowledge& seen : view.unacquired) {
      view.knowledge.tensor_execution.Join(seen.order);
      view.knowledge.tensor_execution.Join(seen.tensor_execution);
    }
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
    SetOwnOrder(&view.knowledge, actor_, lanes, clock_);
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
