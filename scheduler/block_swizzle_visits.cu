#include <cuda_runtime.h>

#include "scheduler/block_swizzle.h"
#include "scheduler/block_swizzle_visits.h"

namespace tiletune {
namespace {

// The shapes and slices of the two kinds of swizzle, under one name.
__device__ SwizzleVisit Look(const DynamicGemmIdentityBlockSwizzle& swizzle,
                             uint32_t task) {
  const GemmCoord tile = swizzle.GetBlockCoord(task);
  return {swizzle.GetBatchIdx(task), 0, tile,
          swizzle.GetActualBlockShape(tile)};
}

__device__ SwizzleVisit
Look(const SplitkGemmIdentityBlockSwizzle<3, 1>& swizzle, uint32_t task) {
  const GemmCoord tile = swizzle.GetBlockCoord(task);
  const uint32_t slice = swizzle.GetSplitkSliceIdx(task);
  return {swizzle.GetBatchIdx(task), slice, tile,
          swizzle.GetActualBlockShape(tile, slice)};
}

// The swizzle is built on the device, as CATLASS kernels do.
__global__ void IdentityKernel(GemmCoord problem, MatrixCoord tile,
                               uint32_t offset, uint32_t direction,
                               uint32_t tasks, SwizzleVisit* visits) {
  const DynamicGemmIdentityBlockSwizzle swizzle(problem, tile, offset,
                                                direction);
  const uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task < tasks) visits[task] = Look(swizzle, task);
}

__global__ void SplitkKernel(GemmCoord problem, GemmCoord tile, uint32_t factor,
                             uint32_t tasks, SwizzleVisit* visits) {
  const SplitkGemmIdentityBlockSwizzle<3, 1> swizzle(problem, tile, factor);
  const uint32_t task = blockIdx.x * blockDim.x + threadIdx.x;
  if (task < tasks) visits[task] = Look(swizzle, task);
}

constexpr uint32_t kThreads = 128;

// Calls launch(visits) and brings `tasks` visits home.
template <typename Launch>
std::vector<SwizzleVisit> Collect(uint32_t tasks, const Launch& launch) {
  const size_t bytes = tasks * sizeof(SwizzleVisit);
  SwizzleVisit* visits = nullptr;
  if (cudaMalloc(&visits, bytes) != cudaSuccess) return {};
  launch(visits);
  std::vector<SwizzleVisit> home(tasks);
  const bool ok = cudaGetLastError() == cudaSuccess &&
                  cudaMemcpy(home.data(), visits, bytes,
                             cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(visits);
  return ok ? home : std::vector<SwizzleVisit>();
}

}  // namespace

std::vector<SwizzleVisit> VisitIdentity(const GemmCoord& problem,
                                        const MatrixCoord& tile,
                                        uint32_t offset, uint32_t direction,
                                        uint32_t tasks) {
  return Collect(tasks, [&](SwizzleVisit* visits) {
    IdentityKernel<<<CeilDiv(tasks, kThreads), kThreads>>>(
        problem, tile, offset, direction, tasks, visits);
  });
}

std::vector<SwizzleVisit> VisitSplitk(const GemmCoord& problem,
                                      const GemmCoord& tile, uint32_t factor,
                                      uint32_t tasks) {
  return Collect(tasks, [&](SwizzleVisit* visits) {
    SplitkKernel<<<CeilDiv(tasks, kThreads), kThreads>>>(problem, tile, factor,
                                                         tasks, visits);
  });
}

}  // namespace tiletune
