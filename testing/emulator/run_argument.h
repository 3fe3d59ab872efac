// One --arg or --buffer of ptx_run: a parameter of the kernel, or memory that
// only tensor maps name.
//
//   RunArgument argument;
//   if (!ParseRunArgument("out:d.bin:4096", &argument)) return Usage();
//   // argument.kind == RunArgument::Kind::kOut, argument.bytes == 4096
//   if (argument.IsBuffer()) Allocate(argument);
#ifndef TILETUNE_TESTING_EMULATOR_RUN_ARGUMENT_H_
#define TILETUNE_TESTING_EMULATOR_RUN_ARGUMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {

struct RunArgument {
  enum class Kind { kValue, kIn, kInOut, kOut, kScratch, kTensorMap };
  Kind kind = Kind::kValue;
  std::vector<uint8_t> value;  // kValue
  std::string path;            // files
  uint64_t bytes = 0;          // kOut, kScratch
  size_t of = 0;               // kTensorMap: index of a buffer
  bool of_buffer = false;      // kTensorMap: of a --buffer, not an --arg
  TensorMap map;               // kTensorMap, without the address

  bool IsBuffer() const {
    return kind != Kind::kValue && kind != Kind::kTensorMap;
  }
  // Its contents are written to a file at the end.
  bool IsWritten() const { return kind == Kind::kOut || kind == Kind::kInOut; }
};

// `text` is KIND:VALUE as kRunUsage has it. False when it is not, or a number
// does not fit.
bool ParseRunArgument(const std::string& text, RunArgument* argument);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_RUN_ARGUMENT_H_
