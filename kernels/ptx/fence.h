// fence: orders memory accesses between threads and between proxies.
//
// Use a proxy fence between ordinary (generic-proxy) accesses and TMA, MMA or
// try_cancel (async-proxy) accesses to the same memory. Device code only,
// sm_90 or later. All forms: PTX ISA 9.7.13.4.
//
//   tile[threadIdx.x] = value;            // generic-proxy write
//   ptx::fence_proxy_async_shared_cta();  // before a TMA store reads it
//   __syncthreads();
//   if (threadIdx.x == 0) ptx::cp_async_bulk_tensor_store(...);
#ifndef TILETUNE_KERNELS_PTX_FENCE_H_
#define TILETUNE_KERNELS_PTX_FENCE_H_

namespace tiletune::ptx {

// Generic <-> async proxy, every state space.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

// Generic <-> async proxy, this CTA's shared memory.
__device__ __forceinline__ void fence_proxy_async_shared_cta() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Generic <-> async proxy, shared memory of the whole cluster.
__device__ __forceinline__ void fence_proxy_async_shared_cluster() {
  asm volatile("fence.proxy.async.shared::cluster;" ::: "memory");
}

// Generic <-> async proxy, global memory.
__device__ __forceinline__ void fence_proxy_async_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

// Makes this thread's mbarrier.init visible to the cluster and to the async
// proxy; a cluster (or CTA) barrier must follow.
__device__ __forceinline__ void fence_mbarrier_init_release_cluster() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Acquire-release among the threads of the cluster.
__device__ __forceinline__ void fence_acq_rel_cluster() {
  asm volatile("fence.acq_rel.cluster;" ::: "memory");
}

// Acquire-release among all threads of the device.
__device__ __forceinline__ void fence_acq_rel_gpu() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_FENCE_H_
