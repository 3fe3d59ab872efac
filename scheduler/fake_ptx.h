// Stands in for kernels/ptx when device code is compiled for FakeGpu.
//
// Include it before the supplies, in tests alone: it takes the include guards
// of the real wrappers, so that they are not read, and defines what they and
// nvcc would.
//
//   #include "scheduler/fake_ptx.h"
//   #include "scheduler/clc_supply.h"
//   FakeGpu(options).Run([&] { Kernel<ClcSupply<2, 4>>(...); });
#ifndef TILETUNE_SCHEDULER_FAKE_PTX_H_
#define TILETUNE_SCHEDULER_FAKE_PTX_H_

#define TILETUNE_KERNELS_PTX_CLC_H_
#define TILETUNE_KERNELS_PTX_CLUSTER_H_
#define TILETUNE_KERNELS_PTX_ELECT_H_
#define TILETUNE_KERNELS_PTX_FENCE_H_
#define TILETUNE_KERNELS_PTX_MBARRIER_H_
#define __device__
#define __forceinline__ inline

#include <cstdint>
#include <cstring>

#include "scheduler/fake_gpu.h"

struct FakeThreadIndex {
  uint32_t x;
};

#define threadIdx (FakeThreadIndex{::tiletune::FakeGpu::Current().thread()})

inline void __syncwarp() { tiletune::FakeGpu::Current().SyncWarp(); }

inline uint32_t __shfl_sync(uint32_t, uint32_t value, int source_lane) {
  return tiletune::FakeGpu::Current().Shuffle(
      value, static_cast<uint32_t>(source_lane));
}

inline uint32_t atomicInc(uint32_t* address, uint32_t last) {
  tiletune::FakeGpu::Current().Yield();
  const uint32_t old = *address;
  *address = old >= last ? 0 : old + 1;
  return old;
}

namespace tiletune::ptx {

inline bool elect_sync() {
  FakeGpu::Current().SyncWarp();
  return FakeGpu::Current().thread() % 32 == 0;
}

inline void fence_proxy_async_shared_cta() {}
inline void fence_proxy_async_shared_cluster() {}

inline uint32_t cluster_ctarank() { return FakeGpu::Current().rank(); }
inline uint32_t clusterid_x() {
  return static_cast<uint32_t>(FakeGpu::Current().cluster());
}
inline uint32_t nclusterid_x() {
  return static_cast<uint32_t>(FakeGpu::Current().options().clusters);
}
inline uint32_t cvta_to_shared(const void* pointer) {
  return FakeGpu::Current().ToShared(pointer);
}
inline uint32_t mapa_shared_cluster(uint32_t address, uint32_t cta_rank) {
  return (address & 0xffffff) | (cta_rank << 24);
}
inline void st_shared_cluster_v4(uint32_t address, uint32_t x, uint32_t y,
                                 uint32_t z, uint32_t w) {
  FakeGpu::Current().Yield();
  const uint32_t words[4] = {x, y, z, w};
  std::memcpy(FakeGpu::Current().FromShared(address), words, sizeof(words));
}

inline void mbarrier_init(uint64_t* barrier, uint32_t count) {
  FakeGpu::Current().InitBarrier(cvta_to_shared(barrier), count);
}
inline void mbarrier_arrive(uint64_t* barrier, uint32_t count = 1) {
  FakeGpu::Current().Arrive(cvta_to_shared(barrier), count, 0);
}
inline void mbarrier_arrive_expect_tx(uint64_t* barrier, uint32_t bytes) {
  FakeGpu::Current().Arrive(cvta_to_shared(barrier), 1, bytes);
}
inline void mbarrier_arrive_release_cluster(uint32_t address,
                                            uint32_t count = 1) {
  FakeGpu::Current().Arrive(address, count, 0);
}
inline void mbarrier_arrive_expect_tx_release_cluster(uint32_t address,
                                                      uint32_t bytes) {
  FakeGpu::Current().Arrive(address, 1, bytes);
}
inline void mbarrier_wait_parity(uint64_t* barrier, uint32_t parity) {
  FakeGpu::Current().Wait(cvta_to_shared(barrier), parity);
}
inline void mbarrier_wait_parity_cluster(uint64_t* barrier, uint32_t parity) {
  FakeGpu::Current().Wait(cvta_to_shared(barrier), parity);
}

struct alignas(16) ClusterLaunchControlResponse {
  uint32_t words[4];
};
struct ClusterLaunchControlAnswer {
  bool is_canceled;
  uint32_t first_ctaid_x;
};
inline void clusterlaunchcontrol_try_cancel(
    ClusterLaunchControlResponse* response, uint64_t* barrier) {
  FakeGpu::Current().TryCancel(cvta_to_shared(response),
                               cvta_to_shared(barrier), /*multicast=*/false);
}
inline void clusterlaunchcontrol_try_cancel_multicast_cluster_all(
    ClusterLaunchControlResponse* response, uint64_t* barrier) {
  FakeGpu::Current().TryCancel(cvta_to_shared(response),
                               cvta_to_shared(barrier), /*multicast=*/true);
}
inline ClusterLaunchControlAnswer clusterlaunchcontrol_query_cancel(
    const ClusterLaunchControlResponse* response) {
  FakeGpu::Current().Yield();
  const ClusterLaunchControlResponse copy = *response;
  if (copy.words[2] == 0) FakeGpu::Current().SawRefusal();
  return {copy.words[2] != 0, copy.words[0]};
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_SCHEDULER_FAKE_PTX_H_
