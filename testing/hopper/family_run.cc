#include "testing/hopper/family_run.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kernels/device.h"
#include "kernels/hopper/launcher.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

// Device memory for one case.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    for (void* block : blocks_) cudaFree(block);
  }

  // A copy of `host` that starts `shift` bytes past an aligned address. Null
  // for nothing, and when CUDA fails, see error().
  void* Upload(const void* host, size_t bytes, size_t shift = 0) {
    if (bytes == 0) return nullptr;
    void* block = nullptr;
    Try(cudaMalloc(&block, bytes + shift));
    if (block == nullptr) return nullptr;
    blocks_.push_back(block);
    char* const at = static_cast<char*>(block) + shift;
    Try(cudaMemcpy(at, host, bytes, cudaMemcpyHostToDevice));
    return at;
  }

  void Try(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }
  cudaError_t error() const { return error_; }

 private:
  std::vector<void*> blocks_;
  cudaError_t error_ = cudaSuccess;
};

std::string Hexadecimal(uint64_t value) {
  return absl::StrCat(absl::Hex(value, absl::kZeroPad16));
}

std::string Failed(const std::string& why) { return "failed: " + why; }

}  // namespace

std::string DescribeFamilyAnswer(const std::vector<uint8_t>& d) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t byte : d) hash = (hash ^ byte) * 0x100000001b3;
  uint64_t first = 0;
  for (size_t i = 0; i < 8; ++i) {
    first = first << 8 | (i < d.size() ? d[i] : 0);
  }
  return absl::StrCat(d.size(), " ", Hexadecimal(hash), " ",
                      Hexadecimal(first));
}

std::string RunFamilyCase(const FamilyCase& c) {
  const absl::StatusOr<DeviceFacts> facts = QueryDevice(0);
  if (!facts.ok()) return Failed(std::string(facts.status().message()));
  const GemmProblem& p = c.problem;
  HostOperands host(p);
  host.FillSmallIntegers(kFamilySeed);

  DeviceMemory memory;
  const size_t alignment = static_cast<size_t>(p.pointer_alignment);
  const size_t shift = alignment < 16 ? alignment : 0;
  const auto upload = [&](const auto& from, size_t by) {
    return memory.Upload(from.data(), from.size() * sizeof(from[0]), by);
  };
  GemmArguments arguments;
  arguments.a = upload(host.a(), shift);
  arguments.b = upload(host.b(), shift);
  arguments.c = upload(host.c(), shift);
  arguments.d = upload(host.d(), shift);
  arguments.bias = upload(host.bias(), 0);
  if (p.scaling != Scaling::kNone) {
    arguments.scale_a = static_cast<const float*>(upload(host.scale_a(), 0));
    arguments.scale_b = static_cast<const float*>(upload(host.scale_b(), 0));
  }
  arguments.alpha = c.alpha;
  arguments.beta = c.beta;
  const FamilyLauncher& launcher = HopperLauncher();
  const size_t bytes = launcher.workspace_bytes(p, c.config, *facts);
  void* const workspace = upload(std::vector<uint8_t>(bytes, 0), 0);
  if (memory.error() != cudaSuccess) {
    return Failed(cudaGetErrorName(memory.error()));
  }

  // The second launch of a split finds its slots as the first left them, and
  // writes D anew.
  for (int launch = 0; launch < (c.config.split_k > 1 ? 2 : 1); ++launch) {
    memory.Try(cudaMemcpy(arguments.d, host.d().data(), host.d().size(),
                          cudaMemcpyHostToDevice));
    const absl::Status launched =
        launcher.launch(p, c.config, arguments, *facts, workspace, nullptr);
    if (!launched.ok()) return Failed(std::string(launched.message()));
    memory.Try(cudaDeviceSynchronize());
  }
  memory.Try(cudaMemcpy(host.d().data(), arguments.d, host.d().size(),
                        cudaMemcpyDeviceToHost));
  if (memory.error() != cudaSuccess) {
    return Failed(cudaGetErrorName(memory.error()));
  }
  return DescribeFamilyAnswer(host.d());
}

}  // namespace tiletune
