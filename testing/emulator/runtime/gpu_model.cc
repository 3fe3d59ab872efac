#include "testing/emulator/runtime/gpu_model.h"

namespace tiletune::emulator::runtime {
namespace {

// SM counts and L2 as CUDA reports them; memory, its clock and bus width from
// NVIDIA's data sheets (bandwidth = 2 x clock x bus / 8).
constexpr GpuModel kModels[] = {
    {"b200", "NVIDIA B200", 10, 0, 148, 126, 180, 1965, 3906, 8192},
    {"b300", "NVIDIA B300", 10, 3, 148, 126, 270, 1965, 3906, 8192},
    {"gb200", "NVIDIA GB200", 10, 0, 152, 126, 186, 2062, 3906, 8192},
    {"gb300", "NVIDIA GB300", 10, 3, 152, 126, 279, 2062, 3906, 8192},
    {"h200", "NVIDIA H200", 9, 0, 132, 60, 141, 1980, 3201, 6144},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 50, 80, 1980, 2619, 5120},
};

}  // namespace

const GpuModel* FindGpuModel(std::string_view name) {
  for (const GpuModel& model : kModels) {
    if (name == model.name) return &model;
  }
  return nullptr;
}

std::string GpuModelNames() {
  std::string names;
  for (const GpuModel& model : kModels) {
    names += names.empty() ? "" : ", ";
    names += model.name;
  }
  return names;
}

}  // namespace tiletune::emulator::runtime
