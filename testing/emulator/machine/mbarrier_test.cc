#include "testing/emulator/machine/mbarrier.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(Mbarrier, CompletesWhenArrivalsAndBytesAreIn) {
  Mbarrier barrier;
  barrier.Init(2);
  EXPECT_TRUE(barrier.ParityDone(1));
  EXPECT_FALSE(barrier.ParityDone(0));
  // Bytes may arrive before they are expected.
  EXPECT_EQ(barrier.CompleteTx(16), nullptr);
  EXPECT_EQ(barrier.Arrive(1), nullptr);
  EXPECT_EQ(barrier.ExpectTx(16), nullptr);
  EXPECT_FALSE(barrier.ParityDone(0));
  EXPECT_EQ(barrier.Arrive(1), nullptr);
  EXPECT_TRUE(barrier.ParityDone(0));
  EXPECT_EQ(barrier.phase(), 1u);
  EXPECT_EQ(barrier.pending(), 2);
}

TEST(Mbarrier, PublishesOnlyWhenAPhaseCompletes) {
  Mbarrier barrier;
  barrier.Init(1);
  barrier.gathering()->order.Set(5, 3);
  EXPECT_EQ(barrier.published().order.Get(5), 0u);
  barrier.Arrive(1);
  EXPECT_EQ(barrier.published().order.Get(5), 3u);
}

TEST(Mbarrier, NamesBrokenLimits) {
  Mbarrier barrier;
  barrier.Init(1);
  EXPECT_NE(barrier.Arrive(2), nullptr);
  EXPECT_NE(barrier.ExpectTx(1 << 20), nullptr);
  EXPECT_NE(barrier.ArriveDrop(2), nullptr);
}

}  // namespace
}  // namespace tiletune::emulator
