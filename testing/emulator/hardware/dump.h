// A dump: for each case by name, the bytes that its kernel wrote, or why there
// are none.
//
// Use it to keep what a machine answered and to compare another with it. The
// file is "tiletune micro-kernel dump 1\n", then for each case its name, a
// status ("ok" or a sentence) and its bytes, each behind a 32-bit length.
//
//   Dump dump;
//   dump["shfl_up"] = {"ok", bytes};
//   if (!WriteDump("h200.dump", dump)) return 1;
//   if (!ReadDump("h200.dump", &dump)) return 1;
#ifndef TILETUNE_TESTING_EMULATOR_HARDWARE_DUMP_H_
#define TILETUNE_TESTING_EMULATOR_HARDWARE_DUMP_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tiletune::micro {

struct Answer {
  std::string status;  // "ok", or what went wrong
  std::vector<uint8_t> bytes;
};

using Dump = std::map<std::string, Answer>;

// False if the file cannot be written.
bool WriteDump(const std::string& path, const Dump& dump);

// Replaces *dump. False if the file is missing, damaged or of another kind.
bool ReadDump(const std::string& path, Dump* dump);

}  // namespace tiletune::micro

#endif  // TILETUNE_TESTING_EMULATOR_HARDWARE_DUMP_H_
