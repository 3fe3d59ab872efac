#include "testing/emulator/runtime/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "testing/emulator/machine/kernel_name.h"
#include "testing/emulator/stop_on_signal.h"

namespace tiletune::emulator::runtime {
namespace {

// The emulated clock; see Session::Advance.
constexpr double kMicrosecondsPerLaunch = 2;
constexpr double kWarpInstructionsPerMicrosecond = 1000;

// Launches that may overlap, at most: each keeps what its CTAs leave behind.
constexpr size_t kMaxChain = 8;

constexpr int kExitUnusable = 2;
constexpr int kExitFindings = 1;

void PrintCount(int count, const std::string& one, const std::string& several) {
  std::fprintf(stderr, "tiletune emulator: %d %s\n", count,
               (count == 1 ? one : several).c_str());
}

// Handlers run in reverse order of registration, and the session begins with
// the first fat binary, before main: nearly everything else has run by now.
void OnExit(int status, void*) {
  Session& session = Session::Get();
  const int findings = session.findings();
  if (findings == 0 && session.unrun() == 0) return;
  std::fflush(nullptr);
  if (findings != 0) PrintCount(findings, "finding", "findings");
  if (session.unrun() != 0) {
    PrintCount(session.unrun(), "launch that could not be run",
               "launches that could not be run");
  }
  if (status == 0) _exit(findings != 0 ? kExitFindings : kExitUnusable);
}

bool LetsDependentsStart(const Program& program) {
  return std::any_of(
      program.code.begin(), program.code.end(), [](const Inst& inst) {
        return inst.source != nullptr &&
               inst.source->opcode == "griddepcontrol.launch_dependents";
      });
}

[[noreturn]] void EndUnusable(const absl::Status& status) {
  std::fprintf(stderr, "tiletune emulator: %s\n",
               std::string(status.message()).c_str());
  _exit(kExitUnusable);
}

cudaError_t LoadError(const absl::Status& status) {
  return absl::IsNotFound(status) ? cudaErrorNoKernelImageForDevice
                                  : cudaErrorInvalidPtx;
}

}  // namespace

Session& Session::Get() {
  static Session* const session = [] {
    const absl::StatusOr<Settings> settings =
        ReadSettings([](const char* name) { return std::getenv(name); });
    if (!settings.ok()) EndUnusable(settings.status());
    SparePtx spare;
    if (!settings->spare_ptx.empty()) {
      const absl::Status added = spare.Add(settings->spare_ptx);
      if (!added.ok()) EndUnusable(added);
    }
    on_exit(&OnExit, nullptr);
    return new Session(*settings, std::move(spare));
  }();
  return *session;
}

Code* Session::AddCode(const void* data, uint64_t limit) {
  codes_.push_back(std::make_unique<Code>(data, limit));
  return codes_.back().get();
}

void Session::RegisterKernel(const void* host_function, Kernel* kernel) {
  kernels_[host_function] = kernel;
}

void Session::RegisterVariable(const void* host_variable, Code* code,
                               const std::string& name, uint64_t bytes) {
  variables_[host_variable] = {code, name, bytes};
}

Kernel* Session::FindKernel(const void* function_or_handle) {
  const auto it = kernels_.find(function_or_handle);
  return it == kernels_.end() ? nullptr : it->second;
}

cudaError_t Session::Load(Code* code, LoadedModule** module) {
  absl::StatusOr<LoadedModule*> loaded = code->Load(&device_, capability());
  if (!loaded.ok()) {
    Say(std::string(loaded.status().message()));
    return LoadError(loaded.status());
  }
  *module = *loaded;
  return cudaSuccess;
}

Code* Session::SpareCodeOf(const std::string& kernel) {
  const std::string* const text = spare_ptx_.Find(kernel);
  if (text == nullptr) return nullptr;
  Code*& code = spare_codes_[text];
  if (code == nullptr) code = AddCode(text->c_str());
  return code;
}

cudaError_t Session::Load(Kernel* kernel, const Program** program,
                          LoadedModule** module) {
  Code* code = kernel->code;
  if (absl::IsNotFound(code->Load(&device_, capability()).status())) {
    Code* const spare = SpareCodeOf(kernel->name);
    if (spare != nullptr) {
      code = spare;
    } else if (!settings_.spare_ptx.empty()) {
      Say(absl::StrCat("no PTX of ", settings_.spare_ptx, " has the kernel ",
                       kernel->name));
    }
  }
  LoadedModule* loaded = nullptr;
  const cudaError_t error = Load(code, &loaded);
  if (error != cudaSuccess) return error;
  absl::StatusOr<const Program*> decoded = device_.Find(loaded, kernel->name);
  if (!decoded.ok()) {
    Say(absl::StrCat(kernel->name, ": ",
                     std::string(decoded.status().message())));
    return absl::IsNotFound(decoded.status()) ? cudaErrorInvalidDeviceFunction
                                              : cudaErrorInvalidPtx;
  }
  *program = *decoded;
  if (module != nullptr) *module = loaded;
  return cudaSuccess;
}

cudaError_t Session::FindVariable(const void* host_variable, uint64_t* address,
                                  uint64_t* bytes) {
  const auto it = variables_.find(host_variable);
  if (it == variables_.end()) return cudaErrorInvalidSymbol;
  LoadedModule* module = nullptr;
  const cudaError_t error = Load(it->second.code, &module);
  if (error != cudaSuccess) return error;
  const auto symbol = module->symbols.find(it->second.name);
  if (symbol == module->symbols.end()) return cudaErrorInvalidSymbol;
  *address = symbol->second;
  *bytes = it->second.bytes;
  return cudaSuccess;
}

Stream* Session::AddStream() {
  auto stream = std::make_unique<Stream>();
  Stream* added = stream.get();
  streams_[added] = std::move(stream);
  return added;
}

Stream* Session::FindStream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy ||
      handle == cudaStreamPerThread) {
    return &default_stream_;
  }
  const auto it = streams_.find(reinterpret_cast<const Stream*>(handle));
  return it == streams_.end() ? nullptr : it->second.get();
}

