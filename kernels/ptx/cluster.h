// Clusters: who am I, barrier.cluster, and shared memory of the peer CTAs.
//
// Use it wherever the CTAs of one cluster work together. Device code only,
// sm_90 or later; a kernel launched without a cluster shape is a cluster of
// one CTA, and everything here works there too.
//
//   ptx::barrier_cluster_arrive();
//   ptx::barrier_cluster_wait();
//   uint32_t local = ptx::cvta_to_shared(&barrier);
//   uint32_t leader = ptx::mapa_shared_cluster(local, /*cta_rank=*/0);
//   ptx::mbarrier_arrive_release_cluster(leader);
#ifndef TILETUNE_KERNELS_PTX_CLUSTER_H_
#define TILETUNE_KERNELS_PTX_CLUSTER_H_

#include <cstdint>

namespace tiletune::ptx {

// The shared-window address of `pointer`, which must point into this CTA's
// shared memory. As a shared::cluster address it still means this CTA.
// PTX ISA 9.7.9.20 (cvta).
__device__ __forceinline__ uint32_t cvta_to_shared(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// The shared::cluster address, in the CTA of rank `cta_rank`, of the variable
// that lies at `shared_address` here. PTX ISA 9.7.9.23 (mapa).
__device__ __forceinline__ uint32_t mapa_shared_cluster(uint32_t shared_address,
                                                        uint32_t cta_rank) {
  uint32_t mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(mapped)
      : "r"(shared_address), "r"(cta_rank));
  return mapped;
}

// Stores 16 bytes at a 16-byte aligned shared::cluster address.
// PTX ISA 9.7.9.11 (st).
__device__ __forceinline__ void st_shared_cluster_v4(uint32_t address,
                                                     uint32_t x, uint32_t y,
                                                     uint32_t z, uint32_t w) {
  asm volatile(
      "st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address),
      "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

// This CTA's linear rank in its cluster. PTX ISA 10 (%cluster_ctarank).
__device__ __forceinline__ uint32_t cluster_ctarank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The number of CTAs in this cluster. PTX ISA 10 (%cluster_nctarank).
__device__ __forceinline__ uint32_t cluster_nctarank() {
  uint32_t count;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}

// This cluster's x coordinate in the grid of clusters. PTX ISA 10 (%clusterid).
__device__ __forceinline__ uint32_t clusterid_x() {
  uint32_t id;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(id));
  return id;
}

// The number of clusters along x. PTX ISA 10 (%nclusterid).
__device__ __forceinline__ uint32_t nclusterid_x() {
  uint32_t count;
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
  return count;
}

// Arrives at the cluster barrier and releases this thread's writes to the
// cluster. Every thread of the cluster arrives once, then waits once.
// PTX ISA 9.7.13.3.
__device__ __forceinline__ void barrier_cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// Arrives without releasing anything; pair it with an explicit fence.
// PTX ISA 9.7.13.3.
__device__ __forceinline__ void barrier_cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// Waits until every thread of the cluster has arrived, and acquires what they
// released. PTX ISA 9.7.13.3.
__device__ __forceinline__ void barrier_cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_CLUSTER_H_
