// Without a CUDA Toolkit there is no GPU to open.
#include "absl/status/status.h"
#include "autotune/measure/cuda_bench.h"

namespace tiletune {

absl::StatusOr<std::unique_ptr<Bench>> OpenCudaBench(const std::string&) {
  return absl::UnavailableError("autotune was built without the CUDA Toolkit");
}

}  // namespace tiletune
