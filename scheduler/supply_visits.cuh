// The kernel behind supply_visits.h, and its launch.
//
// Include it in the .cu files of the device test alone; one per set of
// architectures.
//
//   return RunVisits<QueueSupply<2, 4>>(request);
#ifndef TILETUNE_SCHEDULER_SUPPLY_VISITS_CUH_
#define TILETUNE_SCHEDULER_SUPPLY_VISITS_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "scheduler/order.h"
#include "scheduler/supply_visits.h"

namespace tiletune {

// Where the kernel leaves what VisitReport describes.
struct VisitArrays {
  uint32_t* visits;
  TileCoord* tiles;
  uint64_t* positions;
};

// One producer warp and kVisitReaders reading warps, which dawdle by turns.
template <class Supply>
__global__ void VisitKernel(Order order, typename Supply::Arguments arguments,
                            VisitArrays out) {
  __shared__ typename Supply::SharedStorage storage;
  if (threadIdx.x == 0) {
    Supply::Init(storage, kVisitReaders);
    ptx::fence_mbarrier_init_release_cluster();
  }
  __syncthreads();
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  const uint32_t warp = threadIdx.x / 32;
  if (warp == 0) {
    typename Supply::Producer(storage, order.size(), arguments).Run();
  } else {
    const uint32_t rank = ptx::cluster_ctarank();
    typename Supply::Reader reader(storage, order.size());
    for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
      if (ptx::elect_sync()) {
        const uint64_t index = t.index();
        atomicAdd(&out.visits[(index * ptx::cluster_nctarank() + rank) *
                                  kVisitReaders +
                              warp - 1],
                  1);
        if (rank == 0 && warp == 1) {  // One writer an element.
          out.tiles[index] = order.At(index);
          out.positions[index] = order.IndexOf(order.At(index));
        }
      }
      __syncwarp();
      __nanosleep((t.index() + warp + rank) % 4 * 100);
    }
  }
  __syncwarp();  // barrier.cluster is .aligned.
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

// Device memory that frees itself; null if there was not enough.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    if (cudaMalloc(&data_, count * sizeof(T)) != cudaSuccess) data_ = nullptr;
    if (data_ != nullptr) cudaMemset(data_, 0, count * sizeof(T));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> ToHost() const {
    std::vector<T> host(count_);
    cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  size_t count_;
  T* data_ = nullptr;
};

template <class Supply>
typename Supply::Arguments MakeArguments(uint32_t* counter) {
  if constexpr (Supply::kKind == SupplyKind::kQueue) {
    return {counter};
  } else {
    return {};
  }
}

template <class Supply>
cudaError_t LaunchVisits(const VisitRequest& request, uint32_t* counter,
                         const VisitArrays& arrays) {
  const uint32_t size = static_cast<uint32_t>(request.cluster_size);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = size;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<uint32_t>(request.clusters) * size);
  config.blockDim = dim3((1 + kVisitReaders) * 32);
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, VisitKernel<Supply>, request.order,
                            MakeArguments<Supply>(counter), arrays);
}

template <class Supply>
VisitReport RunVisits(const VisitRequest& request) {
  const size_t tiles = request.order.size();
  DeviceArray<uint32_t> visits(tiles * request.cluster_size * kVisitReaders);
  DeviceArray<TileCoord> coords(tiles);
  DeviceArray<uint64_t> positions(tiles);
  DeviceArray<uint32_t> counter(1);
  const VisitArrays arrays = {visits.data(), coords.data(), positions.data()};
  VisitReport report;
  for (int i = 0; i < request.launches; ++i) {
    cudaError_t error = LaunchVisits<Supply>(request, counter.data(), arrays);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
      report.error = cudaGetErrorString(error);
      return report;
    }
  }
  report.visits = visits.ToHost();
  report.tiles = coords.ToHost();
  report.positions = positions.ToHost();
  report.counter = counter.ToHost()[0];
  return report;
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SUPPLY_VISITS_CUH_
