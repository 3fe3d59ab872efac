// What the tests of the store and of dispatch start from.
//
//   TemporaryFolder folder;
//   auto store = *Store::Open(folder.File("x.db"), Store::Mode::kReadWrite);
//   Measurement m = MeasuredAt(100.0, TestConfig("a", SupplyKind::kStatic));
//   ASSERT_TRUE(store->RecordMeasurement(m).ok());
//   // gone with the folder
#ifndef TILETUNE_AUTOTUNE_STORE_STORE_TESTING_H_
#define TILETUNE_AUTOTUNE_STORE_STORE_TESTING_H_

#include <cstdint>
#include <string>

#include "autotune/store/measurement.h"
#include "autotune/store/store.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// A folder of one test, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A GPU that does not exist, and is not modelled either.
DeviceFacts TestDevice(int32_t sm_count = 100);
GemmProblem TestProblem(int64_t m = 128, int64_t n = 256, int64_t k = 512);

// The record of a config that no registry knows.
ConfigRecord TestConfig(const std::string& variant,
                        const std::string& supply = "static",
                        const std::string& build = "build1");

// An ok final measurement of TestProblem() on TestDevice(), soaked, with a
// tie width of 1 %.
Measurement MeasuredAt(double median_ns, const ConfigRecord& config);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_STORE_TESTING_H_
