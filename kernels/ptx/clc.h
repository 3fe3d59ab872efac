// clusterlaunchcontrol: take over a cluster of this grid that has not started.
//
// Use it through scheduler/clc_supply.h, which keeps the rules: after a
// refusal has been seen, never ask again and never read its ctaid; no request
// in flight when the CTA exits. Device code only, sm_100 or later; the
// multicast form needs an architecture- or family-specific target (sm_100a,
// sm_100f, sm_120a, sm_120f ...).
//
//   ptx::mbarrier_arrive_expect_tx(&full, 16);
//   ptx::clusterlaunchcontrol_try_cancel(&response, &full);
//   ptx::mbarrier_wait_parity(&full, phase);
//   ptx::ClusterLaunchControlAnswer answer =
//       ptx::clusterlaunchcontrol_query_cancel(&response);
#ifndef TILETUNE_KERNELS_PTX_CLC_H_
#define TILETUNE_KERNELS_PTX_CLC_H_

#include <cstdint>

#include "kernels/ptx/cluster.h"

namespace tiletune::ptx {

// The opaque 16 bytes that try_cancel writes.
struct alignas(16) ClusterLaunchControlResponse {
  uint32_t words[4];
};

// A decoded response. first_ctaid_x is 0 and means nothing if not canceled.
struct ClusterLaunchControlAnswer {
  bool is_canceled;        // True: that cluster is ours to compute.
  uint32_t first_ctaid_x;  // %ctaid.x of the first CTA of that cluster.
};

// Asks for one pending cluster. The response and 16 bytes of complete-tx on
// `barrier` arrive asynchronously, in this CTA. One thread. PTX ISA 9.7.13.17.
__device__ __forceinline__ void clusterlaunchcontrol_try_cancel(
    ClusterLaunchControlResponse* response, uint64_t* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta"
      ".mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
          cvta_to_shared(response)),
      "r"(cvta_to_shared(barrier))
      : "memory");
}

// The same; the response and the complete-tx arrive at these shared-memory
// offsets in every CTA of the cluster. One thread of the cluster, and no CTA
// of it may have exited. PTX ISA 9.7.13.17.
__device__ __forceinline__ void
clusterlaunchcontrol_try_cancel_multicast_cluster_all(
    ClusterLaunchControlResponse* response, uint64_t* barrier) {
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta"
      ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
      "[%0], [%1];" ::"r"(cvta_to_shared(response)),
      "r"(cvta_to_shared(barrier))
      : "memory");
}

// Reads the response in one 128-bit load and decodes it; the ctaid is asked
// for only if the cancel succeeded. PTX ISA 9.7.13.18.
__device__ __forceinline__ ClusterLaunchControlAnswer
clusterlaunchcontrol_query_cancel(
    const ClusterLaunchControlResponse* response) {
  uint32_t is_canceled;
  uint32_t first_ctaid_x;
  asm volatile(
      "{\n"
      ".reg .b128 handle%=;\n"
      ".reg .pred canceled%=;\n"
      "ld.shared.b128 handle%=, [%2];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 canceled%=, "
      "handle%=;\n"
      "selp.u32 %0, 1, 0, canceled%=;\n"
      "mov.u32 %1, 0;\n"
      "@canceled%= "
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128"
      " %1, handle%=;\n"
      "}\n"
      : "=&r"(is_canceled), "=&r"(first_ctaid_x)
      : "r"(cvta_to_shared(response))
      : "memory");
  return {is_canceled != 0, first_ctaid_x};
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_CLC_H_
