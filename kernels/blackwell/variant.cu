// One Blackwell kernel. BUILD compiles this file once for every line of
// variants.bzl, with the line's fields as macros.
#include <cstdint>

#include "kernels/blackwell/entry.h"
#include "kernels/blackwell/gemm_kernel.cuh"
#include "kernels/blackwell/kernel_shape.h"
#include "kernels/blackwell/parameters.h"
#include "scheduler/clc_supply.h"
#include "scheduler/queue_supply.h"
#include "scheduler/static_supply.h"

namespace tiletune::blackwell {
namespace {

using Shape = KernelShape<TILETUNE_TILE_M, TILETUNE_TILE_N, TILETUNE_CLUSTER_M,
                          TILETUNE_CLUSTER_N, TILETUNE_CTA_GROUP,
                          TILETUNE_STAGES, TILETUNE_ACCUMULATORS,
                          TILETUNE_OPERAND_BITS, TILETUNE_SWAPS_OPERANDS>;

template <SupplyKind kKind, int kDepth>
struct SupplyOf;
template <int kDepth>
struct SupplyOf<SupplyKind::kStatic, kDepth> {
  using Type = StaticSupply;
};
template <int kDepth>
struct SupplyOf<SupplyKind::kQueue, kDepth> {
  using Type = QueueSupply<kDepth, Shape::kClusterSize>;
};
template <int kDepth>
struct SupplyOf<SupplyKind::kClc, kDepth> {
  using Type = ClcSupply<kDepth, Shape::kClusterSize>;
};
using Supply =
    SupplyOf<SupplyKind::TILETUNE_SUPPLY, TILETUNE_REQUEST_DEPTH>::Type;

static_assert(sizeof(SharedStorage<Shape, Supply>) == TILETUNE_SHARED_BYTES,
              "variants.bzl and the kernel disagree on shared memory.");

}  // namespace
}  // namespace tiletune::blackwell

extern "C" __global__ void __launch_bounds__(tiletune::blackwell::kThreads, 1)
    TILETUNE_NAME(
        const __grid_constant__ tiletune::blackwell::GemmParameters p) {
  tiletune::blackwell::GemmKernel<tiletune::blackwell::Shape,
                                  tiletune::blackwell::Supply>(p);
}

namespace tiletune::blackwell {
namespace {

#define TILETUNE_STRING_OF(name) #name
#define TILETUNE_STRING(name) TILETUNE_STRING_OF(name)

const KernelEntry entry(TILETUNE_STRING(TILETUNE_NAME),
                        reinterpret_cast<const void*>(&TILETUNE_NAME));

}  // namespace
}  // namespace tiletune::blackwell
