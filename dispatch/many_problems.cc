#include "dispatch/many_problems.h"

#include <cstdio>
#include <cstdlib>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"
#include "kernels/registry.h"

namespace tiletune {

std::vector<GemmProblem> TuneMany(const std::string& path, int count,
                                  const DeviceFacts& device) {
  std::vector<GemmProblem> problems;
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  absl::Status status = store.status();
  if (status.ok()) {
    status = (*store)->Transaction([&]() -> absl::Status {
      const absl::StatusOr<GemmConfig> config =
          DefaultConfig(TestProblem(), device);
      if (!config.ok()) return config.status();
      for (int i = 0; i < count; ++i) {
        // Shapes of a model: M from 1 up, few N and K.
        problems.push_back(
            TestProblem(1 + i / 20, 128 * (1 + i % 4), 64 * (1 + i / 4 % 5)));
        Measurement m = MeasuredAt(1000 + i, RecordOf(*config));
        m.problem = problems.back();
        m.device = device;
        absl::Status recorded = (*store)->RecordMeasurement(m);
        if (!recorded.ok()) return recorded;
      }
      return absl::OkStatus();
    });
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
  return problems;
}

}  // namespace tiletune
