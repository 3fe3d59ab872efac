#include "kernels/timing/inputs.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "kernels/cuda_status.h"
#include "kernels/timing/fill_kernel.h"

namespace tiletune {
namespace {

absl::Status Fill(void* data, DataType type, int64_t count, uint64_t seed,
                  InputKind kind, GpuStream stream) {
  if (count == 0) return absl::OkStatus();
  FillParameters parameters = {data, count, seed, static_cast<int32_t>(type),
                               kind};
  void* arguments[] = {&parameters};
  constexpr int64_t kThreads = 256;
  const int64_t ctas =
      std::min<int64_t>((count + kThreads - 1) / kThreads, 4096);
  return CudaStatus(
      cudaLaunchKernel(FillKernel(), dim3(static_cast<unsigned>(ctas)),
                       dim3(kThreads), arguments, 0, stream),
      "cudaLaunchKernel");
}

}  // namespace

absl::Status FillNormal(void* data, DataType type, int64_t count, uint64_t seed,
                        GpuStream stream) {
  return Fill(data, type, count, seed, InputKind::kNormal, stream);
}

absl::Status FillSmallIntegers(void* data, DataType type, int64_t count,
                               uint64_t seed, GpuStream stream) {
  return Fill(data, type, count, seed, InputKind::kSmallIntegers, stream);
}

}  // namespace tiletune
