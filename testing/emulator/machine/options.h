// What a caller says about one emulated launch and what it gets back.
//
// Use it with Device::Launch (testing/emulator/device.h).
//
//   RunOptions options;
//   options.seed = 7;
//   options.checks = Checks::kStrict;
//   RunResult result = *device.Launch(launch, options);
//   for (const Finding& f : result.findings) std::cerr << ToString(f) << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_OPTIONS_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_OPTIONS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tiletune::emulator {

struct Dim3 {
  uint32_t x = 1;
  uint32_t y = 1;
  uint32_t z = 1;
  uint64_t Count() const { return uint64_t{x} * y * z; }
};

// kHardware accepts what real GPUs are known to accept (public kernels omit
// some proxy and tcgen05 fences); kStrict accepts only what the PTX ISA says.
enum class Checks { kHardware, kStrict };

struct Finding;

struct RunOptions {
  // Decides every interleaving and every completion time.
  uint64_t seed = 1;
  // Streaming multiprocessors; a CTA of a cluster waits until it fits.
  int sms = 4;
  // Resident CTAs per SM are further limited by shared memory and threads.
  int max_ctas_per_sm = 32;
  uint32_t shared_bytes_per_sm = 233472;  // 228 KiB
  // Probability that clusterlaunchcontrol.try_cancel fails with work pending.
  double clc_refusal_rate = 0;
  Checks checks = Checks::kHardware;
  // Warp instructions after which the run is given up; 0 for no limit.
  uint64_t max_steps = 0;
  // Findings after which the run stops.
  int max_findings = 20;
  // Longest delay of an asynchronous operation, in warp instructions.
  uint32_t max_delay = 2000;
  // A warp that, in every CTA, hardly runs while another one can or something
  // is in flight: for defects that show only when a certain role is late. -1
  // for none.
  int starved_warp = -1;
  // Chrome trace file to write; empty for none.
  std::string trace_path;
  // Called with each finding when it is found; may be empty.
  std::function<void(const Finding&)> on_finding;
  // The run ends soon after this becomes true; null for none.
  const std::atomic<bool>* stop = nullptr;
};

// One defect found in the program, or the reason a run was given up.
struct Finding {
  std::string check;    // "data race", "deadlock", "out of bounds", ...
  std::string message;  // a sentence
  int line = 0;         // line of the PTX text
  std::string instruction;
  std::string kernel;  // the entry's symbol, in a chain of several launches
  Dim3 cta = {0, 0, 0};
  int thread = -1;  // linear thread index in the CTA, -1 if none
  uint64_t address = 0;
};

// With the kernel's name as KernelName gives it.
std::string ToString(const Finding& finding);

struct RunResult {
  std::vector<Finding> findings;
  uint64_t warp_instructions = 0;
  uint64_t ctas_run = 0;
  uint64_t ctas_cancelled = 0;
  std::string printed;        // by printf in the kernel
  bool trace_failed = false;  // the trace could not be written
  bool Clean() const { return findings.empty(); }
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_OPTIONS_H_
