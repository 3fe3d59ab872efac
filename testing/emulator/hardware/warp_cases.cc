// Warp-wide instructions and mma.sync.
#include <string>

#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {

std::vector<MicroCase> WarpCases() {
  std::vector<MicroCase> cases;
  for (const char* kernel : {"shfl_idx", "shfl_bfly", "shfl_down", "shfl_up"}) {
    cases.push_back(Case("warp", kernel, 6 * 12 * 128));
  }
  cases.push_back(Case("warp", "vote_all_kinds", 8 * 4 * 128));
  cases.push_back(Case("warp", "match_values", 4 * 4 * 128));
  cases.push_back(Case("warp", "redux_all_operations", 18 * 128));
  cases.push_back(Case("warp", "elect_and_masks", 32 * 32));
  for (const char* kernel :
       {"ldmatrix_x1", "ldmatrix_x2", "ldmatrix_x4", "ldmatrix_x2_trans",
        "ldmatrix_x4_trans", "stmatrix_x1", "stmatrix_x2", "stmatrix_x4",
        "stmatrix_x1_trans", "stmatrix_x2_trans", "stmatrix_x4_trans"}) {
    cases.push_back(Case("matrix_load_store", kernel, 512));
  }
  struct Kind {
    const char* name;
    Pattern input;
  };
  for (const Kind& kind :
       {Kind{"f16_k16", Pattern::kSmallF16}, Kind{"f16_k8", Pattern::kSmallF16},
        Kind{"bf16_k16", Pattern::kSmallBf16},
        Kind{"bf16_k8", Pattern::kSmallBf16},
        Kind{"tf32_k8", Pattern::kSmallTf32},
        Kind{"tf32_k4", Pattern::kSmallTf32},
        Kind{"e4m3_k32", Pattern::kSmallE4m3},
        Kind{"e5m2_k32", Pattern::kSmallE5m2},
        Kind{"e4m3_e5m2_k32", Pattern::kSmallE5m2},
        Kind{"s8_k32", Pattern::kBytes}, Kind{"u8_s8_k32", Pattern::kBytes},
        Kind{"s8_k16", Pattern::kBytes}, Kind{"s8_saturating", Pattern::kBytes},
        Kind{"f16_packed", Pattern::kSmallF16}}) {
    MicroCase c = Case("mma_sync", std::string("mma_") + kind.name, 512);
    c.input = kind.input;
    cases.push_back(c);
  }
  return cases;
}

}  // namespace tiletune::micro
