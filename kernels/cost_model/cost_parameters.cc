// The cost model's parameters, one line a parameter, one column a device kind.
#include "kernels/cost_model/cost_parameters.h"

namespace tiletune {
namespace {

// Hopper: fitted by `autotune calibrate` to an H200's timings of 70 shapes
// (bf16, cold L2, graphs, dependent launches); docs/results/cost_model.md has
// the fit.
constexpr CostParameters kHopper = {
    /*launch=*/1.453e-07,
    /*cluster_launch=*/7.235e-07,
    /*queue_launch=*/0.1e-6,  // too small to fit
    /*clc_launch=*/0,         // unused: no CLC here
    /*fill=*/1.3e-06,
    /*mainloop_efficiency=*/0.7664,
    /*block_additions_per_clock=*/90,  // these two: 117 timings of 8 shapes
    /*lone_block_additions_per_clock=*/60,
    /*load_latency=*/1.675e-06,
    /*smem_bytes_per_clock=*/73.74,
    /*l2_bytes_per_sm_clock=*/83.98,
    /*l2_bytes_per_clock=*/6516,
    /*misaligned_load=*/1.719,
    /*dram_efficiency=*/0.776,
    /*dram_bytes_per_sm_second=*/4.637e+11,
    /*epilogue_fixed=*/8.434e-07,
    /*store_bytes_per_sm_clock=*/19.33,
    /*swapped_store_bytes_per_sm_clock=*/4.331,
    /*scalar_store_bytes_per_sm_clock=*/2.055,
    /*overlap=*/0.4501,
    /*cluster_sum_fixed=*/1.157e-06,
    /*cluster_sum_bytes_per_sm_clock=*/7.226,
    /*split_k_fixed=*/2e-06,  // these two: timings of 54 split shapes
    /*split_k_bytes_per_sm_clock=*/27.6,
    /*queue_latency=*/1.2e-06,
    /*queue_per_tile=*/0.3e-6,  // the same; kept above 0, as it is not free
    /*clc_latency=*/1.0e-6,     // unused
    /*clc_per_tile=*/0.05e-6,
    /*repack_fixed=*/3e-6,  // these two: timings of 3 repacked shapes
    /*repack_efficiency=*/0.95,
    /*power_share=*/1,
    /*power_bytes_per_second=*/1.68e+18,
};

// Blackwell: nothing was measured. Scaled from Hopper by public figures: twice
// the tensor throughput, 8 TB/s of memory, and the cost of a CLC request from
// published tables of static against CLC (facts: Triton issue 10556).
constexpr CostParameters kBlackwell = {
    /*launch=*/1.5e-6,
    /*cluster_launch=*/0.5e-6,
    /*queue_launch=*/1.6e-6,
    /*clc_launch=*/0,
    /*fill=*/1.1e-6,
    /*mainloop_efficiency=*/0.90,
    /*block_additions_per_clock=*/128,  // unused: no such kernels
    /*lone_block_additions_per_clock=*/128,
    /*load_latency=*/0.8e-6,
    /*smem_bytes_per_clock=*/128,
    /*l2_bytes_per_sm_clock=*/64,
    /*l2_bytes_per_clock=*/6400,
    /*misaligned_load=*/1.7,
    /*dram_efficiency=*/0.87,
    /*dram_bytes_per_sm_second=*/120e9,
    /*epilogue_fixed=*/1.0e-6,
    /*store_bytes_per_sm_clock=*/32,
    /*swapped_store_bytes_per_sm_clock=*/8,
    /*scalar_store_bytes_per_sm_clock=*/2.3,
    /*overlap=*/0.95,
    /*cluster_sum_fixed=*/1.6e-6,
    /*cluster_sum_bytes_per_sm_clock=*/7.3,
    /*split_k_fixed=*/2.0e-6,
    /*split_k_bytes_per_sm_clock=*/32,
    /*queue_latency=*/1.3e-6,
    /*queue_per_tile=*/0.05e-6,
    /*clc_latency=*/1.0e-6,
    /*clc_per_tile=*/0.04e-6,
    /*repack_fixed=*/4.5e-6,
    /*repack_efficiency=*/0.68,
    /*power_share=*/0.95,
    /*power_bytes_per_second=*/115e12,
};

}  // namespace

const CostParameters& ParametersOf(const DeviceFacts& device) {
  return device.capability_major >= 10 ? kBlackwell : kHopper;
}

const std::vector<CostParameterField>& CostParameterFields() {
  using Q = CostParameters;
  static const auto* const fields = new std::vector<CostParameterField>{
      {"launch", &Q::launch},
      {"cluster_launch", &Q::cluster_launch},
      {"queue_launch", &Q::queue_launch},
      {"clc_launch", &Q::clc_launch},
      {"fill", &Q::fill},
      {"mainloop_efficiency", &Q::mainloop_efficiency, 0, 1},
      {"block_additions_per_clock", &Q::block_additions_per_clock},
      {"lone_block_additions_per_clock", &Q::lone_block_additions_per_clock},
      {"load_latency", &Q::load_latency},
      {"smem_bytes_per_clock", &Q::smem_bytes_per_clock, 0, 128},
      {"l2_bytes_per_sm_clock", &Q::l2_bytes_per_sm_clock},
      {"l2_bytes_per_clock", &Q::l2_bytes_per_clock},
      {"misaligned_load", &Q::misaligned_load, 1, 4},
      {"dram_efficiency", &Q::dram_efficiency, 0, 1},
      {"dram_bytes_per_sm_second", &Q::dram_bytes_per_sm_second},
      {"epilogue_fixed", &Q::epilogue_fixed},
      {"store_bytes_per_sm_clock", &Q::store_bytes_per_sm_clock},
      {"swapped_store_bytes_per_sm_clock",
       &Q::swapped_store_bytes_per_sm_clock},
      {"scalar_store_bytes_per_sm_clock", &Q::scalar_store_bytes_per_sm_clock},
      {"overlap", &Q::overlap, 0, 1},
      {"cluster_sum_fixed", &Q::cluster_sum_fixed},
      {"cluster_sum_bytes_per_sm_clock", &Q::cluster_sum_bytes_per_sm_clock},
      {"split_k_fixed", &Q::split_k_fixed},
      {"split_k_bytes_per_sm_clock", &Q::split_k_bytes_per_sm_clock},
      {"queue_latency", &Q::queue_latency},
      {"queue_per_tile", &Q::queue_per_tile},
      {"clc_latency", &Q::clc_latency},
      {"clc_per_tile", &Q::clc_per_tile},
      {"repack_fixed", &Q::repack_fixed},
      {"repack_efficiency", &Q::repack_efficiency, 0, 1},
      {"power_share", &Q::power_share, 0, 1},
      {"power_bytes_per_second", &Q::power_bytes_per_second},
  };
  return *fields;
}

}  // namespace tiletune
