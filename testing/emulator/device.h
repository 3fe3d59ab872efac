// An emulated GPU: device memory, loaded PTX modules, and kernel launches.
//
// Use it from a test to run a kernel's PTX without the hardware, or through
// the ptx_run command.
//
//   Device device;
//   auto module = *device.Load(ReadFile("gemm.ptx"));
//   uint64_t d = device.memory().Allocate(bytes, "d");
//   Launch launch{module, "gemm", grid, block, cluster, dynamic_shared};
//   launch.Add(tensor_map, 128).Add(d).Add(int32_t{n});
//   RunResult result = *device.Run(launch, RunOptions{});
#ifndef TILETUNE_TESTING_EMULATOR_DEVICE_H_
#define TILETUNE_TESTING_EMULATOR_DEVICE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "testing/emulator/machine/decode.h"
#include "testing/emulator/machine/global_memory.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/ptx/module.h"

namespace tiletune::emulator {

// A module in device memory: its variables have addresses.
struct LoadedModule {
  ptx::Module ptx;
  SymbolTable symbols;
  std::map<std::string, std::unique_ptr<Program>> programs;  // by entry
};

// One kernel launch. Arguments are given in the order of the parameters.
struct Launch {
  LoadedModule* module = nullptr;
  std::string entry;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;                 // in CTAs; must divide the grid
  uint32_t dynamic_shared = 0;  // bytes
  // In a chain: may start before the launch before it has ended, once all its
  // CTAs have exited or executed griddepcontrol.launch_dependents
  // (cudaLaunchAttributeProgrammaticStreamSerialization).
  bool programmatic = false;
  std::vector<std::vector<uint8_t>> arguments;

  Launch& Add(const void* bytes, size_t size) {
    const uint8_t* begin = static_cast<const uint8_t*>(bytes);
    arguments.emplace_back(begin, begin + size);
    return *this;
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Launch& Add(T value) {
    return Add(&value, sizeof(value));
  }
};

class Device {
 public:
  GlobalMemory& memory() { return memory_; }

  // Parses PTX and places its variables. The module lives as long as the
  // device. InvalidArgument on malformed PTX.
  absl::StatusOr<LoadedModule*> Load(std::string_view ptx_text);

  // The decoded entry: its parameters, static shared memory and so on.
  absl::StatusOr<const Program*> Find(LoadedModule* module,
                                      const std::string& entry);

  // Whether the launch is possible; the errors of Run.
  absl::Status Check(const Launch& launch);

  // Runs to completion. Findings are in the result; an error status means
  // that the launch was impossible: no such entry, an unknown instruction, a
  // bad shape, wrong arguments.
  absl::StatusOr<RunResult> Run(const Launch& launch,
                                const RunOptions& options);
  // The launches of one stream, in order, on one machine and under one seed;
  // those that are programmatic overlap with the one before them.
  absl::StatusOr<RunResult> RunChain(const std::vector<Launch>& launches,
                                     const RunOptions& options);

 private:
  GlobalMemory memory_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_DEVICE_H_
