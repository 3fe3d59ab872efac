// Runs a case on the emulator.
//
// Use it to compare with what a GPU answered to the same case.
//
//   std::string ptx = ReadPtx(c.theme);
//   EmulatedAnswer got = RunEmulated(c, ptx, /*seed=*/1);
//   if (!got.problem.empty()) std::cerr << got.problem;
//   EXPECT_EQ(got.bytes, dump[c.name].bytes);
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_EMULATED_H_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_EMULATED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {

struct EmulatedAnswer {
  std::string problem;  // why it did not run, or its findings; empty if none
  std::vector<uint8_t> bytes;
};

// `ptx` is the text of kernels/THEME.cu. Strict checks.
EmulatedAnswer RunEmulated(const MicroCase& c, const std::string& ptx,
                           uint64_t seed);

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_EMULATED_H_
