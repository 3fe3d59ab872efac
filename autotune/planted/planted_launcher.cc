// LauncherOf() of planted_autotune: a plain GEMM in place of every Hopper
// kernel and of the reference, with the defects that $TILETUNE_PLANTED gives to
// its configs.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autotune/planted/defect_list.h"
#include "autotune/planted/planted_kernel.h"
#include "kernels/cuda_status.h"
#include "kernels/launchers.h"

namespace tiletune {
namespace {

const DefectList& Planted() {
  static const DefectList* const list = [] {
    const char* text = std::getenv("TILETUNE_PLANTED");
    absl::StatusOr<DefectList> parsed =
        DefectList::Parse(text == nullptr ? "" : text);
    if (!parsed.ok()) std::abort();
    return new DefectList(*std::move(parsed));
  }();
  return *list;
}

size_t WorkspaceBytes(const GemmProblem&, const GemmConfig&,
                      const DeviceFacts&) {
  return 0;
}

bool AlwaysLinked(const KernelVariant&) { return true; }

// What the plain GEMM can do.
absl::Status CheckKnown(const GemmProblem& p) {
  const bool types =
      (p.a_type == DataType::kBf16 || p.a_type == DataType::kFp8E4m3) &&
      p.a_type == p.b_type && p.d_type == DataType::kBf16;
  const bool epilogue = (p.epilogue.activation == Activation::kNone ||
                         p.epilogue.activation == Activation::kRelu) &&
                        p.epilogue.bias != Bias::kPerRow &&
                        p.scaling != Scaling::kPerTensor;
  if (types && epilogue && p.layout == Layout::kTN) return absl::OkStatus();
  return absl::UnimplementedError(
      "the planted GEMM does not know this problem");
}

// The faults that need no kernel.
absl::Status FaultOfProcess(Defect defect) {
  switch (defect) {
    case Defect::kOutOfMemory: {
      void* memory = nullptr;
      return CudaStatus(cudaMalloc(&memory, size_t{1} << 50), "cudaMalloc");
    }
    case Defect::kAborts:
      std::abort();
    case Defect::kExits:
      _exit(0);
    case Defect::kSegfaults: {
      int* volatile nowhere = nullptr;  // volatile: the compiler must not know
      *nowhere = 1;
      return absl::OkStatus();
    }
    default:
      return absl::OkStatus();
  }
}

absl::Status Launch(const GemmProblem& p, const GemmConfig& config,
                    const GemmArguments& args, const DeviceFacts& device, void*,
                    GpuStream stream) {
  absl::Status status = CheckKnown(p);
  const Defect defect = Planted().Of(ConfigKey(config));
  if (status.ok()) status = FaultOfProcess(defect);
  if (!status.ok()) return status;
  PlantedParameters parameters = {};
  parameters.m = p.m;
  parameters.n = p.n;
  parameters.k = p.k;
  parameters.batch = p.batch;
  parameters.a = args.a;
  parameters.b = args.b;
  parameters.c = p.epilogue.reads_c ? args.c : nullptr;
  parameters.d = args.d;
  parameters.lda = p.lda;
  parameters.ldb = p.ldb;
  parameters.ldc = p.ldc;
  parameters.ldd = p.ldd;
  parameters.stride_a = p.batch_stride_a;
  parameters.stride_b = p.batch_stride_b;
  parameters.stride_c = p.batch_stride_c;
  parameters.stride_d = p.batch_stride_d;
  parameters.bias = p.epilogue.bias != Bias::kNone ? args.bias : nullptr;
  const bool scaled = p.scaling == Scaling::kPerRowColumn;
  parameters.scale_a = scaled ? args.scale_a : nullptr;
  parameters.scale_b = scaled ? args.scale_b : nullptr;
  parameters.amax_d = p.epilogue.amax ? args.amax_d : nullptr;
  parameters.beta = args.beta;
  parameters.is_e4m3 = p.a_type == DataType::kFp8E4m3;
  parameters.relu = p.epilogue.activation == Activation::kRelu;
  parameters.defect = defect;
  void* arguments[] = {&parameters};
  return CudaStatus(cudaLaunchKernel(PlantedKernel(), dim3(device.sm_count),
                                     dim3(256), arguments, 0, stream),
                    "cudaLaunchKernel");
}

}  // namespace

const FamilyLauncher* LauncherOf(Architecture architecture) {
  static constexpr FamilyLauncher kLauncher = {WorkspaceBytes, Launch,
                                               AlwaysLinked};
  return architecture == Architecture::kBlackwell ? nullptr : &kLauncher;
}

}  // namespace tiletune
