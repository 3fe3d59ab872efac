// A co-tenant: another kernel that holds some of the SMs while candidates are
// timed, as a collective or a second model does when GEMMs serve.
//
//   auto tenant = CoTenant::Create(device, /*busy_percent=*/12);
//   absl::Status s =                      // its CTAs hold their SMs meanwhile
//       TakeBeside(tenant->get(), [&] { return Sample(); });
//   if (s.ok()) Use(samples);
#ifndef TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_H_
#define TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/measure/sm_holder.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/timing/device_buffer.h"

namespace tiletune {

// How many of the SMs: `busy_percent` of them, rounded, at least one and never
// all of them.
int CoTenantSms(const DeviceFacts& device, int busy_percent);

class CoTenant : public SmHolder {
 public:
  // One CTA an SM, each with all of its SM's shared memory, so that no GEMM
  // CTA fits beside it. Errors are CUDA's.
  static absl::StatusOr<std::unique_ptr<CoTenant>> Create(
      const DeviceFacts& device, int busy_percent);
  ~CoTenant() override;
  CoTenant(const CoTenant&) = delete;
  CoTenant& operator=(const CoTenant&) = delete;

  // Starts the kernel and waits until every CTA runs: call it on an idle GPU.
  // DeadlineExceeded if they do not within a second. The kernel ends by itself
  // after 8 seconds, whatever happens to this process.
  absl::Status Enter() override;
  bool HasEnded() override;
  // Ends it and waits.
  absl::Status Leave() override;

 private:
  CoTenant() = default;

  absl::Status SetStop(int32_t value);

  int ctas_ = 0;
  int shared_bytes_ = 0;
  GpuStream stream_ = nullptr;
  GpuStream control_ = nullptr;  // carries the stop flag while stream_ is busy
  DeviceBuffer stop_;            // one int32_t, polled by the CTAs
  // [0]: what stop_ is set to; [1 + i]: CTA i runs. Host memory that the
  // device sees.
  volatile int32_t* flags_ = nullptr;
  bool entered_ = false;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_CO_TENANT_H_
