// What tiletune knows of a GPU: silicon facts that decide speed (the key) and
// provenance that does not (name, driver, clocks).
//
//   absl::StatusOr<DeviceFacts> d = QueryDevice(0);        // needs CUDA
//   absl::StatusOr<DeviceFacts> m = ModelledDevice("b200");  // needs nothing
//   std::string key = d->Fingerprint();
#ifndef TILETUNE_KERNELS_DEVICE_H_
#define TILETUNE_KERNELS_DEVICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tiletune {

struct DeviceFacts {
  // The key.
  int32_t capability_major = 0;
  int32_t capability_minor = 0;
  int32_t sm_count = 0;  // visible to this process (MIG, green ctx)
  int64_t l2_bytes = 0;
  int32_t bandwidth_class = 0;  // peak device-memory GB/s, rounded to 100
  int32_t power_class = 0;      // power limit in W, rounded to 50; 0 unknown
  bool modelled = false;        // true: parameters from a table, no silicon

  // Facts for launching and for the cost model.
  int32_t shared_bytes_per_cta = 0;  // opt-in maximum
  int32_t max_clock_mhz = 0;
  double memory_bytes_per_second = 0;
  double dense_16bit_flops = 0;  // peak, all SMs, at max_clock_mhz

  // Provenance.
  int32_t ordinal = -1;  // -1: modelled
  std::string name;      // product name, or "model:b200"
  std::string driver;

  // "cc9.0 sm132 l2=60MiB bw4800 p700", with a "model " prefix if modelled:
  // a modelled device can never share a key with a real one.
  std::string Fingerprint() const;
};

// The device that CUDA calls `ordinal`. Unavailable with a sentence when this
// build has no CUDA, the machine no driver, or the driver no such device.
absl::StatusOr<DeviceFacts> QueryDevice(int ordinal);
absl::StatusOr<int> DeviceCount();

// Modelled devices: one table. NotFound lists the names there are.
absl::StatusOr<DeviceFacts> ModelledDevice(std::string_view name);
std::vector<std::string> ModelledDeviceNames();

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_DEVICE_H_
