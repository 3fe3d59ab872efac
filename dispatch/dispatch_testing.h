// What the tests of dispatch start from: kernels that only note that they
// were launched, and databases with winners of this program's own variants.
//
//   FakeKernels::Reset();
//   FakeKernels::failing.insert(config.variant->name);
//   TuneFor(store, problem, config, TestDevice());
//   options.backend = &FakeKernels::Backend();
#ifndef TILETUNE_DISPATCH_DISPATCH_TESTING_H_
#define TILETUNE_DISPATCH_DISPATCH_TESTING_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"
#include "dispatch/backend.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// State of the process, as a backend is plain functions. Preparing counts as a
// launch. Names are those of variants.
struct FakeKernels {
  static std::vector<std::string> launched;  // ConfigKey(), in order
  static std::set<std::string> failing;      // launches return Internal
  static std::set<std::string> unlinked;
  static std::map<std::string, size_t> workspace;  // bytes; 0 for the rest
  static int workspace_asked;                      // calls, so far
  static std::vector<std::pair<void*, size_t>> prepared_workspaces;
  static bool silent;  // do not note launches: for counting allocations

  static void Reset();
  static const GemmBackend& Backend();
};

// `count` configs of different variants that are legal and not the default.
std::vector<GemmConfig> LegalNonDefaults(const GemmProblem& problem,
                                         const DeviceFacts& device, int count);

// Makes `config` the winner of `problem`; EXPECTs that it can be recorded.
void TuneFor(Store* store, const GemmProblem& problem, const GemmConfig& config,
             const DeviceFacts& device, double median_ns = 100,
             const MeasurementPolicy& policy = {});

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_DISPATCH_TESTING_H_
