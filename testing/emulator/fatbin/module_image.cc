#include "testing/emulator/fatbin/module_image.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "absl/status/status.h"
#include "testing/emulator/fatbin/fatbin.h"
#include "testing/emulator/fatbin/readable_memory.h"
#include "testing/emulator/fatbin/select_ptx.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr uint32_t kWrapperMagic = 0x466243B1;  // fatbinary_section.h
constexpr uint32_t kLinkedVersion = 2;          // FATBINC_LINK_VERSION there
constexpr std::string_view kElfMagic(
    "\x7f"
    "ELF",
    4);

// __fatBinC_Wrapper_t of fatbinary_section.h.
struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const void* data;
  const void* file_name;
};

bool BeginsWith(std::string_view bytes, uint32_t magic) {
  return bytes.size() >= sizeof(magic) &&
         std::memcmp(bytes.data(), &magic, sizeof(magic)) == 0;
}

absl::StatusOr<std::string> PtxOfFatbin(std::string_view bytes,
                                        int capability) {
  const absl::StatusOr<uint64_t> size = FatbinBytes(bytes);
  if (!size.ok()) return size.status();
  return SelectPtx(bytes.substr(0, *size), capability);
}

}  // namespace

absl::StatusOr<std::string> PtxOfImage(const void* image, int capability,
                                       uint64_t limit) {
  std::string_view bytes = ReadableFrom(image).substr(0, limit);
  bool was_linked = false;
  if (BeginsWith(bytes, kWrapperMagic)) {
    Wrapper wrapper;
    if (bytes.size() < sizeof(wrapper)) {
      return absl::InvalidArgumentError("the wrapper of a fat binary is cut");
    }
    std::memcpy(&wrapper, bytes.data(), sizeof(wrapper));
    was_linked = wrapper.version == kLinkedVersion;
    bytes = ReadableFrom(wrapper.data);
  }
  if (bytes.empty()) {
    return absl::InvalidArgumentError(
        "the pointer to device code points to no memory");
  }
  if (bytes.substr(0, kElfMagic.size()) == kElfMagic) {
    return absl::NotFoundError(
        "this is machine code (a cubin); the emulator runs PTX");
  }
  if (!BeginsWith(bytes, kFatbinMagic)) {
    // Anything that is not binary is text.
    const size_t end = bytes.find('\0');
    if (end == std::string_view::npos && bytes.size() != limit) {
      return absl::InvalidArgumentError(
          "device code is neither a fat binary nor text that ends");
    }
    return std::string(bytes.substr(0, end));
  }
  absl::StatusOr<std::string> ptx = PtxOfFatbin(bytes, capability);
  if (was_linked && absl::IsNotFound(ptx.status())) {
    return absl::NotFoundError(
        "nvcc's device linker (-rdc=true, -dc) leaves machine code alone in a "
        "program; the emulator runs PTX: compile without it");
  }
  return ptx;
}

}  // namespace tiletune::emulator
