// One variant: the kernel with the shape that BUILD gives as TILETUNE_ defines
// (see variants.bzl), and its entry.
#include <type_traits>

#include "kernels/hopper/cta_supply.cuh"
#include "kernels/hopper/gemm_kernel.cuh"
#include "kernels/hopper/kernel_entry.h"
#include "scheduler/queue_supply.h"
#include "scheduler/static_supply.h"

namespace tiletune::hopper {
namespace {

using VariantShape =
    GemmShape<TILETUNE_TILE_M, TILETUNE_TILE_N, TILETUNE_TILE_K,
              TILETUNE_CLUSTER_M, TILETUNE_CLUSTER_N, TILETUNE_CLUSTER_K,
              TILETUNE_STAGES, TILETUNE_CONSUMERS, Schedule::TILETUNE_SCHEDULE,
              TILETUNE_SWAPPED, TILETUNE_OPERAND_BITS, TILETUNE_BLOCK_SCALED,
              TILETUNE_SHIFTED_ROWS>;

using static_supply = std::conditional_t<VariantShape::kClusterSize == 1,
                                         CtaSupply, StaticSupply>;
using queue_supply =
    QueueSupply</*kDepth=*/1,
                TILETUNE_CLUSTER_M * TILETUNE_CLUSTER_N * TILETUNE_CLUSTER_K>;
using VariantSupply = TILETUNE_SUPPLY;

static_assert(VariantShape::kThreads == TILETUNE_THREADS,
              "variants.bzl tells the registry another number of threads");
static_assert(sizeof(SharedStorage<VariantShape, VariantSupply>) ==
                  TILETUNE_SHARED_BYTES,
              "variants.bzl tells the registry another size of shared memory");

KernelEntry entry = {
    TILETUNE_NAME,
    reinterpret_cast<const void*>(
        &GemmKernel<VariantShape, VariantSupply, TILETUNE_CTAS_PER_SM>),
    TILETUNE_THREADS, TILETUNE_SHARED_BYTES, nullptr};
const bool registered = RegisterKernel(&entry);

}  // namespace
}  // namespace tiletune::hopper
