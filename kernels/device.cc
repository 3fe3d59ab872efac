#include "kernels/device.h"

#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace tiletune {
namespace {

// One modelled device.
struct Model {
  const char* name;
  int32_t capability_major, capability_minor;
  int32_t sm_count;
  int32_t l2_mebibytes;
  int32_t gigabytes_per_second;  // of device memory, peak
  int32_t watts;
  int32_t max_clock_mhz;
  int32_t flops_per_sm_and_clock;  // dense 16-bit
};

// Sources. Memory bandwidth and power: NVIDIA's data sheets of the H100 and
// H200, HGX B200 and B300, GB200 and GB300 NVL72. SM counts and L2: as CUDA
// reports them. FLOP per SM and clock: four tensor cores of 512 fp16 FMA each
// on Hopper (H100 architecture paper), twice that on Blackwell. Clocks: the
// maximum boost on Hopper; on Blackwell the clock at which the data sheet's
// dense 16-bit peak is reached (2.25 PFLOP/s on HGX, 2.5 in NVL72).
constexpr std::array<Model, 7> kModels = {{
    {"h100", 9, 0, 132, 50, 3350, 700, 1980, 4096},
    {"h100-pcie", 9, 0, 114, 50, 2000, 350, 1755, 4096},
    {"h200", 9, 0, 132, 60, 4800, 700, 1980, 4096},
    {"b200", 10, 0, 148, 126, 8000, 1000, 1856, 8192},
    {"gb200", 10, 0, 152, 126, 8000, 1200, 2008, 8192},
    {"b300", 10, 3, 148, 126, 8000, 1100, 1856, 8192},
    {"gb300", 10, 3, 152, 126, 8000, 1400, 2008, 8192},
}};

DeviceFacts FactsOf(const Model& model) {
  DeviceFacts d;
  d.capability_major = model.capability_major;
  d.capability_minor = model.capability_minor;
  d.sm_count = model.sm_count;
  d.l2_bytes = int64_t{model.l2_mebibytes} << 20;
  d.bandwidth_class = model.gigabytes_per_second / 100 * 100;
  d.power_class = model.watts / 50 * 50;
  d.modelled = true;
  d.shared_bytes_per_cta = 227 << 10;  // CUDA programming guide, 9.0 and 10.x
  d.max_clock_mhz = model.max_clock_mhz;
  d.memory_bytes_per_second = model.gigabytes_per_second * 1e9;
  d.dense_16bit_flops = double{1e6} * model.max_clock_mhz * model.sm_count *
                        model.flops_per_sm_and_clock;
  d.name = absl::StrCat("model:", model.name);
  return d;
}

}  // namespace

std::string DeviceFacts::Fingerprint() const {
  return absl::StrCat(modelled ? "model " : "", "cc", capability_major, ".",
                      capability_minor, " sm", sm_count,
                      " l2=", (l2_bytes + (1 << 19)) >> 20, "MiB bw",
                      bandwidth_class, " p", power_class);
}

absl::StatusOr<DeviceFacts> ModelledDevice(std::string_view name) {
  for (const Model& model : kModels) {
    if (name == model.name) return FactsOf(model);
  }
  std::string known;
  for (const std::string& other : ModelledDeviceNames()) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", other);
  }
  return absl::NotFoundError(absl::StrCat(
      "no modelled device \"", std::string(name), "\"; there are ", known));
}

std::vector<std::string> ModelledDeviceNames() {
  std::vector<std::string> names;
  for (const Model& model : kModels) names.emplace_back(model.name);
  return names;
}

}  // namespace tiletune
