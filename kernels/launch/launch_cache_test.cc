#include "kernels/launch/launch_cache.h"

#include <cstdint>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "testing/launch/fake_family.h"
#include "testing/launch/fake_gemm.h"

namespace tiletune {
namespace {

class LaunchCacheTest : public FakeGemm {
 protected:
  // Where A number 10 and those after it lie.
  static const void* OperandA(uintptr_t number) {
    return Address(number << 20);
  }

  LaunchRequest Request(uintptr_t number) {
    arguments_.a = OperandA(number);
    return LaunchRequest(problem_, config_, arguments_, device_, nullptr, 0);
  }

  void Store(uintptr_t number) {
    const LaunchRequest request = Request(number);
    const auto gemm = PreparedGemm::Prepare(problem_, config_, arguments_,
                                            device_, nullptr, 0);
    ASSERT_TRUE(gemm.ok()) << gemm.status();
    cache_->Claim(request) = *gemm;
    cache_->Keep(request);
  }

  // Whether it is there, and is the one with that A.
  bool Has(uintptr_t number) {
    const PreparedGemm* gemm = cache_->Find(Request(number));
    if (gemm == nullptr) return false;
    EXPECT_TRUE(gemm->Launch(nullptr).ok());
    EXPECT_EQ(FakeFamily::last_a, OperandA(number));
    return true;
  }

  const std::unique_ptr<LaunchCache> cache_ = std::make_unique<LaunchCache>();
};

TEST_F(LaunchCacheTest, FindsWhatWasStoredAndNothingElse) {
  EXPECT_FALSE(Has(10));
  for (uintptr_t i = 10; i < 210; ++i) Store(i);
  for (uintptr_t i = 10; i < 210; ++i) EXPECT_TRUE(Has(i)) << i;
  EXPECT_FALSE(Has(210));
}

// A model's step, which comes again and again; the second model's when the
// first one's launches already fill the cache.
TEST_F(LaunchCacheTest, HoldsMostOfHalfItsCapacity) {
  const uintptr_t count = LaunchCache::kCapacity / 2;
  for (uintptr_t first : {uintptr_t{10}, uintptr_t{10000}}) {
    for (uintptr_t i = first; i < first + count; ++i) Store(i);
    uintptr_t found = 0;
    for (uintptr_t i = first; i < first + count; ++i) found += Has(i);
    EXPECT_GT(found, count * 9 / 10);
    for (uintptr_t i = 5000; i < 5000 + 4 * count; ++i) Store(i);
  }
}

TEST_F(LaunchCacheTest, ForgetsSomeWhenItIsFull) {
  const uintptr_t count = 3 * LaunchCache::kCapacity;
  for (uintptr_t i = 10; i < 10 + count; ++i) {
    Store(i);
    EXPECT_TRUE(Has(i)) << i;
  }
  uintptr_t found = 0;
  for (uintptr_t i = 10; i < 10 + count; ++i) found += Has(i);
  EXPECT_LE(found, LaunchCache::kCapacity);
  EXPECT_GT(found, LaunchCache::kCapacity * 9 / 10);
}

TEST_F(LaunchCacheTest, DoesNotFindWhatWasClaimedAndNotKept) {
  // As many as make some places be claimed again.
  const uintptr_t count = 2 * LaunchCache::kCapacity;
  for (uintptr_t i = 10; i < 10 + count; ++i) Store(i);
  for (uintptr_t i = 10; i < 10 + count; ++i) {
    const LaunchRequest request = Request(10000 + i);
    cache_->Claim(request) = PreparedGemm();
    EXPECT_EQ(cache_->Find(request), nullptr);
  }
  for (uintptr_t i = 10; i < 10 + count; ++i) Has(i);  // found: the right one
}

TEST_F(LaunchCacheTest, FindsALaunchOfTheSameShape) {
  EXPECT_EQ(cache_->FindShape(Request(10)), nullptr);
  Store(10);
  EXPECT_NE(cache_->FindShape(Request(11)), nullptr);
  problem_.n = 128;
  EXPECT_EQ(cache_->FindShape(Request(10)), nullptr);
}

TEST_F(LaunchCacheTest, NeverTakesAnotherShapeForThisOne) {
  // More shapes than it remembers the last launch of.
  for (int64_t n = 1; n <= 600; ++n) {
    problem_.n = n;
    Store(10);
  }
  int found = 0;
  for (int64_t n = 1; n <= 600; ++n) {
    problem_.n = n;
    const PreparedGemm* similar = cache_->FindShape(Request(11));
    if (similar == nullptr) continue;
    ++found;
    EXPECT_EQ(similar->problem().n, n);
  }
  EXPECT_GT(found, 100);
}

TEST_F(LaunchCacheTest, EachThreadHasItsOwn) {
  LaunchCache* other = nullptr;
  std::thread([&other] { other = &LaunchCache::OfThisThread(); }).join();
  EXPECT_NE(other, &LaunchCache::OfThisThread());
  EXPECT_EQ(&LaunchCache::OfThisThread(), &LaunchCache::OfThisThread());
}

}  // namespace
}  // namespace tiletune
