// The rows of a benchmark: problems, and the config to run each with where one
// is named. Read from CSV text with a header line.
//
//   group,m,n,k,batch                     problem,config
//   prefill,4096,7168,2048,1              "64x7168x2048 bf16 TN ->
//   bf16","sm90_..."
//
//   absl::StatusOr<std::vector<WorkloadRow>> rows = ParseWorkload(text, plain);
//
// The right-hand form is what `sqlite3 -csv -header FILE.db "SELECT problem,
// config FROM winners"` writes.
#ifndef TILETUNE_KERNELS_BENCHMARK_WORKLOAD_H_
#define TILETUNE_KERNELS_BENCHMARK_WORKLOAD_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kernels/config.h"
#include "kernels/problem.h"

namespace tiletune {

struct WorkloadRow {
  std::string group;
  GemmProblem problem;
  std::string config;  // a ConfigKey; empty: the caller chooses
};

// Columns in any order; `problem`, or `m`, `n` and `k`, are needed. `plain`
// gives types, layout and epilogue to rows of sizes. Lines that are empty or
// start with # are skipped. InvalidArgument names the line.
absl::StatusOr<std::vector<WorkloadRow>> ParseWorkload(
    std::string_view csv, const GemmProblem& plain);

// What is timed of a row's config: what it says, but never a programmatic
// dependent launch where those are turned off.
GemmConfig AsTimed(GemmConfig config, bool dependent_launch);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BENCHMARK_WORKLOAD_H_
