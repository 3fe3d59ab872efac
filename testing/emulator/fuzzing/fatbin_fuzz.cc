// Fuzz target: any bytes as a fat binary. Reading, choosing and decompressing
// must answer with a value or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "testing/emulator/fatbin/fatbin.h"
#include "testing/emulator/fatbin/select_ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tiletune::emulator::Decompress;
  using tiletune::emulator::ReadFatbin;
  using tiletune::emulator::SelectPtx;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto images = ReadFatbin(bytes);
  if (images.ok()) {
    for (const auto& image : *images) (void)Decompress(image);
  }
  (void)SelectPtx(bytes, 100);
  return 0;
}
