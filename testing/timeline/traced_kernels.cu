// The kernels that can be traced: one Hopper shape with either supply, entered
// under the names of the untraced ones, so that the launcher finds them.
#include <cuda_runtime.h>

#include "kernels/hopper/gemm_kernel.cuh"
#include "kernels/hopper/kernel_entry.h"
#include "scheduler/queue_supply.h"
#include "scheduler/static_supply.h"
#include "testing/timeline/traced_supply.cuh"

namespace tiletune {
namespace {

using hopper::GemmKernel;
using hopper::KernelEntry;
using hopper::SharedStorage;

using Shape = hopper::GemmShape<128, 256, 64, /*cluster=*/2, 1, 1, /*stages=*/4,
                                /*consumers=*/2, hopper::Schedule::kCooperative,
                                /*swapped=*/false, /*operand_bits=*/16>;
using Static = TracedSupply<StaticSupply>;
using Queue = TracedSupply<QueueSupply</*kDepth=*/1, Shape::kClusterSize>>;

KernelEntry static_entry = {
    "sm90_16b_128x256x64_c2x1_s4_coop_static",
    reinterpret_cast<const void*>(&GemmKernel<Shape, Static, 1>),
    Shape::kThreads, sizeof(SharedStorage<Shape, Static>), nullptr};
KernelEntry queue_entry = {
    "sm90_16b_128x256x64_c2x1_s4_coop_queue",
    reinterpret_cast<const void*>(&GemmKernel<Shape, Queue, 1>),
    Shape::kThreads, sizeof(SharedStorage<Shape, Queue>), nullptr};
const bool registered = hopper::RegisterKernel(&static_entry) &&
                        hopper::RegisterKernel(&queue_entry);

}  // namespace

std::optional<std::vector<TileEvent>> TakeTileEvents() {
  uint32_t count = 0;
  if (cudaMemcpyFromSymbol(&count, tile_event_count, sizeof(count)) !=
      cudaSuccess) {
    return std::nullopt;
  }
  const uint32_t none = 0;
  cudaMemcpyToSymbol(tile_event_count, &none, sizeof(none));
  if (count > kMostTileEvents) return std::nullopt;
  std::vector<TileEvent> events(count);
  const cudaError_t copied = cudaMemcpyFromSymbol(events.data(), tile_events,
                                                  count * sizeof(TileEvent));
  if (copied != cudaSuccess) return std::nullopt;
  return events;
}

}  // namespace tiletune
