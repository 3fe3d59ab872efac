#include "testing/emulator/machine/global_memory.h"

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

TEST(GlobalMemory, FindsOnlyWholeRangesInsideOneAllocation) {
  GlobalMemory memory;
  uint64_t a = memory.Allocate(100, "a");
  uint64_t b = memory.Allocate(100, "b");
  EXPECT_EQ(a % 256, 0u);
  EXPECT_NE(memory.Find(a + 96, 4), nullptr);
  EXPECT_EQ(memory.Find(a + 97, 4), nullptr);
  EXPECT_EQ(memory.Find(a + 100, 1), nullptr);
  EXPECT_EQ(memory.Find(a - 1, 1), nullptr);
  EXPECT_EQ(memory.Find(b, 100)->name, "b");
  EXPECT_EQ(memory.Find(~uint64_t{0}, 2), nullptr);
}

TEST(GlobalMemory, KnowsWhatWasWritten) {
  GlobalMemory memory;
  uint64_t a = memory.Allocate(8, "a");
  uint32_t value = 7;
  ASSERT_TRUE(memory.Write(a + 4, &value, 4));
  GlobalMemory::Allocation* allocation = memory.Find(a, 8);
  EXPECT_EQ(allocation->initialised[3], 0);
  EXPECT_EQ(allocation->initialised[4], 1);
  EXPECT_FALSE(memory.Write(a + 6, &value, 4));
}

TEST(GlobalMemory, RegistersHostMemoryAtItsOwnAddress) {
  GlobalMemory memory;
  uint32_t host = 5;
  memory.Register(&host, 4, "host");
  uint32_t back = 0;
  EXPECT_TRUE(memory.Read(reinterpret_cast<uint64_t>(&host), &back, 4));
  EXPECT_EQ(back, 5u);
  EXPECT_TRUE(memory.Free(reinterpret_cast<uint64_t>(&host)));
  EXPECT_EQ(memory.Find(reinterpret_cast<uint64_t>(&host), 4), nullptr);
}

TEST(GlobalMemory, KnowsWhatTheMachineCannotHold) {
  GlobalMemory memory;
  EXPECT_TRUE(memory.CanAllocate(1 << 20));
  EXPECT_FALSE(memory.CanAllocate(uint64_t{1} << 60));
  EXPECT_FALSE(memory.CanAllocate(~uint64_t{0}));
}

}  // namespace
}  // namespace tiletune::emulator