cudaError_t Session::Launch(const Stream* stream, emulator::Launch launch,
                            const Program& program) {
  const absl::Status possible = device_.Check(launch);
  if (!possible.ok()) {
    Say(absl::StrCat(launch.entry, ": ", std::string(possible.message())));
    return cudaErrorInvalidConfiguration;
  }
  if (!launch.programmatic || stream != waiting_stream_ ||
      waiting_.size() == kMaxChain) {
    Finish();  // what it found is kept for what synchronises
  }
  waiting_.push_back(std::move(launch));
  waiting_stream_ = stream;
  return LetsDependentsStart(program) ? cudaSuccess : Finish();
}

cudaError_t Session::Finish() {
  if (waiting_.empty()) return cudaSuccess;
  const std::vector<emulator::Launch> launches = std::move(waiting_);
  waiting_.clear();
  return Run(launches);
}

cudaError_t Session::Run(const std::vector<emulator::Launch>& launches) {
  RunOptions options;
  // Every launch interleaves differently, and the same in every run.
  options.seed = settings_.seed + launches_;
  options.sms = settings_.sms;
  options.max_ctas_per_sm = kMaxCtasPerSm;
  options.shared_bytes_per_sm = kSharedBytesPerSm;
  options.clc_refusal_rate = settings_.clc_refusal_rate;
  options.checks = settings_.checks;
  options.max_steps = settings_.max_steps;
  options.trace_path = TracePath(trace_, traces_++);
  launches_ += launches.size();
  const std::string& kernel = launches.front().entry;
  options.on_finding = [this, &kernel](const Finding& finding) {
    Print(kernel, finding);
  };
  const StopOnSignal signals;
  options.stop = signals.flag();
  const absl::StatusOr<RunResult> result = device_.RunChain(launches, options);
  if (!result.ok()) {
    Say(absl::StrCat(kernel, ": ", std::string(result.status().message())));
    return cudaErrorInvalidConfiguration;
  }
  Advance(kMicrosecondsPerLaunch * static_cast<double>(launches.size()) +
          static_cast<double>(result->warp_instructions) /
              kWarpInstructionsPerMicrosecond);
  Report(*result);
  if (result->trace_failed) {
    Say(absl::StrCat("cannot write ", options.trace_path));
  }
  // The process will end without OnExit.
  if (signals.came()) PrintCount(findings_, "finding", "findings");
  return result->Clean() ? cudaSuccess : cudaErrorLaunchFailure;
}

void Session::Say(const std::string& sentence) {
  if (has_own_runtime_ || !said_.insert(sentence).second) return;
  std::fprintf(stderr, "tiletune emulator: %s\n", sentence.c_str());
}

void Session::SayOwnRuntime() {
  if (has_own_runtime_) return;
  Say("this program carries a CUDA runtime of its own (nvcc's default, "
      "-cudart static); link it with nvcc -cudart shared");
  has_own_runtime_ = true;
}

void Session::Print(const std::string& kernel, const Finding& finding) {
  const std::string& symbol = finding.kernel.empty() ? kernel : finding.kernel;
  const std::string name = KernelName(symbol);
  if (name != symbol) Say(absl::StrCat(name, " is ", symbol));
  std::fprintf(stderr, "tiletune emulator: %s: %s\n", name.c_str(),
               ToString(finding).c_str());
}

void Session::Report(const RunResult& result) {
  if (!result.printed.empty()) {
    std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
    std::fflush(stdout);
  }
  if (result.Clean()) return;
  findings_ += static_cast<int>(result.findings.size());
  failure_ = cudaErrorLaunchFailure;
}

}  // namespace tiletune::emulator::runtime
