// The cost model's parameters, one line a parameter, one column a device kind.
#include "kernels/cost_model.h"

namespace tiletune {
namespace {

// Hopper: fitted by hand to published timings of one H200 (cuBLAS 13, bf16).
// The limits of shared memory (128 bytes per SM and clock) and of L2 to one SM
// (64) are NVIDIA's.
constexpr CostParameters kHopper = {
    /*launch=*/2.0e-6,
    /*fill=*/1.0e-6,
    /*mainloop_efficiency=*/0.88,
    /*cycles_per_k_tile=*/12,
    /*smem_bytes_per_clock=*/128,
    /*l2_bytes_per_sm_clock=*/56,
    /*l2_bytes_per_clock=*/4200,
    /*dram_efficiency=*/0.87,
    /*dram_bytes_per_sm_second=*/55e9,
    /*store_bytes_per_sm_clock=*/32,
    /*epilogue_fixed=*/0.7e-6,
    /*overlap=*/0.9,
    /*queue_latency=*/1.2e-6,
    /*queue_per_tile=*/0.05e-6,
    /*clc_latency=*/1.0e-6,  // unused: no CLC here
    /*clc_per_tile=*/0.05e-6,
    /*split_k_fixed=*/1.5e-6,
    /*repack_fixed=*/2.5e-6,
    /*power_share=*/0.76,
};

// Blackwell: nothing was measured. Scaled from Hopper by public figures: twice
// the tensor throughput, 8 TB/s of memory, and the cost of a CLC request from
// published tables of static against CLC (facts: Triton issue 10556).
constexpr CostParameters kBlackwell = {
    /*launch=*/2.2e-6,
    /*fill=*/1.1e-6,
    /*mainloop_efficiency=*/0.90,
    /*cycles_per_k_tile=*/10,
    /*smem_bytes_per_clock=*/128,
    /*l2_bytes_per_sm_clock=*/64,
    /*l2_bytes_per_clock=*/6400,
    /*dram_efficiency=*/0.87,
    /*dram_bytes_per_sm_second=*/80e9,
    /*store_bytes_per_sm_clock=*/32,
    /*epilogue_fixed=*/0.8e-6,
    /*overlap=*/0.95,
    /*queue_latency=*/1.3e-6,
    /*queue_per_tile=*/0.05e-6,
    /*clc_latency=*/1.0e-6,
    /*clc_per_tile=*/0.04e-6,
    /*split_k_fixed=*/1.6e-6,
    /*repack_fixed=*/2.5e-6,
    /*power_share=*/0.80,
};

}  // namespace

const CostParameters& ParametersOf(const DeviceFacts& device) {
  return device.capability_major >= 10 ? kBlackwell : kHopper;
}

}  // namespace tiletune
