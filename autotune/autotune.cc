// The program autotune; commands.h says what it does.
#include "autotune/commands/commands.h"
#include "autotune/measure/cuda_bench.h"
#include "kernels/gemm.h"

int main(int argc, char** argv) {
  return tiletune::AutotuneMain(argc, argv,
                                {tiletune::OpenCudaBench, tiletune::IsLinked});
}
