// The program autotune with one device more, fake:SEED, for tests: what
// OpenFakeBench() opens.
#include "autotune/commands/commands.h"
#include "autotune/measure/fake_bench.h"

namespace {

bool Always(const tiletune::KernelVariant&) { return true; }

}  // namespace

int main(int argc, char** argv) {
  return tiletune::AutotuneMain(argc, argv, {tiletune::OpenFakeBench, Always});
}
