// The cost model's parameters, one line a parameter, one column a device kind.
#include "kernels/cost_parameters.h"

namespace tiletune {
namespace {

// Hopper: fitted by `autotune calibrate` to docs/results/h200/ (bf16, cold L2,
// graphs); the fit is in docs/results/cost_model.md.
constexpr CostParameters kHopper = {
    /*launch=*/1.118e-6,
    /*cluster_launch=*/0.65e-6,
    /*queue_launch=*/1.607e-6,
    /*clc_launch=*/0,  // unused: no CLC here
    /*fill=*/1.0e-6,
    /*mainloop_efficiency=*/0.8658,
    /*load_latency=*/0.5917e-6,
    /*smem_bytes_per_clock=*/83.31,
    /*l2_bytes_per_sm_clock=*/64.96,
    /*l2_bytes_per_clock=*/6973,
    /*misaligned_load=*/1.695,
    /*dram_efficiency=*/0.8332,
    /*dram_bytes_per_sm_second=*/124.9e9,
    /*epilogue_fixed=*/1.239e-6,
    /*store_bytes_per_sm_clock=*/60.62,
    /*swapped_store_bytes_per_sm_clock=*/4.493,
    /*scalar_store_bytes_per_sm_clock=*/2.33,
    /*overlap=*/0.5031,
    /*cluster_sum_fixed=*/1.612e-6,
    /*cluster_sum_bytes_per_sm_clock=*/7.299,
    /*split_k_fixed=*/2.347e-6,
    /*split_k_bytes_per_sm_clock=*/27.17,
    /*queue_latency=*/1.2e-6,
    /*queue_per_tile=*/0.933e-6,
    /*clc_latency=*/1.0e-6,  // unused
    /*clc_per_tile=*/0.05e-6,
    /*repack_fixed=*/4.594e-6,
    /*repack_efficiency=*/0.6809,
    /*power_share=*/0.9465,
    /*power_bytes_per_second=*/57.29e12,
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
