// griddepcontrol: programmatic dependent launch.
//
// Use it so that this grid's prologue overlaps the tail of the previous one in
// the stream. Both are no-ops for a grid launched without the attribute
// cudaLaunchAttributeProgrammaticStreamSerialization. Device code only, sm_90
// or later.
//
//   SetUpBarriers();                         // touches nothing of the past
//   ptx::griddepcontrol_wait();              // now earlier writes are visible
//   Mainloop();
//   ptx::griddepcontrol_launch_dependents();  // the next grid may start
#ifndef TILETUNE_KERNELS_PTX_GRID_DEPENDENCY_H_
#define TILETUNE_KERNELS_PTX_GRID_DEPENDENCY_H_

namespace tiletune::ptx {

// Waits until the grids this one depends on have completed and their writes
// are visible. PTX ISA 9.7.13.13.
__device__ __forceinline__ void griddepcontrol_wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// Lets dependent grids be scheduled once every CTA of this one has called it
// or exited. PTX ISA 9.7.13.13.
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_GRID_DEPENDENCY_H_
