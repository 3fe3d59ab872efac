#include "testing/emulator/runtime/code.h"

#include "testing/emulator/fatbin/module_image.h"

namespace tiletune::emulator::runtime {

absl::Status Code::LoadOnce(Device* device, int capability) {
  absl::StatusOr<std::string> ptx = PtxOfImage(data_, capability, limit_);
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
