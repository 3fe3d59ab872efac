#include "kernels/reference/launcher.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "kernels/reference/gemm_kernel.h"
#include "kernels/scale_layout.h"
#include "kernels/tiling.h"

namespace tiletune {
namespace {

// Device code names these by number (element.cuh, epilogue.cuh).
static_assert(static_cast<int>(DataType::kBf16) == 0 &&
              static_cast<int>(DataType::kFp16) == 1 &&
              static_cast<int>(DataType::kFp32) == 2 &&
              static_cast<int>(DataType::kFp8E4m3) == 3 &&
              static_cast<int>(DataType::kFp8E5m2) == 4);
static_assert(static_cast<int>(Activation::kRelu) == 1 &&
              static_cast<int>(Activation::kGelu) == 2 &&
              static_cast<int>(Activation::kSilu) == 3);
static_assert(static_cast<int>(Bias::kPerRow) == 1 &&
              static_cast<int>(Bias::kPerColumn) == 2);
static_assert(static_cast<int>(Scaling::kPerTensor) == 1 &&
              static_cast<int>(Scaling::kPerRowColumn) == 2);
static_assert(kReferenceScaleBlock == kScaleBlock && 1 << 7 == kScaleBlock);

size_t WorkspaceBytes(const GemmProblem&, const GemmConfig&,
                      const DeviceFacts&) {
  return 0;
}

bool AlwaysLinked(const KernelVariant&) { return true; }

absl::Status Launch(const GemmProblem& problem, const GemmConfig& config,
                    const GemmArguments& arguments, const DeviceFacts& device,
                    void*, GpuStream stream) {
  const std::optional<TileGrid> grid =
      ClusterTileGrid(problem, *config.variant);
  if (!grid.has_value()) return absl::InternalError("too many tiles");
  const std::optional<Order> order = MakeOrder(*grid, OrderOptionsOf(config));
  if (!order.has_value()) return absl::InternalError("too many tiles");
  ReferenceParameters parameters =
      MakeReferenceParameters(problem, arguments, *order);
  uint64_t sms = static_cast<uint64_t>(device.sm_count);
  if (config.max_sms != 0) sms = std::min<uint64_t>(sms, config.max_sms);
  const uint64_t workers = sms * config.variant->ctas_per_sm;
  const unsigned ctas =
      static_cast<unsigned>(std::min<uint64_t>(order->size(), workers));
  void* kernel_arguments[] = {&parameters};
  const cudaError_t error =
      cudaLaunchKernel(ReferenceGemmKernel(), dim3(ctas),
                       dim3(kReferenceThreads), kernel_arguments, 0, stream);
  if (error == cudaSuccess) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("cudaLaunchKernel: ", cudaGetErrorString(error)));
}

}  // namespace

ReferenceParameters MakeReferenceParameters(const GemmProblem& p,
                                            const GemmArguments& args,
                                            const Order& order) {
  const auto code = [](auto value) { return static_cast<int32_t>(value); };
  const bool a_k_major = AIsKMajor(p.layout);
  const bool b_k_major = BIsKMajor(p.layout);
  ReferenceParameters r = {};
  r.m = p.m;
  r.n = p.n;
  r.k = p.k;
  r.a = {args.a, a_k_major ? p.lda : 1, a_k_major ? 1 : p.lda, p.batch_stride_a,
         code(p.a_type)};
  r.b = {args.b, b_k_major ? 1 : p.ldb, b_k_major ? p.ldb : 1, p.batch_stride_b,
         code(p.b_type)};
  r.c = {args.c, p.ldc, 1, p.batch_stride_c, code(p.c_type)};
  r.d = {args.d, p.ldd, 1, p.batch_stride_d, code(p.d_type)};
  r.order = order;
  r.bias = args.bias;
  r.bias_type = code(BiasType(p));
  r.bias_side = code(p.epilogue.bias);
  r.activation = code(p.epilogue.activation);
  r.scaling = code(p.scaling);
  if (p.scaling == Scaling::kBlock128) {
    const ScaleLayout s = ScaleLayoutOf(p);
    r.a_scales = {args.scale_a, 1, s.a_stride, s.a_batch_stride, 0};
    r.b_scales = {args.scale_b, s.b_stride, 1, s.b_batch_stride, 7};
  }
  r.reads_c = p.epilogue.reads_c;
  r.alpha = args.alpha;
  r.beta = args.beta;
  r.alpha_device = args.alpha_device;
  r.beta_device = args.beta_device;
  r.scale_a = args.scale_a;
  r.scale_b = args.scale_b;
  r.scale_d = args.scale_d;
  r.amax_d = p.epilogue.amax ? args.amax_d : nullptr;
  return r;
}

const FamilyLauncher& ReferenceLauncher() {
  static constexpr FamilyLauncher kLauncher = {WorkspaceBytes, Launch,
                                               AlwaysLinked};
  return kLauncher;
}

}  // namespace tiletune
