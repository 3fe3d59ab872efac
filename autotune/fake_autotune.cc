// The program autotune with one device more, fake:SEED, for tests. It fails
// where $TILETUNE_FAKE_FAULTS says ("hang:*o2zn*,wrong:*queue*"), and each of
// its calls takes $TILETUNE_FAKE_DELAY_US microseconds. Each call of Time adds
// "STAGE FIRST POLICY PROBLEM | CONFIG" to the file $TILETUNE_FAKE_LOG.
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "autotune/commands.h"
#include "autotune/fake_bench.h"

namespace tiletune {
namespace {

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::unique_ptr<Bench>> OpenFake(const std::string& device) {
  uint64_t seed = 0;
  if (device.rfind("fake:", 0) != 0 ||
      !absl::SimpleAtoi(device.substr(5), &seed)) {
    return absl::UnavailableError(
        absl::StrCat("'", device, "' is no fake device"));
  }
  const absl::StatusOr<std::vector<FakeFault>> faults =
      ParseFaults(Variable("TILETUNE_FAKE_FAULTS"));
  if (!faults.ok()) return faults.status();
  auto bench = std::make_unique<FakeBench>(seed, *faults);
  int64_t microseconds = 0;
  if (absl::SimpleAtoi(Variable("TILETUNE_FAKE_DELAY_US"), &microseconds)) {
    bench->set_delay(absl::Microseconds(microseconds));
  }
  bench->set_log(Variable("TILETUNE_FAKE_LOG"));
  return std::unique_ptr<Bench>(std::move(bench));
}

bool Always(const KernelVariant&) { return true; }

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  return tiletune::AutotuneMain(argc, argv,
                                {tiletune::OpenFake, tiletune::Always});
}
