#include "autotune/measure/co_tenant.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autotune/measure/co_tenant_kernel.h"
#include "autotune/measure/steady_now.h"
#include "kernels/cuda_status.h"

namespace tiletune {
namespace {

constexpr uint64_t kLimitNs = 8'000'000'000;

}  // namespace

int CoTenantSms(const DeviceFacts& device, int busy_percent) {
  const int sms = (device.sm_count * busy_percent + 50) / 100;
  return std::clamp(sms, 1, std::max(1, device.sm_count - 1));
}

absl::StatusOr<std::unique_ptr<CoTenant>> CoTenant::Create(
    const DeviceFacts& device, int busy_percent) {
  std::unique_ptr<CoTenant> tenant(new CoTenant);
  tenant->ctas_ = CoTenantSms(device, busy_percent);
  tenant->shared_bytes_ = device.shared_bytes_per_cta;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaFuncSetAttribute(
      CoTenantKernel(), cudaFuncAttributeMaxDynamicSharedMemorySize,
      tenant->shared_bytes_));
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamCreateWithFlags(&tenant->stream_, cudaStreamNonBlocking));
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamCreateWithFlags(&tenant->control_, cudaStreamNonBlocking));
  void* flags = nullptr;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaHostAlloc(
      &flags, (1 + tenant->ctas_) * sizeof(int32_t), cudaHostAllocMapped));
  tenant->flags_ = static_cast<volatile int32_t*>(flags);
  absl::StatusOr<DeviceBuffer> stop = DeviceBuffer::Allocate(sizeof(int32_t));
  if (!stop.ok()) return stop.status();
  tenant->stop_ = *std::move(stop);
  return tenant;
}

CoTenant::~CoTenant() {
  Leave().IgnoreError();
  if (flags_ != nullptr) cudaFreeHost(const_cast<int32_t*>(flags_));
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
  if (control_ != nullptr) cudaStreamDestroy(control_);
}

// A copy, as no kernel but the co-tenant may need an SM for this.
absl::Status CoTenant::SetStop(int32_t value) {
  flags_[0] = value;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaMemcpyAsync(stop_.data(), const_cast<const int32_t*>(flags_),
                      sizeof(int32_t), cudaMemcpyHostToDevice, control_));
  return CudaStatus(cudaStreamSynchronize(control_), "cudaStreamSynchronize");
}

absl::Status CoTenant::Enter() {
  for (int i = 1; i <= ctas_; ++i) flags_[i] = 0;
  const absl::Status reset = SetStop(0);
  if (!reset.ok()) return reset;
  void* device_flags = nullptr;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaHostGetDevicePointer(&device_flags, const_cast<int32_t*>(flags_), 0));
  CoTenantParameters parameters;
  parameters.stop = static_cast<const volatile int32_t*>(stop_.data());
  parameters.running = static_cast<volatile int32_t*>(device_flags) + 1;
  parameters.limit_ns = kLimitNs;
  void* arguments[] = {&parameters};
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaLaunchKernel(CoTenantKernel(), dim3(ctas_),
                                                 dim3(1), arguments,
                                                 shared_bytes_, stream_));
  entered_ = true;
  const absl::Time deadline = SteadyNow() + absl::Seconds(1);
  for (int i = 1; i <= ctas_; ++i) {
    while (flags_[i] == 0) {
      if (SteadyNow() > deadline) {
        Leave().IgnoreError();
        return absl::DeadlineExceededError(absl::StrCat(
            "CTA ", i - 1, " of the co-tenant found no SM in a second"));
      }
    }
  }
  return absl::OkStatus();
}

bool CoTenant::HasEnded() { return cudaStreamQuery(stream_) == cudaSuccess; }

absl::Status CoTenant::Leave() {
  if (!entered_) return absl::OkStatus();
  entered_ = false;
  const absl::Status status = SetStop(1);
  if (!status.ok()) return status;
  return CudaStatus(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

}  // namespace tiletune
