// The state behind the emulated runtime: one emulated device, the code and
// symbols that the program registered, its streams, and what was found.
//
// Use it in the entry points, through Call (call.h), which also locks it.
//
//   Session& session = Session::Get();
//   Kernel* kernel = session.FindKernel(host_function);
//   auto module = session.Load(kernel->code);
//   session.Say("a sentence for the user");
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_SESSION_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_SESSION_H_

#include <driver_types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "testing/emulator/device.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/runtime/code.h"
#include "testing/emulator/runtime/settings.h"
#include "testing/emulator/runtime/spare_ptx.h"
#include "testing/emulator/runtime/stream.h"

namespace tiletune::emulator::runtime {

class Session {
 public:
  // Begins with the first call of the program and is never destroyed: programs
  // call the runtime from their own destructors. Ends the process with code 2
  // when the settings make no sense.
  static Session& Get();

  Device& device() { return device_; }
  // Once all launches have ended.
  GlobalMemory& memory() {
    Finish();
    return device_.memory();
  }
  const Settings& settings() const { return settings_; }
  std::recursive_mutex& mutex() { return mutex_; }
  int capability() const {
    return 10 * settings_.gpu->major + settings_.gpu->minor;
  }

  // --- Code and symbols.
  Code* AddCode(const void* data, uint64_t limit = UINT64_MAX);
  void RegisterKernel(const void* host_function, Kernel* kernel);
  void RegisterVariable(const void* host_variable, Code* code,
                        const std::string& name, uint64_t bytes);
  // The kernel of a host function, or of a handle that FindKernel gave. Null
  // when it is neither.
  Kernel* FindKernel(const void* function_or_handle);
  // Says why when it does not succeed.
  cudaError_t Load(Code* code, LoadedModule** module);
  // The decoded kernel: of its own code or, where that has no PTX, of the
  // spare PTX of the settings. Says why when it does not succeed.
  cudaError_t Load(Kernel* kernel, const Program** program,
                   LoadedModule** module = nullptr);
  // cudaErrorInvalidSymbol when nothing of that name is registered.
  cudaError_t FindVariable(const void* host_variable, uint64_t* address,
                           uint64_t* bytes);

  // --- Streams and events. Null stands for the default stream.
  Stream* AddStream();
  // Null when the handle is none of ours.
  Stream* FindStream(cudaStream_t stream);
  bool RemoveStream(Stream* stream) { return streams_.erase(stream) == 1; }

  // --- Launches, in the order of the calls. Each runs at once, unless its
  // kernel lets dependents start early (griddepcontrol.launch_dependents): it
  // then waits for launches that may, and they run together. Errors of findings
  // in those come from what synchronises.
  cudaError_t Launch(const Stream* stream, emulator::Launch launch,
                     const Program& program);
  // Runs what waits. The last error, or success.
  cudaError_t Finish();
  // The next launches write their traces here, each with its number (see
  // TracePath), those that run together one.
  void TraceTo(const std::string& path) {
    Finish();
    trace_ = path;
    traces_ = 0;
  }

  // --- Time: not a model of any GPU. It only ever grows, so that differences
  // between events are positive and the same in every run.
  double microseconds() {
    Finish();
    return microseconds_;
  }
  void Advance(double microseconds) { microseconds_ += microseconds; }

  // --- Reports.
  // Says that the program's own runtime is in the way, and nothing else from
  // then on: the runtime asks for hundreds of calls that are not there.
  void SayOwnRuntime();
  // A line on standard error; the same sentence only once.
  void Say(const std::string& sentence);
  // The error of a launch with findings, which synchronising calls return
  // until cudaDeviceReset, as a GPU's context does after a failed kernel.
  cudaError_t failure() {
    Finish();
    return failure_;
  }
  void ForgetFailure() {
    Finish();
    failure_ = cudaSuccess;
  }
  // A launch whose kernel could not be loaded: nothing of it was checked.
  void CountUnrun() { ++unrun_; }
  int unrun() const { return unrun_; }
  // Findings so far. The process ends with a code other than 0 if any.
  int findings() {
    Finish();
    return findings_;
  }
  // For tests that provoke findings.
  void ForgetFindings() { findings_ = unrun_ = 0; }

 private:
  struct Variable {
    Code* code;
    std::string name;
    uint64_t bytes;
  };

  Session(const Settings& settings, SparePtx spare)
      : settings_(settings),
        trace_(settings.trace),
        spare_ptx_(std::move(spare)) {}

  cudaError_t Run(const std::vector<emulator::Launch>& launches);
  // Prints a finding of a launch of `kernel`, when it is found.
  void Print(const std::string& kernel, const Finding& finding);
  void Report(const RunResult& result);
  // The code of a spare PTX that has the kernel; null if there is none.
  Code* SpareCodeOf(const std::string& kernel);

  const Settings settings_;
  std::string trace_;
  uint64_t traces_ = 0;
  SparePtx spare_ptx_;
  std::map<const std::string*, Code*> spare_codes_;  // by their text
  std::recursive_mutex mutex_;
  Device device_;
  std::vector<std::unique_ptr<Code>> codes_;
  std::map<const void*, Kernel*> kernels_;
  std::map<const void*, Variable> variables_;
  Stream default_stream_;
  std::map<const Stream*, std::unique_ptr<Stream>> streams_;
  double microseconds_ = 0;
  uint64_t launches_ = 0;
  std::vector<emulator::Launch> waiting_;  // of one stream
  const Stream* waiting_stream_ = nullptr;
  std::set<std::string> said_;
  bool has_own_runtime_ = false;
  cudaError_t failure_ = cudaSuccess;
  int findings_ = 0;
  int unrun_ = 0;
};

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_SESSION_H_
