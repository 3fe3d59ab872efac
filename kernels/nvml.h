// NVML: what the driver says of a GPU's power, clocks and temperature. Loaded
// with dlopen, so that nothing here needs NVML to build or to start.
//
//   absl::StatusOr<NvmlDevice> nvml = NvmlDevice::Open("00000000:19:00.0");
//   if (nvml.ok()) {
//     NvmlState now = nvml->Sample();
//     if (now.sm_clock_mhz < usual) Discard();
//   }
//
// Reference: NVML API reference manual; its ABI is stable.
#ifndef TILETUNE_KERNELS_NVML_H_
#define TILETUNE_KERNELS_NVML_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tiletune {

// Bits of NvmlState::throttle_reasons (nvmlClocksEventReasons). A power cap is
// a condition; the slowdowns are faults of the moment.
inline constexpr uint64_t kThrottleIdle = 0x1;
inline constexpr uint64_t kThrottlePowerCap = 0x4;
inline constexpr uint64_t kThrottleHardwareSlowdown = 0x8;
inline constexpr uint64_t kThrottleThermalSoftware = 0x20;
inline constexpr uint64_t kThrottleThermalHardware = 0x40;
inline constexpr uint64_t kThrottlePowerBrake = 0x80;

// A value that the driver does not tell is 0.
struct NvmlState {
  int32_t sm_clock_mhz = 0;
  int32_t memory_clock_mhz = 0;
  int32_t temperature_celsius = 0;
  int32_t power_watts = 0;
  uint64_t throttle_reasons = 0;
};

class NvmlDevice {
 public:
  // `pci_bus_id` as cudaDeviceGetPCIBusId writes it. Unavailable, with a
  // sentence, where there is no NVML or it does not know the device.
  static absl::StatusOr<NvmlDevice> Open(const std::string& pci_bus_id);

  // Cheap enough (about 10 us a value) to call around every sample.
  NvmlState Sample() const;

  // 0 where the driver does not tell.
  int32_t PowerLimitWatts() const;
  int32_t MaxSmClockMhz() const;

  const std::string& driver_version() const { return driver_version_; }

 private:
  NvmlDevice() = default;

  void* handle_ = nullptr;  // an nvmlDevice_t
  std::string driver_version_;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_NVML_H_
