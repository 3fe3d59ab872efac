#include "kernels/repack/repack.h"

#include "absl/strings/str_cat.h"
#include "kernels/launch/launch_kernel.h"
#include "kernels/repack/repack_kernel.h"
#include "kernels/repack/repack_launches.h"

namespace tiletune {

absl::Status LaunchRepack(const RepackArguments& a, const RepackArguments& b,
                          GpuStream stream) {
  const RepackLaunches launches(a, b);
  for (const RepackLaunch& repack : launches) {
    KernelLaunch launch = {};
    launch.function = RepackFunction(repack.kernel);
    launch.ctas = repack.ctas;
    launch.threads = repack.threads;
    launch.is_dependent = repack.is_dependent;
    const absl::Status status =
        LaunchKernel(launch, repack.parameters(), stream);
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat(RepackEntry(repack.kernel),
                                       " (a repack): ", status.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace tiletune
