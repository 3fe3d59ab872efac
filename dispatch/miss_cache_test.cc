#include "dispatch/miss_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

GemmProblem Problem(int64_t m) { return Normalized(TestProblem(m)); }

Choice ChoiceOf(int64_t m) {
  Choice choice;
  choice.config.swizzle_offset = static_cast<uint32_t>(m);
  choice.expected_ns = static_cast<double>(m);
  choice.workspace_bytes = static_cast<size_t>(m);
  return choice;
}

TEST(MissCache, FindsWhatWasStored) {
  MissCache cache(64);
  Choice choice;
  int64_t finds = -1;
  EXPECT_FALSE(cache.Find(Problem(5), &choice, &finds));
  cache.Store(Problem(5), ChoiceOf(5));
  ASSERT_TRUE(cache.Find(Problem(5), &choice, &finds));
  EXPECT_EQ(choice.config.swizzle_offset, 5u);
  EXPECT_EQ(finds, 1);
  ASSERT_TRUE(cache.Find(Problem(5), &choice, &finds));
  EXPECT_EQ(finds, 2);
  EXPECT_FALSE(cache.Find(Problem(6), &choice, &finds));
}

TEST(MissCache, StoringAgainReplaces) {
  MissCache cache(64);
  cache.Store(Problem(5), ChoiceOf(5));
  cache.Store(Problem(5), ChoiceOf(7));
  Choice choice;
  int64_t finds;
  ASSERT_TRUE(cache.Find(Problem(5), &choice, &finds));
  EXPECT_EQ(choice.config.swizzle_offset, 7u);
}

TEST(MissCache, RemembersTheNewestHoweverManyCome) {
  MissCache cache(64);
  EXPECT_EQ(cache.capacity(), 64u);
  for (int64_t m = 1; m <= 10000; ++m) {
    cache.Store(Problem(m), ChoiceOf(m));
    Choice choice;
    int64_t finds;
    ASSERT_TRUE(cache.Find(Problem(m), &choice, &finds)) << m;
    ASSERT_EQ(choice.expected_ns, m);
  }
  int in_cache = 0;
  cache.ForEach([&](const GemmProblem&, int64_t) { ++in_cache; });
  EXPECT_LE(in_cache, 64);
  EXPECT_GT(in_cache, 32);
}

// Readers must see a whole choice of the right problem, or none.
TEST(MissCache, AReaderNeverSeesHalfAChoice) {
  MissCache cache(8);  // so small that writers keep overwriting
  std::atomic<bool> stop{false};
  std::atomic<int64_t> seen{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; !stop; ++i) {
        const int64_t m = 1 + (i * 7 + t) % 40;
        cache.Store(Problem(m), ChoiceOf(m));
      }
    });
    threads.emplace_back([&, t] {
      for (int64_t i = 0; !stop; ++i) {
        const int64_t m = 1 + (i + t) % 40;
        Choice choice;
        int64_t finds;
        if (!cache.Find(Problem(m), &choice, &finds)) continue;
        ++seen;
        ASSERT_EQ(choice.config.swizzle_offset, static_cast<uint32_t>(m));
        ASSERT_EQ(choice.expected_ns, m);
        ASSERT_EQ(choice.workspace_bytes, static_cast<size_t>(m));
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace tiletune
