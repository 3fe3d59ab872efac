// One run of a micro-kernel: what both the GPU and the emulator are given.
//
// Use it to add to the comparison: a case names a kernel of kernels/*.cu, its
// shape, its numbers and its tensor maps.
//
//   MicroCase c = Case("warp", "shfl_up");      // theme (file), kernel
//   c.params[0] = 3;
//   c.out_bytes = 4096;
//   std::vector<uint8_t> in = MakeInput(c.input, 1);
//   // AllCases() lists every case; names are unique
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_MICRO_CASE_H_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_MICRO_CASE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/hardware/inputs.h"

namespace tiletune::micro {

// A tensor map over `in` or `out`; `map.address` is an offset in bytes there.
struct MapSpec {
  bool over_output = false;
  emulator::TensorMap map;
};

struct MicroCase {
  std::string name;    // unique
  std::string theme;   // kernels/THEME.cu
  std::string kernel;  // entry
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {32, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  std::array<int32_t, 16> params = {};
  std::vector<MapSpec> maps;         // at most two
  Pattern input = Pattern::kBytes;   // kInputBytes of it
  Pattern before = Pattern::kBytes;  // what `out` holds first
  size_t out_bytes = 0;
};

constexpr size_t kMaxMaps = 2;

// For test messages.
std::ostream& operator<<(std::ostream& stream, const MicroCase& c);

// One warp, one CTA; the name is that of the kernel.
MicroCase Case(const std::string& theme, const std::string& kernel,
               size_t out_bytes);

std::vector<MicroCase> TmaLoadCases();
std::vector<MicroCase> TmaStoreCases();
std::vector<MicroCase> CopyCases();  // bulk and cp.async, multicast
std::vector<MicroCase> WgmmaCases();
std::vector<MicroCase> WarpCases();    // warp-wide and mma.sync
std::vector<MicroCase> ScalarCases();  // conversions, arithmetic, bits

// All of the above.
std::vector<MicroCase> AllCases();

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_MICRO_CASE_H_
