// What the user of an emulated program can choose. The settings travel in the
// environment, because the program that runs knows nothing of the emulator.
//
//   TILETUNE_EMULATOR_GPU=b200            a name of gpu_model.h
//   TILETUNE_EMULATOR_SEED=7              decides every interleaving
//   TILETUNE_EMULATOR_CHECKS=strict       or hardware
//   TILETUNE_EMULATOR_CLC_REFUSAL=0.25    probability, 0 to 1
//   TILETUNE_EMULATOR_SMS=8               instead of the GPU's own count
//   TILETUNE_EMULATOR_MAX_STEPS=1000000   of a launch; see RunOptions
//   TILETUNE_EMULATOR_PTX=a.ptx:folder    see spare_ptx.h
//   TILETUNE_EMULATOR_TRACE=run.json      a timeline of each launch
//
// Use it in the runner, which writes them, and in the runtime, which reads.
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_SETTINGS_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/runtime/gpu_model.h"

namespace tiletune::emulator::runtime {

struct Settings {
  const GpuModel* gpu = nullptr;
  int sms = 0;
  uint64_t seed = 1;
  Checks checks = Checks::kHardware;
  double clc_refusal_rate = 0;
  uint64_t max_steps = 0;  // warp instructions; 0: no limit
  std::string spare_ptx;   // paths, separated by colons
  std::string trace;       // path of the first launch's trace; see TracePath
};

// `lookup` gives the value of a variable, or null: std::getenv. A variable
// that is absent or empty leaves its default (a B200 with all of its SMs, seed
// 1, checks as on hardware, no refusals). InvalidArgument, naming the variable
// and what it may be, for a value that makes no sense.
absl::StatusOr<Settings> ReadSettings(
    const std::function<const char*(const char*)>& lookup);

// The file for the trace with this number, from 0, when `first` is that of the
// first: "run.json", "run.1.json", ... Empty when none is wanted.
std::string TracePath(const std::string& first, uint64_t number);

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_SETTINGS_H_
