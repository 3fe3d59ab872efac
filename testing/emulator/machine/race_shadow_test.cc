#include "testing/emulator/machine/race_shadow.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

struct Actor {
  explicit Actor(uint32_t id) { access.actor = id, access.clock = 1; }
  Access Make() {
    access.knowledge = &knowledge;
    return access;
  }
  // Learns everything `other` did up to now.
  void Learn(const Actor& other) {
    knowledge.order.Set(other.access.actor, other.access.clock);
  }
  Access access;
  Knowledge knowledge;
};

using Kind = RaceReport::Kind;

Kind Touch(RaceShadow* shadow, uint64_t offset, uint64_t bytes, bool write,
           Actor* actor) {
  RaceReport report;
  RaceRules rules;
  rules.proxy_read = true;
  shadow->Touch(offset, bytes, write, actor->Make(), rules, &report);
  return report.kind;
}

TEST(RaceShadow, FindsEachKindOfRaceAndAcceptsOrder) {
  RaceShadow shadow(64, 4);
  Actor a(1);
  Actor b(2);
  EXPECT_EQ(Touch(&shadow, 0, 16, true, &a), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 4, 4, false, &b), Kind::kReadAfterWrite);
  EXPECT_EQ(Touch(&shadow, 8, 4, true, &b), Kind::kWriteAfterWrite);
  b.Learn(a);
  EXPECT_EQ(Touch(&shadow, 12, 4, true, &b), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 16, 4, false, &a), Kind::kNone);
  Actor c(3);
  EXPECT_EQ(Touch(&shadow, 16, 4, true, &c), Kind::kWriteAfterRead);
}

TEST(RaceShadow, TellsBytesOfACellApart) {
  RaceShadow shadow(64, 4);
  Actor a(1);
  Actor b(2);
  EXPECT_EQ(Touch(&shadow, 0, 2, true, &a), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 2, 2, true, &b), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 4, 1, false, &a), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 5, 1, true, &b), Kind::kNone);
}

TEST(RaceShadow, RemembersSeveralReaders) {
  RaceShadow shadow(64, 4);
  Actor a(1);
  Actor b(2);
  Actor c(3);
  Touch(&shadow, 0, 4, false, &a);
  Touch(&shadow, 0, 4, false, &b);
  c.Learn(b);
  EXPECT_EQ(Touch(&shadow, 0, 4, true, &c), Kind::kWriteAfterRead);
}

TEST(RaceShadow, AsksForProxyFencesBetweenProxies) {
  RaceShadow shadow(64, 4);
  Actor generic(1);
  Actor async(2);
  async.access.async = true;
  Touch(&shadow, 0, 4, true, &generic);
  async.Learn(generic);
  EXPECT_EQ(Touch(&shadow, 0, 4, false, &async), Kind::kMissingProxyFence);
  async.knowledge.shared_proxy.Set(1, 1);
  EXPECT_EQ(Touch(&shadow, 0, 4, false, &async), Kind::kNone);
}

TEST(RaceShadow, AtomicsDoNotRaceWithEachOther) {
  RaceShadow shadow(64, 4);
  Actor a(1);
  Actor b(2);
  a.access.atomic = b.access.atomic = true;
  EXPECT_EQ(Touch(&shadow, 0, 4, true, &a), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 0, 4, true, &b), Kind::kNone);
  Actor c(3);
  EXPECT_EQ(Touch(&shadow, 0, 4, false, &c), Kind::kReadAfterWrite);
}

TEST(RaceShadow, TellsLanesOfOneActorApart) {
  RaceShadow shadow(64, 4);
  Actor warp(1);
  warp.access.lanes = LaneSet::Strided(0, 0, 4);
  EXPECT_EQ(Touch(&shadow, 0, 64, true, &warp), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 0, 64, false, &warp), Kind::kNone);
  warp.access.lanes = LaneSet::Mask(1 << 2);
  EXPECT_EQ(Touch(&shadow, 32, 16, false, &warp), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 16, 16, false, &warp), Kind::kReadAfterWrite);
  warp.knowledge.order.Set(LaneActor(1, 1), 1);
  EXPECT_EQ(Touch(&shadow, 16, 16, false, &warp), Kind::kNone);
  warp.knowledge.order.Set(1, 1);
  EXPECT_EQ(Touch(&shadow, 0, 64, false, &warp), Kind::kNone);
}

TEST(RaceShadow, AWriteMustBeOrderedAfterEveryLaneThatRead) {
  RaceShadow shadow(64, 4);
  Actor readers(1);
  for (uint32_t lane : {0, 5}) {
    readers.access.lanes = LaneSet::Mask(1u << lane);
    Touch(&shadow, 0, 4, false, &readers);
  }
  Actor writer(50);
  writer.knowledge.order.Set(LaneActor(1, 0), 1);
  EXPECT_EQ(Touch(&shadow, 0, 4, true, &writer), Kind::kWriteAfterRead);
  RaceShadow again(64, 4);
  for (uint32_t lane : {0, 5}) {
    readers.access.lanes = LaneSet::Mask(1u << lane);
    Touch(&again, 0, 4, false, &readers);
  }
  writer.knowledge.order.Set(LaneActor(1, 5), 1);
  EXPECT_EQ(Touch(&again, 0, 4, true, &writer), Kind::kNone);
}

TEST(RaceShadow, ForgetsARange) {
  RaceShadow shadow(64, 4);
  Actor a(1);
  Actor b(2);
  Touch(&shadow, 0, 8, true, &a);
  shadow.Forget(0, 4);
  EXPECT_EQ(Touch(&shadow, 0, 4, true, &b), Kind::kNone);
  EXPECT_EQ(Touch(&shadow, 4, 4, true, &b), Kind::kWriteAfterWrite);
}

}  // namespace
}  // namespace tiletune::emulator
