// fake_worker fake:SEED: a worker process whose device is a fake one, for
// remote_bench_test. Faults as OpenFakeBench() reads them.
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "autotune/measure/fake_bench.h"
#include "autotune/worker/worker.h"

int main(int argc, char** argv) {
  const absl::StatusOr<std::unique_ptr<tiletune::Bench>> bench =
      tiletune::OpenFakeBench(argc == 2 ? argv[1] : "");
  if (!bench.ok()) {
    std::fprintf(stderr, "%s\n", bench.status().ToString().c_str());
    return 2;
  }
  return tiletune::ServeBench(bench->get(), STDIN_FILENO, STDOUT_FILENO);
}
