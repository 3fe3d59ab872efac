// The Hopper GEMM kernel, top to bottom: set up, split into warp roles, run.
//
//   warpgroup 0   warp 0: TMA producer     fills the stages (producer.cuh)
//                 warp 1: tile supply      fetches tile indices (queue only)
//                 warp 2: split-K          says that its slice runs
//   warpgroup 1.. consumers                mainloop.cuh, cluster_sum.cuh,
//                                          split_k.cuh, epilogue.cuh
//
//   stage s:   producer --TMA--> full[s] --> consumers --> empty[s] -->
//   producer
//
// Every role walks the same tiles in the same order, each with a Reader of its
// own; Supply and Order decide which, and nothing else here knows of them.
#ifndef TILETUNE_KERNELS_HOPPER_GEMM_KERNEL_CUH_
#define TILETUNE_KERNELS_HOPPER_GEMM_KERNEL_CUH_

#include <cstdint>
#include <type_traits>

#include "kernels/hopper/cluster_position.cuh"
#include "kernels/hopper/cluster_sum.cuh"
#include "kernels/hopper/epilogue.cuh"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/gemm_shape.cuh"
#include "kernels/hopper/mainloop.cuh"
#include "kernels/hopper/mainloop_block_scaled.cuh"
#include "kernels/hopper/producer.cuh"
#include "kernels/hopper/shifted_mainloop.cuh"
#include "kernels/hopper/split_k.cuh"
#include "kernels/ptx/cluster.h"
#include "kernels/ptx/elect.h"
#include "kernels/ptx/fence.h"
#include "kernels/ptx/grid_dependency.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/registers.h"
#include "kernels/ptx/tma.h"
#include "scheduler/supply.h"

