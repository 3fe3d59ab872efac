// The GPUs that the emulated runtime can claim to be.
//
// Use it to answer device queries, or to list the names of --gpu.
//
//   const GpuModel* gpu = FindGpuModel("b200");
//   if (gpu == nullptr) std::cerr << "one of " << GpuModelNames();
//   int capability = 10 * gpu->major + gpu->minor;  // 100
//   int sms = gpu->sms;
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_GPU_MODEL_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_GPU_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tiletune::emulator::runtime {

struct GpuModel {
  const char* name;  // of --gpu
  const char* product;
  int major;
  int minor;
  int sms;
  int l2_mebibytes;
  int memory_gigabytes;  // 10^9 bytes
  int clock_mhz;
  int memory_clock_mhz;
  int memory_bus_bits;
};

// What GPUs of compute capability 9.0 and 10.x have in common (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
constexpr int kMaxThreadsPerSm = 2048;
constexpr int kMaxCtasPerSm = 32;
constexpr int kSharedBytesPerSm = 228 << 10;
constexpr int kSharedBytesPerCta = 48 << 10;        // without opting in
constexpr int kSharedBytesPerCtaOptIn = 227 << 10;  // with
constexpr int kReservedSharedBytes = 1 << 10;
constexpr int kMaxPortableCluster = 8;
constexpr int kMaxCluster = 16;  // non-portable

// Null when there is no such model.
const GpuModel* FindGpuModel(std::string_view name);

// "b200, b300, ...".
std::string GpuModelNames();

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_GPU_MODEL_H_
