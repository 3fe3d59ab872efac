// The bench of a real GPU. It runs in worker processes alone: what it touches
// may hang or break the CUDA context.
//
//   absl::StatusOr<std::unique_ptr<Bench>> bench = OpenCudaBench("cuda:0");
//   if (!bench.ok()) puts(bench.status().ToString().c_str());
//   (*bench)->Prepare(problem, policy);
//   Trial t = (*bench)->Check(config, 1);
#ifndef TILETUNE_AUTOTUNE_MEASURE_CUDA_BENCH_H_
#define TILETUNE_AUTOTUNE_MEASURE_CUDA_BENCH_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "autotune/measure/bench.h"

namespace tiletune {

// "cuda:N", or "auto" to list every GPU there is. Unavailable with a sentence
// when this build has no CUDA or the machine no driver or no such GPU;
// InvalidArgument for other names.
absl::StatusOr<std::unique_ptr<Bench>> OpenCudaBench(const std::string& device);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_CUDA_BENCH_H_
