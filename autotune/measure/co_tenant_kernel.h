// The entry of the kernel behind co_tenant.h.
#ifndef TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_KERNEL_H_
#define TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_KERNEL_H_

#include <cstdint>

namespace tiletune {

struct CoTenantParameters {
  const volatile int32_t* stop;  // non-zero: end; polled, so in device memory
  // One a CTA: set to 1 once it holds its SM. In host memory.
  volatile int32_t* running;
  uint64_t limit_ns;  // it ends by itself after that long
};

// A __global__ function of one CoTenantParameters; one thread a CTA.
const void* CoTenantKernel();

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_KERNEL_H_
