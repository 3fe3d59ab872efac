// The PTX of the reference kernels on an emulated GPU: what a machine without
// one can say about them.
//
//   EmulatedOperands gpu(host, host.arguments());   // operands in its memory
//   gpu.Run("…/gemm_kernel_ptx.ptx", "ReferenceGemm", grid, threads, add);
//   gpu.DownloadD(&host);
#ifndef TILETUNE_TESTING_REFERENCE_EMULATED_REFERENCE_H_
#define TILETUNE_TESTING_REFERENCE_EMULATED_REFERENCE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/gemm.h"
#include "testing/emulator/device.h"
#include "testing/reference/host_operands.h"

namespace tiletune {

class EmulatedOperands {
 public:
  EmulatedOperands(HostOperands& host, const HostArguments& scalars);

  // "Device pointers" are addresses of the emulated memory.
  GemmArguments arguments() const { return arguments_; }
  emulator::GlobalMemory& memory() { return device_.memory(); }

  // A copy of `bytes` in emulated memory.
  uint64_t Upload(const std::string& name, const void* bytes, size_t size);

  // Runs the entry whose name contains `entry`; `add` appends its arguments.
  // GoogleTest failures for whatever the emulator finds.
  void Run(const std::string& ptx_path, const std::string& entry, uint32_t grid,
           uint32_t threads, const std::function<void(emulator::Launch&)>& add);

  void DownloadD(HostOperands* host);

 private:
  emulator::Device device_;
  GemmArguments arguments_;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_EMULATED_REFERENCE_H_
