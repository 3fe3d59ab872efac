// All that decides what LaunchGemm enqueues, but for the stream: the key of
// the launches that a thread keeps (launch_cache.h).
//
//   LaunchRequest request(problem, config, arguments, device, workspace, n);
//   if (request == earlier) EnqueueAgain();
//   else if (request.HasShapeOf(earlier)) OnlyOperandsDiffer();
#ifndef TILETUNE_KERNELS_LAUNCH_LAUNCH_REQUEST_H_
#define TILETUNE_KERNELS_LAUNCH_LAUNCH_REQUEST_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/problem.h"

namespace tiletune {

class LaunchRequest {
 public:
  // Equal to no request that is made of something.
  LaunchRequest() = default;
  LaunchRequest(const GemmProblem& problem, const GemmConfig& config,
                const GemmArguments& arguments, const DeviceFacts& device,
                const void* workspace, size_t workspace_bytes);

  // Problem, config and device are the same.
  bool HasShapeOf(const LaunchRequest& other) const;
  friend bool operator==(const LaunchRequest& x, const LaunchRequest& y);

  uint64_t hash() const { return hash_; }
  uint64_t shape_hash() const { return shape_hash_; }

 private:
  // The shape, then the operands. Padded to pairs, which are hashed together.
  static constexpr size_t kShapeWords = 20;
  static constexpr size_t kWords = kShapeWords + 14;

  std::array<uint64_t, kWords> words_ = {};
  uint64_t shape_hash_ = 0;
  uint64_t hash_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_LAUNCH_LAUNCH_REQUEST_H_
