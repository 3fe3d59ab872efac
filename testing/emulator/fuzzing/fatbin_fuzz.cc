// Fuzz target: any bytes as a fat binary. Reading, choosing and decompressing
// must answer with a value or an error; also where only a pointer is known, as
// in a program, and unreadable memory follows.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "testing/emulator/fatbin/fatbin.h"
#include "testing/emulator/fatbin/guarded_bytes.h"
#include "testing/emulator/fatbin/module_image.h"
#include "testing/emulator/fatbin/select_ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tiletune::emulator::Decompress;
  using tiletune::emulator::GuardedBytes;
  using tiletune::emulator::PtxOfImage;
  using tiletune::emulator::ReadFatbin;
  using tiletune::emulator::SelectPtx;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto images = ReadFatbin(bytes);
  if (images.ok()) {
    for (const auto& image : *images) (void)Decompress(image);
  }
  (void)SelectPtx(bytes, 100);
  // The wrapper of a fat binary holds a pointer: an arbitrary one leads into
  // the sanitizer's own memory, which can be read, but not by instrumented
  // code.
  constexpr std::string_view kWrapperMagic = "\xB1\x43\x62\x46";
  if (bytes.substr(0, kWrapperMagic.size()) == kWrapperMagic) return 0;
  const GuardedBytes image(bytes);
  (void)PtxOfImage(image.data(), 100);
  return 0;
}
