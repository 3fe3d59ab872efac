// setmaxnreg: hands registers from warpgroups that need few to those that need
// many.
//
// Use it at the start of a warp role; every warp of the warpgroup must run it,
// and the sum over the CTA must not exceed what the launch reserved. Counts
// are multiples of 8 in [24, 256]. Device code only, sm_90a or sm_100 family.
//
//   if (warpgroup == 0) {
//     ptx::setmaxnreg_dec<40>();   // producer
//   } else {
//     ptx::setmaxnreg_inc<232>();  // consumer
//   }
#ifndef TILETUNE_KERNELS_PTX_REGISTERS_H_
#define TILETUNE_KERNELS_PTX_REGISTERS_H_

namespace tiletune::ptx {

// Gives registers back. PTX ISA 9.7.19.5.
template <int kCount>
__device__ __forceinline__ void setmaxnreg_dec() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0);
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
}

// Takes registers, waiting until enough have been given back.
// PTX ISA 9.7.19.5.
template <int kCount>
__device__ __forceinline__ void setmaxnreg_inc() {
  static_assert(kCount >= 24 && kCount <= 256 && kCount % 8 == 0);
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_REGISTERS_H_