namespace tiletune::hopper {

// A barrier of the whole cluster; every thread of it calls this together. It
// publishes nothing but initialized barriers, which have their own fence.
template <class Shape>
__device__ __forceinline__ void SyncCluster() {
  if constexpr (Shape::kClusterSize > 1) {
    ptx::barrier_cluster_arrive_relaxed();
    ptx::barrier_cluster_wait();
  } else {
    __syncthreads();
  }
}

template <class Shape, class Supply>
__device__ __forceinline__ void InitBarriers(
    SharedStorage<Shape, Supply>& shared) {
  for (int i = 0; i < Shape::kStages; ++i) {
    ptx::mbarrier_init(&shared.full[i], 1);
    ptx::mbarrier_init(&shared.empty[i], 4 * Shape::kConsumersPerTile *
                                             ClusterPosition<Shape>::kSharers);
  }
  for (int i = 0; i < 2; ++i) ptx::mbarrier_init(&shared.turn[i], 4);
  ptx::mbarrier_init(&shared.sum_decided, 2);
  for (int i = 0; i < Shape::kConsumers; ++i) {
    ptx::mbarrier_init(&shared.inbox_full[i], 4 * Shape::kClusterK);
    ptx::mbarrier_init(&shared.inbox_empty[i], 4 * Shape::kClusterK);
  }
  // The producer and every consumer warp read the supply.
  Supply::Init(shared.supply, 1 + 4 * Shape::kConsumers);
  ptx::fence_mbarrier_init_release_cluster();
}

template <class Shape>
__device__ __forceinline__ void PrefetchTensorMaps(
    const ParamsOf<Shape>& params) {
  if (params.work.k_tiles != 0) {
    if constexpr (Shape::kShiftedRows) {
      for (const CUtensorMap& rows : params.a_rows) {
        ptx::prefetch_tensormap(&rows);
      }
    } else {
      ptx::prefetch_tensormap(&params.a_map);
    }
    ptx::prefetch_tensormap(&params.b_map);
  }
  if (params.epilogue.tma_store) ptx::prefetch_tensormap(&params.d_map);
}

template <class Shape, class Supply>
__device__ __forceinline__ void Consume(const ParamsOf<Shape>& params,
                                        SharedStorage<Shape, Supply>& shared,
                                        int consumer) {
  const WorkList& work = params.work;
  const ClusterPosition<Shape> position;
  const bool whole = Shape::kPingPong;
  const bool beside = Shape::kSideBySide;
  const int first_row =
      whole || beside ? 0 : consumer * Shape::kRowsPerConsumer;
  const int first_column = beside ? consumer * Shape::kColumnsPerConsumer : 0;
  std::conditional_t<Shape::kShiftedRows, ShiftedMainloop<Shape, Supply>,
                     std::conditional_t<Shape::kBlockScaled,
                                        BlockScaledMainloop<Shape, Supply>,
                                        Mainloop<Shape, Supply>>>
      mainloop(params, shared, consumer, first_row, first_column);
  ClusterSum<Shape, Supply> exchange(shared, consumer);
  SplitK<Shape, Supply> split(params, shared, consumer);
  Epilogue<Shape> epilogue(params, shared.staging[consumer * 4], consumer);

  // Takes what is now the sum of an item to D. True if no further item follows:
  // the compiler is to see that whoever waits for other slices does not
  // multiply again, or it keeps what the mainloop needs out of uniform
  // registers.
  const auto finish = [&](const WorkItem& item, int32_t row, int32_t column,
                          auto& sum) {
    if (item.slices > 1) {
      const bool is_shared = split.IsShared();
      split.Leave(item, position, sum, is_shared);
      if (is_shared) {
        split.TakeShare(item, position, row, column, epilogue);
        return true;
      }
      if (!split.TakeAll(item, position, sum)) return false;
    }
    epilogue.Run(row, column, item.tile.batch, sum);
    return false;
  };

  int turn = 0;
  typename Supply::Reader reader(shared.supply, work.size());
  for (TileIndex t = reader.First(); t.valid(); t = reader.Next()) {
    const WorkItem item = work.At(t.index());
    const KTileRange k_tiles = position.OwnKTiles(item.k_tiles);
    if constexpr (Shape::kPingPong) {
      if (turn++ % Shape::kConsumers != consumer) {
        mainloop.Skip(k_tiles.count);
        continue;
      }
    }
    // Computed anew after the mainloop, which needs the registers.
    const auto row_of_item = [&] {
      return (item.tile.m * Shape::kClusterM + position.m) * Shape::kTileM +
             first_row;
    };
    const auto column_of_item = [&] {
      return (item.tile.n * Shape::kClusterN + position.n) * Shape::kTileN +
             first_column;
    };
    // Declared here, so that no old sum is kept alive between tiles.
    float sum[Shape::kRowBlocks][Shape::kBlockRegisters];
    if constexpr (Shape::kBlockScaled) {
      mainloop.Run(row_of_item(), column_of_item(), item.tile.batch, k_tiles,
                   sum);
    } else {
      mainloop.Run(k_tiles.count, sum);
    }
    const int32_t row = row_of_item();
    const int32_t column = column_of_item();
    if constexpr (Shape::kClusterK == 1) {
      if (finish(item, row, column, sum)) break;
    } else {
      float share[Shape::kRowBlocks][Shape::kShareRegisters];
      exchange.Reduce(position, sum, share);
      const int32_t own_column = column + position.k * Shape::kShareColumns;
      if (finish(item, row, own_column, share)) {
        exchange.Release(position);
        break;
      }
      exchange.Release(position);
    }
  }
  exchange.Finish();
  epilogue.Finish();
}

template <class Shape, class Supply>
__device__ __forceinline__ void Produce(const ParamsOf<Shape>& params,
                                        SharedStorage<Shape, Supply>& shared) {
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    Producer<Shape, Supply>(params, shared).Run();
  } else if (warp == 1) {
    ptx::griddepcontrol_wait();
    typename Supply::Arguments arguments = {};
    if constexpr (Supply::kKind == SupplyKind::kQueue) {
      arguments.counter = params.queue_counter;
    }
    typename Supply::Producer(shared.supply, params.work.size(), arguments)
        .Run();
  } else if (warp == 2 && params.work.slices_run_at_once) {
    ptx::griddepcontrol_wait();
    if (ptx::elect_sync()) {
      SplitK<Shape, Supply>::Open(params, shared, ClusterPosition<Shape>());
    }
  }
}

template <class Shape, class Supply, int kCtasPerSm>
__global__ __launch_bounds__(Shape::kThreads, kCtasPerSm) void GemmKernel(
    const __grid_constant__ ParamsOf<Shape> params) {
  extern __shared__ __align__(1024) uint8_t memory[];
  auto& shared = *reinterpret_cast<SharedStorage<Shape, Supply>*>(memory);
  // The same in all lanes, and known to be.
  const int warpgroup = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);

  // In different warps, as both take a while.
  if (threadIdx.x == 0) PrefetchTensorMaps<Shape>(params);
  if (threadIdx.x == 128) InitBarriers<Shape, Supply>(shared);
  SyncCluster<Shape>();

  if (warpgroup == 0) {
    if constexpr (Shape::kConsumers == 2) ptx::setmaxnreg_dec<40>();
    Produce<Shape, Supply>(params, shared);
  } else {
    if constexpr (Shape::kConsumers == 2) ptx::setmaxnreg_inc<232>();
    ptx::griddepcontrol_wait();
    Consume<Shape, Supply>(params, shared, warpgroup - 1);
  }

  // All that peers send here has arrived, see Drain() and Finish(); this only
  // keeps the shared memory of every CTA alive until all of them are done.
  if constexpr (Shape::kClusterSize > 1) {
    __syncwarp();
    SyncCluster<Shape>();
  }
}

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_GEMM_KERNEL_CUH_
