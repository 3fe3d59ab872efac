// autotune with a plain GEMM in place of every kernel, and defects where
// $TILETUNE_PLANTED says. See README.md.
#include "autotune/commands/commands.h"
#include "autotune/measure/cuda_bench.h"
#include "kernels/launchers.h"
#include "kernels/registry.h"

int main(int argc, char** argv) {
  const auto is_linked = [](const tiletune::KernelVariant& variant) {
    return tiletune::LauncherOf(variant.architecture) != nullptr;
  };
  return tiletune::AutotuneMain(argc, argv,
                                {tiletune::OpenCudaBench, is_linked});
}
