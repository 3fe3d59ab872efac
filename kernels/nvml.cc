#include "kernels/nvml.h"

#include <dlfcn.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

// NVML_CLOCK_SM, NVML_CLOCK_MEM and NVML_TEMPERATURE_GPU of nvml.h.
constexpr unsigned kClockSm = 1;
constexpr unsigned kClockMemory = 2;
constexpr unsigned kTemperatureGpu = 0;

// The few entry points used here; nvmlReturn_t is an int, 0 on success.
struct Library {
  int (*init)() = nullptr;
  int (*handle_by_bus_id)(const char*, void**) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(void*, unsigned, unsigned*) = nullptr;
  int (*max_clock)(void*, unsigned, unsigned*) = nullptr;
  int (*temperature)(void*, unsigned, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;        // mW
  int (*power_limit)(void*, unsigned*) = nullptr;  // mW
  int (*throttle)(void*, unsigned long long*) = nullptr;
  bool loaded = false;
};

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

Library Load() {
  Library l;
  void* const so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (so == nullptr) return l;
  l.loaded =
      Find(so, "nvmlInit_v2", &l.init) &&
      Find(so, "nvmlDeviceGetHandleByPciBusId_v2", &l.handle_by_bus_id) &&
      Find(so, "nvmlSystemGetDriverVersion", &l.driver_version) &&
      Find(so, "nvmlDeviceGetClockInfo", &l.clock) &&
      Find(so, "nvmlDeviceGetMaxClockInfo", &l.max_clock) &&
      Find(so, "nvmlDeviceGetTemperature", &l.temperature) &&
      Find(so, "nvmlDeviceGetPowerUsage", &l.power) &&
      Find(so, "nvmlDeviceGetEnforcedPowerLimit", &l.power_limit) &&
      Find(so, "nvmlDeviceGetCurrentClocksThrottleReasons", &l.throttle) &&
      l.init() == 0;
  return l;
}

// Loaded once; NVML stays initialised until the process ends.
const Library& Nvml() {
  static const Library* const library = new Library(Load());
  return *library;
}

int32_t OrZero(int error, unsigned value) {
  return error == 0 ? static_cast<int32_t>(value) : 0;
}

}  // namespace

absl::StatusOr<NvmlDevice> NvmlDevice::Open(const std::string& pci_bus_id) {
  const Library& nvml = Nvml();
  if (!nvml.loaded) {
    return absl::UnavailableError("libnvidia-ml.so.1 is missing or unusable");
  }
  NvmlDevice device;
  if (nvml.handle_by_bus_id(pci_bus_id.c_str(), &device.handle_) != 0) {
    return absl::UnavailableError(
        absl::StrCat("NVML knows no device at PCI ", pci_bus_id));
  }
  std::array<char, 80> version = {};
  if (nvml.driver_version(version.data(), version.size()) == 0) {
    device.driver_version_ = version.data();
  }
  return device;
}

NvmlState NvmlDevice::Sample() const {
  const Library& nvml = Nvml();
  NvmlState state;
  unsigned value = 0;
  int error = nvml.clock(handle_, kClockSm, &value);
  state.sm_clock_mhz = OrZero(error, value);
  error = nvml.clock(handle_, kClockMemory, &value);
  state.memory_clock_mhz = OrZero(error, value);
  error = nvml.temperature(handle_, kTemperatureGpu, &value);
  state.temperature_celsius = OrZero(error, value);
  error = nvml.power(handle_, &value);
  state.power_watts = OrZero(error, value / 1000);
  unsigned long long reasons = 0;
  if (nvml.throttle(handle_, &reasons) == 0) state.throttle_reasons = reasons;
  return state;
}

int32_t NvmlDevice::PowerLimitWatts() const {
  unsigned milliwatts = 0;
  const int error = Nvml().power_limit(handle_, &milliwatts);
  return OrZero(error, milliwatts / 1000);
}

int32_t NvmlDevice::MaxSmClockMhz() const {
  unsigned mhz = 0;
  const int error = Nvml().max_clock(handle_, kClockSm, &mhz);
  return OrZero(error, mhz);
}

}  // namespace tiletune
