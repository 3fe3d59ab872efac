// The supplies' own source, run on the host by FakeGpu in random interleavings:
// every reading warp of every CTA must see every tile of its cluster once, and
// no rule of supply.h may be broken.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/fake_ptx.h"
// After fake_ptx.h:
#include "scheduler/clc_supply.h"
#include "scheduler/queue_supply.h"
#include "scheduler/static_supply.h"

namespace tiletune {
namespace {

using testing::IsEmpty;

constexpr uint32_t kReaders = 2;

// How often each reading warp of each CTA rank saw each tile.
using Visits = std::vector<uint32_t>;

template <class Supply>
void VisitKernel(uint64_t tiles, const typename Supply::Arguments& arguments,
                 Visits* visits) {
  FakeGpu& gpu = FakeGpu::Current();
  auto& storage =
      *static_cast<typename Supply::SharedStorage*>(gpu.shared_memory());
  if (gpu.thread() == 0) Supply::Init(storage, kReaders);
  gpu.SyncCluster();
  const uint32_t warp = gpu.thread() / 32;
  if (warp == 0) {
    typename Supply::Producer(storage, tiles, arguments).Run();
    return;
  }
  typename Supply::Reader reader(storage, tiles);
  for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
    if (gpu.thread() % 32 == 0) {
      const uint64_t cta = t.index() * gpu.options().cluster_size + gpu.rank();
      ++(*visits)[cta * kReaders + warp - 1];
    }
    for (uint64_t i = (t.index() + warp) % 3; i > 0; --i) gpu.Yield();
  }
}

template <class Supply>
void ExpectEveryTileOnce(FakeGpuOptions options, uint64_t tiles,
                         const typename Supply::Arguments& arguments) {
  options.warps = 1 + kReaders;
  SCOPED_TRACE(testing::Message() << "seed " << options.seed << ", tiles "
                                  << tiles << ", clusters " << options.clusters
                                  << " of " << options.cluster_size);
  Visits visits(tiles * options.cluster_size * kReaders);
  FakeGpu gpu(options);
  ASSERT_THAT(gpu.Run([&] { VisitKernel<Supply>(tiles, arguments, &visits); }),
              IsEmpty());
  for (uint32_t count : visits) ASSERT_EQ(count, 1u);
}

// Grids of both supplies, with a few seeds each.
template <int kDepth, int kClusterSize>
void TryClc() {
  for (uint64_t tiles : {1u, 2u, 9u}) {
    for (double refusals : {0.0, 0.3}) {
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        FakeGpuOptions options;
        options.seed = seed;
        options.clusters = GridClusters(SupplyKind::kClc, tiles, 2);
        options.cluster_size = kClusterSize;
        options.resident = 2;
        options.refusals = refusals;
        ExpectEveryTileOnce<ClcSupply<kDepth, kClusterSize>>(options, tiles,
                                                             {});
      }
    }
  }
}

template <int kDepth, int kClusterSize>
void TryQueue() {
  uint32_t counter = 0;
  for (uint64_t tiles : {1u, 2u, 9u}) {
    for (uint64_t clusters : {1u, 2u, 3u}) {  // More workers than tiles, too.
      FakeGpuOptions options;
      options.seed = tiles * 10 + clusters;
      options.clusters = clusters;
      options.cluster_size = kClusterSize;
      options.resident = 2;
      ExpectEveryTileOnce<QueueSupply<kDepth, kClusterSize>>(options, tiles,
                                                             {&counter});
      ASSERT_EQ(counter, 0u) << "the next launch would start in the middle";
    }
  }
}

TEST(ClcSupply, VisitsEveryTileOnceInClustersOfOne) {
  TryClc<1, 1>();
  TryClc<2, 1>();
  TryClc<4, 1>();
}

TEST(ClcSupply, VisitsEveryTileOnceInLargerClusters) {
  TryClc<1, 2>();
  TryClc<2, 2>();
  TryClc<3, 4>();
}

TEST(QueueSupply, VisitsEveryTileOnceAndResetsItsCounter) {
  TryQueue<1, 1>();
  TryQueue<3, 1>();
  TryQueue<1, 2>();
  TryQueue<2, 4>();
}

TEST(StaticSupply, VisitsEveryTileOnce) {
  for (uint64_t tiles : {1u, 2u, 9u}) {
    for (uint64_t clusters : {1u, 2u, 3u}) {
      FakeGpuOptions options;
      options.clusters = clusters;
      options.cluster_size = 2;
      options.resident = 2;
      ExpectEveryTileOnce<StaticSupply>(options, tiles, {});
    }
  }
}

TEST(StaticSupply, StaysAtItsEnd) {
  FakeGpuOptions options;
  options.clusters = 1;
  options.warps = 1;
  FakeGpu gpu(options);
  const auto errors = gpu.Run([] {
    StaticSupply::SharedStorage storage;
    StaticSupply::Reader reader(storage, 2);
    EXPECT_EQ(reader.First().index(), 0u);
    EXPECT_EQ(reader.Next().index(), 1u);
    EXPECT_FALSE(reader.Next().valid());
    EXPECT_FALSE(reader.Next().valid());
  });
  EXPECT_THAT(errors, IsEmpty());
}

}  // namespace
}  // namespace tiletune
