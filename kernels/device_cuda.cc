// Real devices, through the CUDA runtime; power limit and driver from NVML.
#include <cuda_runtime.h>

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/device.h"
#include "kernels/nvml.h"

namespace tiletune {
namespace {

absl::Status Unavailable(const char* call, cudaError_t error) {
  return absl::UnavailableError(
      absl::StrCat(call, ": ", cudaGetErrorString(error)));
}

// Dense 16-bit tensor FLOP (fp32 accumulate) per SM and clock, from NVIDIA's
// architecture papers: Volta/Turing, GA100, Ada and GA10x, Hopper, Blackwell.
int32_t FlopsPerSmAndClock(int major, int minor) {
  if (major == 10) return 8192;
  if (major == 9) return 4096;
  if (major == 8 && minor == 0) return 2048;
  return 1024;
}

int32_t RoundTo(double value, int32_t step) {
  return static_cast<int32_t>(value / step + 0.5) * step;
}

}  // namespace

absl::StatusOr<int> DeviceCount() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice) return 0;
  // The runtime calls no driver an old one.
  int driver = 0;
  if (error == cudaErrorInsufficientDriver &&
      cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    return absl::UnavailableError(
        "CUDA finds no NVIDIA driver on this machine");
  }
  if (error != cudaSuccess) return Unavailable("cudaGetDeviceCount", error);
  return count;
}

absl::StatusOr<DeviceFacts> QueryDevice(int ordinal) {
  const absl::StatusOr<int> count = DeviceCount();
  if (!count.ok()) return count.status();
  if (ordinal < 0 || ordinal >= *count) {
    return absl::UnavailableError(absl::StrCat("there is no CUDA device ",
                                               ordinal, "; there are ", *count,
                                               " in all"));
  }
  cudaError_t error = cudaSuccess;
  const auto attribute = [&error, ordinal](cudaDeviceAttr name) {
    int value = 0;
    const cudaError_t status = cudaDeviceGetAttribute(&value, name, ordinal);
    if (status != cudaSuccess) error = status;
    return value;
  };
  DeviceFacts d;
  d.ordinal = ordinal;
  d.capability_major = attribute(cudaDevAttrComputeCapabilityMajor);
  d.capability_minor = attribute(cudaDevAttrComputeCapabilityMinor);
  d.sm_count = attribute(cudaDevAttrMultiProcessorCount);
  d.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  d.shared_bytes_per_cta = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const double clock_khz = attribute(cudaDevAttrClockRate);
  const double memory_khz = attribute(cudaDevAttrMemoryClockRate);
  const double bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  if (error != cudaSuccess) return Unavailable("cudaDeviceGetAttribute", error);
  d.max_clock_mhz = static_cast<int32_t>(clock_khz / 1000);
  // Two transfers a clock.
  d.memory_bytes_per_second = 2 * memory_khz * 1e3 * bus_bits / 8;
  d.bandwidth_class = RoundTo(d.memory_bytes_per_second / 1e9, 100);
  d.dense_16bit_flops =
      clock_khz * 1e3 * d.sm_count *
      FlopsPerSmAndClock(d.capability_major, d.capability_minor);

  cudaDeviceProp properties;
  error = cudaGetDeviceProperties(&properties, ordinal);
  if (error != cudaSuccess) {
    return Unavailable("cudaGetDeviceProperties", error);
  }
  d.name = properties.name;
  std::array<char, 32> bus_id = {};
  error = cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), ordinal);
  if (error != cudaSuccess) return Unavailable("cudaDeviceGetPCIBusId", error);
  const absl::StatusOr<NvmlDevice> nvml = NvmlDevice::Open(bus_id.data());
  if (nvml.ok()) {
    d.power_class = RoundTo(nvml->PowerLimitWatts(), 50);
    d.driver = nvml->driver_version();
  }
  return d;
}

}  // namespace tiletune
