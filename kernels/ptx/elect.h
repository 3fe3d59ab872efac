// elect.sync: one lane of a converged warp, chosen by the hardware.
//
// Use it around instructions that one thread issues for its warp (TMA, MMA,
// commit, try_cancel). Device code only, sm_90 or later.
//
//   if (ptx::elect_sync()) {
//     ptx::mbarrier_arrive_expect_tx(&full[stage], kStageBytes);
//     ...
//   }
#ifndef TILETUNE_KERNELS_PTX_ELECT_H_
#define TILETUNE_KERNELS_PTX_ELECT_H_

#include <cstdint>

namespace tiletune::ptx {

// True in exactly one of the lanes in `membermask`, the same one every time.
// All lanes in the mask must call it together. PTX ISA 9.7.13.14.
__device__ __forceinline__ bool elect_sync(uint32_t membermask = 0xffffffffu) {
  uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred elected%=;\n"
      "elect.sync _|elected%=, %1;\n"
      "selp.u32 %0, 1, 0, elected%=;\n"
      "}\n"
      : "=r"(elected)
      : "r"(membermask));
  return elected != 0;
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_ELECT_H_
