// KernelCase: one GEMM on one Blackwell kernel, as the emulator is to run it.
//
// Use it with kernel_runner.h; case_cover.h makes many.
//
//   KernelCase c;
//   c.variant = FindVariant("sm100_16b_128x128x64_c1x1_s6_static");
//   c.problem.m = c.problem.n = c.problem.k = 200;
//   std::cerr << ToString(c);
#ifndef TILETUNE_TESTING_BLACKWELL_KERNEL_CASE_H_
#define TILETUNE_TESTING_BLACKWELL_KERNEL_CASE_H_

#include <cstdint>
#include <string>

#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"
#include "kernels/variant.h"
#include "scheduler/order.h"

namespace tiletune {

struct KernelCase {
  const KernelVariant* variant = nullptr;
  GemmProblem problem;
  uint32_t offset = 1;
  SwizzleDirection direction = SwizzleDirection::kZn;
  uint32_t split_k = 1;
  uint32_t max_sms = 0;  // GemmConfig::max_sms

  float alpha = 1;
  float beta = 0;
  bool scalars_on_device = false;
  bool in_place = false;           // C is D
  bool has_d_scale = false;        // 8-bit D only
  bool has_random_inputs = false;  // normal, else small integers (exact sums)

  int resident_clusters = 2;
  uint64_t seed = 1;  // of inputs, completions and interleavings
  // Launches with the same inputs, each with other completions and
  // interleavings: seed, seed + 1000 and so on.
  int interleavings = 1;
  double refusal_rate = 0;  // of try_cancel with clusters pending
  // Warp instructions after which a launch is given up; 0 for no limit.
  uint64_t max_steps = 0;
  uint32_t max_delay = 2000;  // RunOptions::max_delay
  int starved_warp = -1;      // RunOptions::starved_warp
  bool strict = true;         // Checks::kStrict
  std::string trace_path;     // of the kernel's first launch; empty for none
};

GemmConfig ConfigOf(const KernelCase& c);

// A B200 with as many SMs as the resident clusters take.
DeviceFacts DeviceOf(const KernelCase& c);

// All of it in a line, so that a failure can be repeated.
std::string ToString(const KernelCase& c);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_KERNEL_CASE_H_
