// Fuzz target: any bytes as PTX. Parsing and decoding every entry must answer
// with a value or an error; nothing is executed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "testing/emulator/machine/decode.h"
#include "testing/emulator/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tiletune::emulator::Decode;
  using tiletune::emulator::ptx::Parse;
  const auto module =
      Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  for (const auto& function : module->functions) {
    if (function.is_entry) (void)Decode(*module, function.name, {});
  }
  return 0;
}
