#include "testing/reference/gpu_operands.h"

#include <cuda_runtime_api.h>

#include <type_traits>
#include <utility>

#include "kernels/cuda_status.h"
#include "testing/reference/matchers.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {

// To `shift` bytes past an aligned address.
absl::StatusOr<void*> GpuOperands::Copy(const void* from, size_t bytes,
                                        size_t shift) {
  if (bytes == 0) return nullptr;
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(bytes + shift);
  if (!buffer.ok()) return buffer.status();
  void* const data = static_cast<char*>(buffer->data()) + shift;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaMemcpy(data, from, bytes, cudaMemcpyHostToDevice));
  buffers_.push_back(*std::move(buffer));
  return data;
}

absl::StatusOr<std::unique_ptr<GpuOperands>> GpuOperands::Upload(
    HostOperands& host, const HostArguments& scalars) {
  std::unique_ptr<GpuOperands> gpu(new GpuOperands);
  GemmArguments& args = gpu->arguments_;
  const GemmProblem& p = host.problem();
  const size_t alignment = static_cast<size_t>(p.pointer_alignment);
  const size_t shift = alignment < 16 ? alignment : 0;
  absl::Status status;
  // Copies `bytes` and sets *pointer, unless an earlier copy failed.
  const auto copy = [&](const void* from, size_t bytes, auto* pointer,
                        size_t by = 0) {
    if (!status.ok()) return;
    absl::StatusOr<void*> data = gpu->Copy(from, bytes, by);
    status = data.status();
    if (status.ok()) {
      *pointer =
          static_cast<std::remove_reference_t<decltype(*pointer)>>(*data);
    }
  };
  copy(host.a().data(), host.a().size(), &args.a, shift);
  copy(host.b().data(), host.b().size(), &args.b, shift);
  copy(host.d().data(), host.d().size(), &args.d, shift);
  if (p.epilogue.reads_c) {
    copy(host.c().data(), host.c().size(), &args.c, shift);
    args.beta = scalars.beta;
  }
  if (p.epilogue.bias != Bias::kNone) {
    copy(host.bias().data(), host.bias().size(), &args.bias);
  }
  if (p.scaling != Scaling::kNone) {
    copy(host.scale_a().data(), host.scale_a().size() * sizeof(float),
         &args.scale_a);
    copy(host.scale_b().data(), host.scale_b().size() * sizeof(float),
         &args.scale_b);
  }
  if (BitsOf(p.d_type) == 8) {
    copy(&scalars.scale_d, sizeof(float), &args.scale_d);
  }
  if (p.epilogue.amax) {
    const float zero = 0;
    copy(&zero, sizeof zero, &args.amax_d);
  }
  args.alpha = scalars.alpha;
  gpu->scalars_ = scalars;
  if (!status.ok()) return status;
  return gpu;
}

absl::Status GpuOperands::UploadD(HostOperands& host) const {
  return CudaStatus(cudaMemcpy(arguments_.d, host.d().data(), host.d().size(),
                               cudaMemcpyHostToDevice),
                    "cudaMemcpy");
}

absl::Status GpuOperands::DownloadD(HostOperands* host) const {
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaDeviceSynchronize());
  return CudaStatus(cudaMemcpy(host->d().data(), arguments_.d, host->d().size(),
                               cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
}

absl::StatusOr<float> GpuOperands::DownloadAmax() const {
  float amax = 0;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemcpy(
      &amax, arguments_.amax_d, sizeof amax, cudaMemcpyDeviceToHost));
  return amax;
}

testing::AssertionResult GpuOperands::DIsExact(HostOperands* host) const {
  const absl::Status status = DownloadD(host);
  if (!status.ok()) return testing::AssertionFailure() << status;
  HostArguments arguments = host->arguments();
  arguments.alpha = scalars_.alpha;
  arguments.beta = scalars_.beta;
  arguments.scale_d = scalars_.scale_d;
  const GemmProblem& p = host->problem();
  const testing::AssertionResult right =
      MatchesReference(p, ComputeReference(p, arguments), host->d().data(),
                       ErrorBound::Exact(p));
  return right ? GapsAreUntouched(p, host->d()) : right;
}

}  // namespace tiletune
