// The kernel's parameters for one launch, but for the encoding of tensor maps:
// that takes the driver (launcher.cc) or the emulator (testing/hopper).
//
//   GemmPlan plan = MakePlan(problem, config, device);
//   LaunchParameters p = MakeParameters(problem, config, plan, arguments,
//                                       workspace);
//   if (p.a_map.has_value()) p.params.a_map = *EncodeTensorMap(*p.a_map);
#ifndef TILETUNE_KERNELS_HOPPER_PARAMETERS_H_
#define TILETUNE_KERNELS_HOPPER_PARAMETERS_H_

#include <cstdint>
#include <optional>

#include "kernels/config.h"
#include "kernels/gemm.h"
#include "kernels/hopper/gemm_params.h"
#include "kernels/hopper/plan.h"
#include "kernels/problem.h"
#include "kernels/ptx/tensor_map.h"

namespace tiletune::hopper {

struct LaunchParameters {
  // Of which kernels without shifted rows take the GemmParams alone.
  ShiftedRowsParams params = {};
  // What params.a_map and so on must describe; none if not used.
  std::optional<TensorMapSpec> a_map;
  // What the first of params.a_rows must; then RowsMap() says it of all.
  std::optional<TensorMapSpec> a_rows;
  std::optional<TensorMapSpec> b_map;
  std::optional<TensorMapSpec> d_map;
};

// What a_rows[box] must describe, given what a_rows[0] must.
TensorMapSpec RowsMap(const TensorMapSpec& first, int box);

LaunchParameters MakeParameters(const GemmProblem& problem,
                                const GemmConfig& config, const GemmPlan& plan,
                                const GemmArguments& arguments,
                                char* workspace);

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_PARAMETERS_H_
