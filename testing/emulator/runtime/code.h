// One loadable piece of device code: what a fat binary, a PTX text or a module
// of the driver API holds, loaded into the emulated device when it is first
// needed, because a program may carry code that it never runs.
//
//   Code code(data);  // a pointer, as programs pass it
//   absl::StatusOr<LoadedModule*> module = code.Load(&device, 100);
//   if (!module.ok()) std::cerr << module.status().message();
//   Kernel* kernel = code.FindKernel("gemm");
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_CODE_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_CODE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "testing/emulator/device.h"

namespace tiletune::emulator::runtime {

class Code;

// One kernel of a piece of code, with what a program has set on it. Its
// address is the handle that programs hold (cudaFunction_t, cudaKernel_t,
// CUfunction, CUkernel).
struct Kernel {
  Code* code = nullptr;
  std::string name;
  int max_dynamic_shared = 48 << 10;  // bytes; cudaFuncSetAttribute raises it
  bool non_portable_cluster = false;
};

class Code {
 public:
  // `data` is what programs pass to __cudaRegisterFatBinary's wrapper or to
  // cuModuleLoadData: a fat binary, the wrapper of one, or PTX text. Nothing
  // is read before Load. `limit` is how many bytes there are, for callers that
  // know.
  explicit Code(const void* data, uint64_t limit = UINT64_MAX)
      : data_(data), limit_(limit) {}
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // Chooses the PTX for the capability (100 for 10.0), parses and places it;
  // the same answer from then on. NotFound when there is no PTX to run.
  absl::StatusOr<LoadedModule*> Load(Device* device, int capability);

  // The kernel of that name, whether or not the code has it. Never null.
  Kernel* FindKernel(const std::string& name);

 private:
  absl::Status LoadOnce(Device* device, int capability);

  const void* data_;
  uint64_t limit_;
  bool tried_ = false;
  absl::Status status_;
  LoadedModule* module_ = nullptr;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_CODE_H_
