#include "scheduler/fake_gpu.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kBarrier = 64;  // Shared addresses in the CTA of rank 0.
constexpr uint32_t kResponse = 0;

FakeGpuOptions OneCta() {
  FakeGpuOptions options;
  options.resident = 1;
  return options;
}

TEST(FakeGpu, RunsEveryThreadOfEveryCluster) {
  FakeGpuOptions options;
  options.clusters = 3;
  options.cluster_size = 2;
  options.warps = 2;
  options.resident = 2;
  std::vector<int> runs(3 * 2 * 64);
  FakeGpu gpu(options);
  EXPECT_THAT(gpu.Run([&] {
    ++runs[(gpu.cluster() * 2 + gpu.rank()) * 64 + gpu.thread()];
  }),
              IsEmpty());
  EXPECT_THAT(runs, testing::Each(1));
}

TEST(FakeGpu, GivesCancelledClustersToTheirTakerAlone) {
  FakeGpuOptions options = OneCta();
  options.clusters = 3;
  std::vector<uint32_t> answer;
  int launched = 0;
  FakeGpu gpu(options);
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.thread() != 0) return;
    if (++launched > 1) return;
    gpu.InitBarrier(kBarrier, 1);
    gpu.Arrive(kBarrier, 1, 16);
    gpu.TryCancel(kResponse, kBarrier, /*multicast=*/false);
    gpu.Wait(kBarrier, 0);
    const uint32_t* words =
        static_cast<const uint32_t*>(gpu.FromShared(kResponse));
    answer = {words[0], words[2]};
  }),
              IsEmpty());
  EXPECT_THAT(answer, ElementsAre(1, 1));  // Cluster 1, taken.
  EXPECT_EQ(launched, 2);                  // Clusters 0 and 2.
}

TEST(FakeGpu, ReportsADeadlock) {
  FakeGpu gpu(OneCta());
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.thread() == 0) gpu.InitBarrier(kBarrier, 1);
    gpu.SyncWarp();
    gpu.Wait(kBarrier, 0);
  }),
              Contains(HasSubstr("deadlock")));
}

TEST(FakeGpu, ReportsTooManyArrivals) {
  FakeGpu gpu(OneCta());
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.thread() != 0) return;
    gpu.InitBarrier(kBarrier, 1);
    gpu.Arrive(kBarrier, 2, 0);
  }),
              Contains(HasSubstr("more arrivals")));
}

TEST(FakeGpu, ReportsARequestThatWasNotArmed) {
  FakeGpu gpu(OneCta());
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.thread() != 0) return;
    gpu.InitBarrier(kBarrier, 1);
    gpu.TryCancel(kResponse, kBarrier, false);
  }),
              Contains(HasSubstr("armed")));
}

TEST(FakeGpu, ReportsARequestAfterARefusalWasSeen) {
  FakeGpu gpu(OneCta());
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.thread() != 0) return;
    gpu.InitBarrier(kBarrier, 1);
    gpu.SawRefusal();
    gpu.Arrive(kBarrier, 1, 16);
    gpu.TryCancel(kResponse, kBarrier, false);
    gpu.Wait(kBarrier, 0);
  }),
              ElementsAre(HasSubstr("after a refusal")));
}

TEST(FakeGpu, ReportsARequestInFlightAtExit) {
  // Which comes first, the answer or the exit, depends on the seed.
  int reports = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    FakeGpuOptions options = OneCta();
    options.seed = seed;
    FakeGpu gpu(options);
    for (const std::string& error : gpu.Run([&] {
           if (gpu.thread() != 0) return;
           gpu.InitBarrier(kBarrier, 1);
           gpu.Arrive(kBarrier, 1, 16);
           gpu.TryCancel(kResponse, kBarrier, false);
         })) {
      EXPECT_THAT(error, HasSubstr("in flight"));
      ++reports;
    }
  }
  EXPECT_GT(reports, 0);
}

TEST(FakeGpu, ReportsAnAccessToACtaThatHasExited) {
  FakeGpuOptions options = OneCta();
  options.cluster_size = 2;
  FakeGpu gpu(options);
  EXPECT_THAT(gpu.Run([&] {
    if (gpu.rank() == 1) return;
    for (int i = 0; i < 10000; ++i) gpu.Yield();
    gpu.FromShared(1u << 24);  // In rank 1.
  }),
              Contains(HasSubstr("exited")));
}

TEST(FakeGpu, RepeatsItselfForTheSameSeed) {
  const auto trace = [](uint64_t seed) {
    FakeGpuOptions options = OneCta();
    options.seed = seed;
    std::vector<uint32_t> order;
    FakeGpu gpu(options);
    gpu.Run([&] {
      gpu.Yield();
      order.push_back(gpu.thread());
    });
    return order;
  };
  EXPECT_EQ(trace(1), trace(1));
  EXPECT_NE(trace(1), trace(2));
}

}  // namespace
}  // namespace tiletune
