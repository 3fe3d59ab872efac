#include "testing/hopper/family_run.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "kernels/device.h"
#include "kernels/hopper/launcher.h"
#include "kernels/timing/device_buffer.h"
#include "testing/reference/gpu_operands.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

std::string Hexadecimal(uint64_t value) {
  return absl::StrCat(absl::Hex(value, absl::kZeroPad16));
}

std::string Failed(const absl::Status& why) {
  return absl::StrCat("failed: ", why.message());
}

// What the last launch left in D's memory.
absl::StatusOr<std::vector<uint8_t>> BytesOfD(const FamilyCase& c,
                                              const DeviceFacts& facts) {
  HostOperands host(c.problem);
  host.FillSmallIntegers(kFamilySeed);
  HostArguments scalars;
  scalars.alpha = c.alpha;
  scalars.beta = c.beta;
  const absl::StatusOr<std::unique_ptr<GpuOperands>> gpu =
      GpuOperands::Upload(host, scalars);
  if (!gpu.ok()) return gpu.status();
  const FamilyLauncher& launcher = HopperLauncher();
  absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(
      launcher.workspace_bytes(c.problem, c.config, facts));
  if (!workspace.ok()) return workspace.status();
  absl::Status status = workspace->Fill(0, /*stream=*/nullptr);
  // The second launch of a split finds its slots as the first left them, and
  // writes D anew.
  const int launches = c.config.split_k > 1 ? 2 : 1;
  for (int i = 0; i < launches && status.ok(); ++i) {
    status = (*gpu)->UploadD(host);
    if (!status.ok()) break;
    status = launcher.launch(c.problem, c.config, (*gpu)->arguments(), facts,
                             workspace->data(), /*stream=*/nullptr);
  }
  if (status.ok()) status = (*gpu)->DownloadD(&host);
  if (!status.ok()) return status;
  return host.d();
}

}  // namespace

std::string DescribeFamilyAnswer(const std::vector<uint8_t>& d) {
  uint64_t hash = 0xcbf29ce484222325;
  for (uint8_t byte : d) hash = (hash ^ byte) * 0x100000001b3;
  uint64_t first = 0;
  for (size_t i = 0; i < 8; ++i) {
    first = first << 8 | (i < d.size() ? d[i] : 0);
  }
  return absl::StrCat(d.size(), " ", Hexadecimal(hash), " ",
                      Hexadecimal(first));
}

std::string RunFamilyCase(const FamilyCase& c) {
  const absl::StatusOr<DeviceFacts> facts = QueryDevice(0);
  if (!facts.ok()) return Failed(facts.status());
  const absl::StatusOr<std::vector<uint8_t>> d = BytesOfD(c, *facts);
  if (!d.ok()) return Failed(d.status());
  return DescribeFamilyAnswer(*d);
}

}  // namespace tiletune
