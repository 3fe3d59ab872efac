#include "testing/emulator/runtime/code.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "testing/emulator/fatbin/fatbin.h"
#include "testing/emulator/fatbin/select_ptx.h"

namespace tiletune::emulator::runtime {
namespace {

constexpr uint32_t kFatbinMagic = 0xBA55ED50;
constexpr uint32_t kWrapperMagic = 0x466243B1;  // fatbinary_section.h
constexpr uint32_t kLinkedVersion = 2;          // FATBINC_LINK_VERSION there
constexpr uint64_t kFatbinHeaderBytes = 16;
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

template <typename T>
T Read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

absl::StatusOr<std::string> PtxOf(const void* data, uint64_t limit,
                                  int capability) {
  bool was_linked = false;
  if (Read<uint32_t>(data) == kWrapperMagic) {
    const Wrapper wrapper = Read<Wrapper>(data);
    was_linked = wrapper.version == kLinkedVersion;
    data = wrapper.data;
  }
  const char* bytes = static_cast<const char*>(data);
  if (std::memcmp(bytes, kElfMagic.data(), kElfMagic.size()) == 0) {
    return absl::NotFoundError(
        "this is machine code (a cubin); the emulator runs PTX");
  }
  // Anything that is not binary is text that ends with a zero byte.
  if (Read<uint32_t>(data) != kFatbinMagic) return std::string(bytes);
  absl::StatusOr<uint64_t> size =
      FatbinBytes(std::string_view(bytes, kFatbinHeaderBytes));
  if (!size.ok()) return size.status();
  absl::StatusOr<std::string> ptx =
      SelectPtx(std::string_view(bytes, std::min(*size, limit)), capability);
  if (was_linked && absl::IsNotFound(ptx.status())) {
    return absl::NotFoundError(
        "nvcc's device linker (-rdc=true, -dc) leaves machine code alone in a "
        "program; the emulator runs PTX: compile without it");
  }
  return ptx;
}

}  // namespace

absl::Status Code::LoadOnce(Device* device, int capability) {
  absl::StatusOr<std::string> ptx = PtxOf(data_, limit_, capability);
  if (!ptx.ok()) return ptx.status();
  absl::StatusOr<LoadedModule*> module = device->Load(*ptx);
  if (!module.ok()) return module.status();
  module_ = *module;
  return absl::OkStatus();
}

absl::StatusOr<LoadedModule*> Code::Load(Device* device, int capability) {
  if (!tried_) {
    status_ = LoadOnce(device, capability);
    tried_ = true;
  }
  if (!status_.ok()) return status_;
  return module_;
}

Kernel* Code::FindKernel(const std::string& name) {
  std::unique_ptr<Kernel>& kernel = kernels_[name];
  if (kernel == nullptr) {
    kernel = std::make_unique<Kernel>();
    kernel->code = this;
    kernel->name = name;
  }
  return kernel.get();
}

}  // namespace tiletune::emulator::runtime
