#include "testing/emulator/machine/warp_knowledge.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kAll = 0xFFFFFFFF;
constexpr uint32_t kActor = 100;
constexpr uint32_t kTensorActor = 200;

WarpKnowledge Make(bool by_lane) {
  WarpKnowledge known;
  known.Start(by_lane, kActor, kTensorActor, /*clock=*/5, kAll);
  return known;
}

TEST(WarpKnowledge, AllLanesTogetherReleaseTheWarpsEpoch) {
  WarpKnowledge known = Make(true);
  EXPECT_TRUE(known.Snapshot(kAll)->order.Covers(kActor, 5));
}

TEST(WarpKnowledge, OneLaneReleasesItsOwnWorkAlone) {
  WarpKnowledge known = Make(true);
  const KnowledgePtr released = known.Snapshot(1u << 3);
  EXPECT_FALSE(released->order.Covers(kActor, 5));
  EXPECT_TRUE(released->order.Covers(LaneActor(kActor, 3), 5));
  EXPECT_FALSE(released->order.Covers(LaneActor(kActor, 4), 5));
}

TEST(WarpKnowledge, WithoutLanesOneSpeaksForTheWarp) {
  WarpKnowledge known = Make(false);
  EXPECT_TRUE(known.Snapshot(1u << 3)->order.Covers(kActor, 5));
}

TEST(WarpKnowledge, ABarrierTellsLanesOfEachOther) {
  WarpKnowledge known = Make(true);
  known.Synchronise(kAll);
  const KnowledgePtr released = known.Snapshot(1);
  EXPECT_TRUE(released->order.Covers(kActor, 5));
  EXPECT_FALSE(released->order.Covers(kActor, known.clock()));
}

TEST(WarpKnowledge, ABarrierOfSomeLanesLeavesTheOthersOut) {
  WarpKnowledge known = Make(true);
  known.Synchronise(0x3);
  EXPECT_TRUE(known.Of(0).order.Covers(LaneActor(kActor, 1), 5));
  EXPECT_FALSE(known.Of(0).order.Covers(LaneActor(kActor, 2), 5));
  EXPECT_FALSE(known.Of(2).order.Covers(LaneActor(kActor, 1), 5));
}

TEST(WarpKnowledge, WhatOneLaneLearnsOthersDoNotKnow) {
  WarpKnowledge known = Make(true);
  Knowledge other;
  other.order.Set(7, 9);
  known.Acquire(1, other);
  EXPECT_TRUE(known.Of(0).order.Covers(7, 9));
  EXPECT_FALSE(known.Of(1).order.Covers(7, 9));
  known.Synchronise(kAll);
  EXPECT_TRUE(known.Of(1).order.Covers(7, 9));
}

TEST(WarpKnowledge, AFenceAcquiresWhatTheSameLaneHasRead) {
  WarpKnowledge known = Make(true);
  Knowledge other;
  other.order.Set(7, 9);
  known.AcquireLater(1, other);
  EXPECT_FALSE(known.Of(0).order.Covers(7, 9));
  known.Fence(2);
  EXPECT_FALSE(known.Of(1).order.Covers(7, 9));
  known.Fence(1);
  EXPECT_TRUE(known.Of(0).order.Covers(7, 9));
}

TEST(WarpKnowledge, RelaxedReleasesTellWhatTheLastFenceSaw) {
  WarpKnowledge known = Make(true);
  known.Fence(1);
  Knowledge told;
  known.ReleaseFenced(1, &told);
  EXPECT_TRUE(told.order.Covers(LaneActor(kActor, 0), 5));
  EXPECT_FALSE(told.order.Covers(LaneActor(kActor, 0), known.clock()));
  EXPECT_FALSE(told.order.Covers(LaneActor(kActor, 1), 5));
}

TEST(WarpKnowledge, AProxyFenceCoversTheLanesThatMadeIt) {
  WarpKnowledge known = Make(true);
  known.ProxyFence(1u << 6, /*shared=*/true, /*global=*/false);
  known.Synchronise(kAll);
  const Knowledge& told = known.Of(0);
  EXPECT_TRUE(told.shared_proxy.Covers(LaneActor(kActor, 6), 5));
  EXPECT_FALSE(told.shared_proxy.Covers(LaneActor(kActor, 5), 5));
  EXPECT_FALSE(told.global_proxy.Covers(LaneActor(kActor, 6), 5));
}

TEST(WarpKnowledge, TensorLoadsOfALaneAreFencedByThatLane) {
  WarpKnowledge known = Make(true);
  known.TensorFenceBefore(kAll, 4);
  EXPECT_FALSE(known.Snapshot(1)->order.Covers(kTensorActor, 4));
  known.Synchronise(kAll);
  EXPECT_TRUE(known.Snapshot(1)->order.Covers(kTensorActor, 4));
}

TEST(WarpKnowledge, LanesUnitedByABarrierShareOneView) {
  WarpKnowledge known = Make(true);
  Knowledge other;
  other.order.Set(7, 9);
  known.Acquire(1, other);
  known.Unite();
  EXPECT_EQ(&known.Of(0), &known.Of(31));
  EXPECT_TRUE(known.Of(31).order.Covers(7, 9));
}

}  // namespace
}  // namespace tiletune::emulator
