// GemmKernel: the body of every Blackwell GEMM, to be read top to bottom.
//
// Use it once in a __global__ function (variant.cu), launched with kThreads
// threads, sizeof(SharedStorage) bytes of dynamic shared memory, clusters of
// (kClusterSize, 1, 1) and the grid that supply.h prescribes. Device code.
//
//   extern "C" __global__ void __launch_bounds__(kThreads, 1)
//   my_gemm(const __grid_constant__ GemmParameters p) {
//     GemmKernel<KernelShape<128, 128, 1, 1, 1, 6, 2, 16, false>,
//                StaticSupply>(p);
//   }
//
// Warps:   0 producer   1 MMA   2 tile supply   3 tensor memory   4-7 epilogue
//
//          stage_full            accumulator_full
//   TMA ---------------> MMA ---------------------> epilogue ---> D
//    ^                  |  ^                       |
//    +------------------+  +-----------------------+
//        stage_empty            accumulator_empty
//
// docs/blackwell_kernels.md follows one tile through these four rings.
#ifndef TILETUNE_KERNELS_BLACKWELL_GEMM_KERNEL_CUH_
#define TILETUNE_KERNELS_BLACKWELL_GEMM_KERNEL_CUH_

#include <cstdint>

#include "kernels/blackwell/epilogue.cuh"
#include "kernels/blackwell/kernel_shape.h"
#include "kernels/blackwell/mma_issuer.cuh"
#include "kernels/blackwell/parameters.h"
#include "kernels/blackwell/producer.cuh"
#include "kernels/blackwell/shared_storage.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/grid_dependency.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/tcgen05.h"
#include "kernels/ptx/tma.h"
#include "scheduler/supply.h"

namespace tiletune::blackwell {

enum WarpRole : uint32_t {
  kProducerWarp = 0,
  kMmaWarp = 1,
  kSupplyWarp = 2,
  kTensorMemoryWarp = 3,
  kFirstEpilogueWarp = 4,
};

// The shared memory a CTA may have on compute capability 10.0 and 10.3.
inline constexpr int kSharedBytesPerCta = 232448;

// Every thread of the cluster, converged warps.
template <class Shape>
__device__ __forceinline__ void SynchronizeCluster() {
  if constexpr (Shape::kClusterSize == 1) {
    __syncthreads();
  } else {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
  }
}

// One thread of each CTA; a fence and a barrier must follow.
template <class Shape, class Supply>
__device__ __forceinline__ void InitBarriers(
    SharedStorage<Shape, Supply>& storage) {
  for (int i = 0; i < Shape::kStages; ++i) {
    ptx::mbarrier_init(&storage.stage_full[i], 1);
    ptx::mbarrier_init(&storage.stage_empty[i], Shape::kStageReaders);
  }
  for (int i = 0; i < Shape::kAccumulators; ++i) {
    ptx::mbarrier_init(&storage.accumulator_full[i], 1);
    ptx::mbarrier_init(&storage.accumulator_empty[i],
                       kEpilogueWarps * Shape::kCtaGroup);
  }
  Supply::Init(storage.supply, kReadingWarps);
}

template <class Supply>
__device__ __forceinline__ typename Supply::Arguments SupplyArguments(
    const GemmParameters& p) {
  if constexpr (Supply::kKind == SupplyKind::kQueue) {
    return {p.queue_counter};
  } else {
    return {};
  }
}

template <class Shape, class Supply>
__device__ __forceinline__ void GemmKernel(const GemmParameters& p) {
  using Storage = SharedStorage<Shape, Supply>;
  static_assert(sizeof(Storage) <= kSharedBytesPerCta, "Too many stages.");
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  Storage& storage = *reinterpret_cast<Storage*>(shared_bytes);
  // A shuffle, so that ptxas knows that a warp never splits over its role.
  const uint32_t warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const ClusterPlace<Shape> place(ptx::cluster_ctarank());

  // Set-up, which touches nothing that an earlier kernel wrote.
  if (threadIdx.x == 0) {
    // Swizzled tiles and their descriptors rely on it.
    if (ptx::cvta_to_shared(shared_bytes) % 1024 != 0) __trap();
    InitBarriers<Shape, Supply>(storage);
    ptx::fence_mbarrier_init_release_cluster();
    if (p.k_tiles != 0) {
      ptx::prefetch_tensormap(&p.a_map);
      ptx::prefetch_tensormap(&p.b_map);
    }
    if (p.epilogue.stores_by_tma) ptx::prefetch_tensormap(&p.d_map);
  }
  __syncwarp();
  // A pair allocates together: the other CTA must be running.
  if constexpr (Shape::kCtaGroup == 2) SynchronizeCluster<Shape>();
  if (warp == kTensorMemoryWarp) {
    ptx::tcgen05_alloc<Shape::kCtaGroup>(&storage.tmem_address,
                                         Shape::kTmemColumns);
    ptx::tcgen05_relinquish_alloc_permit<Shape::kCtaGroup>();
    ptx::tcgen05_fence_before_thread_sync();
  }
  __syncwarp();
  SynchronizeCluster<Shape>();
  ptx::tcgen05_fence_after_thread_sync();
  const uint32_t tmem_address = storage.tmem_address;
  ptx::griddepcontrol_wait();

  const uint64_t tiles = p.order.size();
  if (warp == kProducerWarp) {
    typename Supply::Reader reader(storage.supply, tiles);
    Producer<Shape, Supply>(storage, p, place).Run(reader);
    // The next kernel may set itself up while the last tiles are finished.
    ptx::griddepcontrol_launch_dependents();
  } else if (warp == kMmaWarp) {
    typename Supply::Reader reader(storage.supply, tiles);
    MmaIssuer<Shape, Supply>(storage, p, place, tmem_address).Run(reader);
  } else if (warp == kSupplyWarp) {
    typename Supply::Producer(storage.supply, tiles, SupplyArguments<Supply>(p))
        .Run();
  } else if (warp >= kFirstEpilogueWarp) {
    typename Supply::Reader reader(storage.supply, tiles);
    Epilogue<Shape, Supply>(storage, p, place, tmem_address).Run(reader);
  }

  // No CTA leaves while another may still signal its barriers or, of a pair,
  // use its tensor memory.
  __syncwarp();
  ptx::tcgen05_fence_before_thread_sync();
  SynchronizeCluster<Shape>();
  if (warp == kTensorMemoryWarp) {
    ptx::tcgen05_fence_after_thread_sync();
    ptx::tcgen05_dealloc<Shape::kCtaGroup>(tmem_address, Shape::kTmemColumns);
  }
}

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_GEMM_KERNEL_CUH_
