// A kernel launch, taken apart: what some function enqueued, to be enqueued
// again without any of the host's work that led to it, and with the attributes
// it had (cluster, programmatic dependent launch). The floor that the cost of a
// launch is measured from.
//
//   auto kernel = CapturedKernel::Capture(
//       [&](cudaStream_t s) { return LaunchGemm(..., s); },
//       config.dependent_launch, stream);
//   if (!kernel.ok()) return kernel.status();  // more than one kernel, say
//   absl::Status again = (*kernel)->Launch(stream);
#ifndef TILETUNE_DISPATCH_CAPTURED_KERNEL_H_
#define TILETUNE_DISPATCH_CAPTURED_KERNEL_H_

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tiletune {

class CapturedKernel {
 public:
  // Calls `enqueue` under stream capture. FailedPrecondition when it enqueued
  // anything but one kernel. The operands must outlive this object. A graph
  // turns programmatic dependent launch into an edge, so that the caller says
  // whether `enqueue` asked for it.
  static absl::StatusOr<std::unique_ptr<CapturedKernel>> Capture(
      const std::function<absl::Status(cudaStream_t)>& enqueue,
      bool dependent_launch, cudaStream_t stream);
  ~CapturedKernel();
  CapturedKernel(const CapturedKernel&) = delete;
  CapturedKernel& operator=(const CapturedKernel&) = delete;

  absl::Status Launch(cudaStream_t stream) const;

 private:
  CapturedKernel() = default;
  absl::Status Read();

  cudaGraph_t graph_ = nullptr;  // owns what params_ points to
  cudaKernelNodeParams params_ = {};
  unsigned cluster_ = 1;  // CTAs, along x
  bool dependent_launch_ = false;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_CAPTURED_KERNEL_H_
