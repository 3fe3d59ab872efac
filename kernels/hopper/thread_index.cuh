// The number of a thread in its warpgroup, 0 to 127, read anew by every call.
//
// Use it after the mainloop instead of threadIdx.x: the compiler then keeps no
// address derived from it in registers over the mainloop, whose sums need them.
//
//   const int thread = ThreadInWarpgroup();
//   const int warp = thread / 32;
#ifndef TILETUNE_KERNELS_HOPPER_THREAD_INDEX_CUH_
#define TILETUNE_KERNELS_HOPPER_THREAD_INDEX_CUH_

namespace tiletune::hopper {

__device__ __forceinline__ int ThreadInWarpgroup() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread % 128;
}

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_THREAD_INDEX_CUH_
