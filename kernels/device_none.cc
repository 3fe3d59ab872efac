// Real devices, in a build without the CUDA Toolkit: there are none.
#include "absl/status/status.h"
#include "kernels/device.h"

namespace tiletune {
namespace {

absl::Status NoToolkit() {
  return absl::UnavailableError(
      "this build has no CUDA: install the CUDA Toolkit and build again");
}

}  // namespace

absl::StatusOr<DeviceFacts> QueryDevice(int) { return NoToolkit(); }
absl::StatusOr<int> DeviceCount() { return NoToolkit(); }

}  // namespace tiletune
