#include "kernels/reference/checker.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "kernels/cuda_status.h"
#include "kernels/reference/checker_kernels.h"
#include "kernels/reference/launcher.h"
#include "scheduler/order.h"

namespace tiletune {
namespace {

constexpr int kCompareThreads = 256;

float FloatFromBits(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

ErrorModel ErrorModelFor(const GemmProblem& p, const DeviceFacts& device,
                         const CheckerOptions& options) {
  const bool eight_bit = BitsOf(p.a_type) == 8;
  const double unit =
      eight_bit && device.capability_major == 9 ? 0x1p-13 : 0x1p-23;
  const double per_mma = eight_bit ? 32 : 16;  // K of one instruction
  const double steps = std::max(1.0, std::ceil(p.k / per_mma));
  ErrorModel model;
  model.accumulation =
      options.exact_sums ? 0.0f : static_cast<float>(unit * (steps + 32));
  model.steps = static_cast<float>(steps);
  model.activation = p.epilogue.activation == Activation::kGelu   ? 5e-4f
                     : p.epilogue.activation == Activation::kSilu ? 1e-6f
                                                                  : 0.0f;
  return model;
}

absl::Status Launch(const void* kernel, uint64_t ctas, int threads,
                    void** arguments, GpuStream stream) {
  const unsigned grid = static_cast<unsigned>(
      std::min<uint64_t>(std::max<uint64_t>(ctas, 1), 1 << 16));
  return CudaStatus(
      cudaLaunchKernel(kernel, dim3(grid), dim3(static_cast<unsigned>(threads)),
                       arguments, 0, stream),
      "cudaLaunchKernel");
}

// The tiles in plain order: the reference owes nothing to a config.
std::optional<Order> PlainOrder(const GemmProblem& p) {
  if (p.batch > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  const std::optional<TileGrid> grid =
      MakeTileGrid(static_cast<uint64_t>(p.m), static_cast<uint64_t>(p.n),
                   static_cast<uint64_t>(p.k), static_cast<uint32_t>(p.batch),
                   kReferenceTileM, kReferenceTileN, kReferenceTileK);
  return grid.has_value() ? MakeOrder(*grid) : std::nullopt;
}

}  // namespace

std::string GemmCheck::ToString() const {
  if (ok()) {
    return absl::StrCat("right: the worst error is ", worst_ratio,
                        " of what is allowed");
  }
  std::string text;
  if (wrong > 0) {
    absl::StrAppend(&text, wrong, " elements are wrong, first D[", batch, "][",
                    row, "][", column, "] = ", got, " instead of ", expected,
                    " +- ", allowed, "; worst error ", worst_ratio,
                    " times what is allowed. ");
  }
  if (gap_bytes_touched > 0) {
    absl::StrAppend(&text, gap_bytes_touched,
                    " bytes between the rows of D were written. ");
  }
  if (!amax_ok) {
    absl::StrAppend(&text, "amax is ", amax_got, " instead of ", amax_expected,
                    ". ");
  }
  text.pop_back();
  return text;
}

absl::StatusOr<std::unique_ptr<GemmChecker>> GemmChecker::Create(
    const GemmProblem& problem, const GemmArguments& arguments,
    const DeviceFacts& device, const CheckerOptions& options,
    GpuStream stream) {
  absl::Status status = Validate(problem);
  if (!status.ok()) return status;
  std::unique_ptr<GemmChecker> checker(new GemmChecker);
  const GemmProblem p = checker->problem_ = Normalized(problem);
  checker->options_ = options;
  const std::optional<Order> order = PlainOrder(p);
  if (!order.has_value()) {
    return absl::InvalidArgumentError("too many tiles");
  }
  checker->parameters_ = MakeReferenceParameters(p, arguments, *order);
  const double elements = static_cast<double>(p.m) * p.n * p.batch;
  if (elements > 1e12) {
    return absl::ResourceExhaustedError("D has more than 10^12 elements");
  }
  absl::StatusOr<DeviceBuffer> values = DeviceBuffer::Allocate(
      static_cast<size_t>(elements) * sizeof(ReferenceValue));
  if (!values.ok()) return values.status();
  checker->values_ = *std::move(values);
  absl::StatusOr<DeviceBuffer> result =
      DeviceBuffer::Allocate(sizeof(CheckTotals));
  if (!result.ok()) return result.status();
  checker->result_ = *std::move(result);
  status = checker->result_.Fill(0, stream);
  if (!status.ok()) return status;
  if (order->size() == 0) return checker;

  ErrorModel model = ErrorModelFor(p, device, options);
  void* out = checker->values_.data();
  void* totals = checker->result_.data();
  void* kernel_arguments[] = {&checker->parameters_, &out, &model, &totals};
  status = Launch(ReferenceValuesKernel(), order->size(), kReferenceThreads,
                  kernel_arguments, stream);
  if (!status.ok()) return status;
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream));
  return checker;
}

absl::StatusOr<GemmCheck> GemmChecker::Check(const GemmArguments& arguments,
                                             GpuStream stream) {
  const GemmProblem& p = problem_;
  GemmCheck check;
  if (p.m == 0 || p.n == 0 || p.batch == 0) return check;
  auto* const totals = static_cast<CheckTotals*>(result_.data());
  // All but what the reference left: its amax, and the error allowed to it.
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaMemsetAsync(totals, 0, offsetof(CheckTotals, first_wrong), stream));
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemsetAsync(
      &totals->first_wrong, 0xff, sizeof totals->first_wrong, stream));
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemsetAsync(
      &totals->worst_ratio_bits, 0, sizeof totals->worst_ratio_bits, stream));

  CompareParameters compare = {
      p.m,
      p.n,
      p.batch,
      parameters_.d,
      static_cast<const ReferenceValue*>(values_.data()),
      arguments.scale_d,
      totals,
      options_.gaps_are_poisoned};
  compare.d.data = arguments.d;
  void* kernel_arguments[] = {&compare};
  const uint64_t elements = static_cast<uint64_t>(p.m * p.n * p.batch);
  absl::Status status = Launch(CompareKernel(), elements / kCompareThreads + 1,
                               kCompareThreads, kernel_arguments, stream);
  if (status.ok()) {
    status = Launch(DescribeFirstWrongKernel(), 1, 1, kernel_arguments, stream);
  }
  if (!status.ok()) return status;
  CheckTotals t;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaMemcpyAsync(&t, totals, sizeof t, cudaMemcpyDeviceToHost, stream));
  float amax = 0;
  if (p.epilogue.amax) {
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(
        &amax, arguments.amax_d, sizeof amax, cudaMemcpyDeviceToHost, stream));
  }
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream));

  check.wrong = static_cast<int64_t>(t.wrong);
  check.gap_bytes_touched = static_cast<int64_t>(t.gap_bytes_touched);
  check.worst_ratio = FloatFromBits(t.worst_ratio_bits);
  if (check.wrong > 0) {
    const int64_t first = static_cast<int64_t>(t.first_wrong);
    check.column = first % p.n;
    check.row = first / p.n % p.m;
    check.batch = first / p.n / p.m;
    check.got = t.got;
    check.expected = t.expected;
    check.allowed = t.allowed;
  }
  if (p.epilogue.amax) {
    check.amax_got = amax;
    check.amax_expected = FloatFromBits(t.amax_bits);
    const double allowed =
        FloatFromBits(t.amax_allowed_bits) + 0x1p-22 * check.amax_expected;
    // Where the reference holds a NaN, any amax goes.
    check.amax_ok = std::isnan(check.amax_expected) ||
                    std::fabs(check.amax_got - check.amax_expected) <= allowed;
  }
  return check;
}

}  // namespace tiletune
