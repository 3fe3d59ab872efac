#include "kernels/cublaslt/cublaslt.h"

#include <cublasLt.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cublaslt/library.h"

namespace tiletune {
namespace {

absl::Status LtStatus(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return absl::OkStatus();
  const std::string message =
      absl::StrCat(call, ": cuBLAS status ", static_cast<int>(status));
  return status == CUBLAS_STATUS_NOT_SUPPORTED ||
                 status == CUBLAS_STATUS_INVALID_VALUE
             ? absl::UnimplementedError(message)
             : absl::InternalError(message);
}

cudaDataType_t CudaType(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return CUDA_R_16BF;
    case DataType::kFp16:
      return CUDA_R_16F;
    case DataType::kFp32:
      return CUDA_R_32F;
    case DataType::kFp8E4m3:
      return CUDA_R_8F_E4M3;
    case DataType::kFp8E5m2:
      return CUDA_R_8F_E5M2;
  }
  return CUDA_R_32F;
}

// A handle a thread: cuBLAS handles are not for concurrent use.
absl::StatusOr<cublasLtHandle_t> ThreadHandle(const CublasLtLibrary& lt) {
  thread_local cublasLtHandle_t handle = nullptr;
  if (handle == nullptr) {
    const absl::Status status = LtStatus(lt.create(&handle), "cublasLtCreate");
    if (!status.ok()) return status;
  }
  return handle;
}

absl::StatusOr<cublasLtEpilogue_t> EpilogueOf(const GemmProblem& p) {
  const bool bias = p.epilogue.bias == Bias::kPerColumn;
  if (p.epilogue.bias == Bias::kPerRow) {
    return absl::UnimplementedError("cuBLASLt has no bias along our rows");
  }
  switch (p.epilogue.activation) {
    case Activation::kNone:
      return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case Activation::kRelu:
      return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::kGelu:
      return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case Activation::kSilu:
      return absl::UnimplementedError("cuBLASLt has no SiLU");
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

// Everything below speaks cuBLAS: column-major, its A is our B.
class Matmul : public CublasLtMatmul {
 public:
  Matmul(const CublasLtLibrary& lt, const GemmProblem& problem,
         size_t workspace_bytes, int most_algorithms)
      : lt_(lt),
        p_(problem),
        workspace_bytes_(workspace_bytes),
        most_algorithms_(most_algorithms) {}

  ~Matmul() override {
    for (cublasLtMatrixLayout_t layout : {a_, b_, c_, d_}) {
      if (layout != nullptr) lt_.layout_destroy(layout);
    }
    if (desc_ != nullptr) lt_.desc_destroy(desc_);
    if (preference_ != nullptr) lt_.preference_destroy(preference_);
  }

  absl::Status Plan() {
    absl::Status status = Describe();
    if (status.ok()) status = DescribeLayouts();
    if (status.ok()) status = FindAlgorithms();
    return status;
  }

  int algorithms() const override { return static_cast<int>(results_.size()); }

  absl::Status Launch(int algorithm, const GemmArguments& args, void* workspace,
                      GpuStream stream) const override {
    const absl::StatusOr<cublasLtHandle_t> handle = ThreadHandle(lt_);
    if (!handle.ok()) return handle.status();
    // Pointers that the descriptor holds; setting them is a store on the host.
    absl::Status status = SetPointers(args);
    if (!status.ok()) return status;
    const void* c = p_.epilogue.reads_c ? args.c : args.d;
    return LtStatus(lt_.matmul(*handle, desc_, &args.alpha, args.b, a_, args.a,
                               b_, &args.beta, c, c_, args.d, d_,
                               &results_[static_cast<size_t>(algorithm)].algo,
                               workspace, workspace_bytes_, stream),
                    "cublasLtMatmul");
  }

 private:
  template <typename T>
  absl::Status Set(cublasLtMatmulDescAttributes_t name, const T& value) const {
    return LtStatus(lt_.desc_set(desc_, name, &value, sizeof value),
                    "cublasLtMatmulDescSetAttribute");
  }

  absl::Status Describe() {
    if (p_.scaling == Scaling::kPerRowColumn || p_.epilogue.amax) {
      return absl::UnimplementedError(
          "not compared with cuBLASLt: scales per row and column, and amax");
    }
    const absl::StatusOr<cublasLtEpilogue_t> epilogue = EpilogueOf(p_);
    if (!epilogue.ok()) return epilogue.status();
    absl::Status status =
        LtStatus(lt_.desc_create(&desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
                 "cublasLtMatmulDescCreate");
    if (!status.ok()) return status;
    const cublasOperation_t op_a =
        BIsKMajor(p_.layout) ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t op_b =
        AIsKMajor(p_.layout) ? CUBLAS_OP_N : CUBLAS_OP_T;
    status = Set(CUBLASLT_MATMUL_DESC_TRANSA, op_a);
    if (status.ok()) status = Set(CUBLASLT_MATMUL_DESC_TRANSB, op_b);
    if (status.ok()) status = Set(CUBLASLT_MATMUL_DESC_EPILOGUE, *epilogue);
    if (p_.scaling == Scaling::kBlock128) {
      if (status.ok()) status = DescribeBlockScales();
    } else if (status.ok() && BitsOf(p_.a_type) == 8) {
      // As our Hopper kernels: 8-bit products stay in the tensor core's own
      // accumulator.
      status = Set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
    }
    if (status.ok() && p_.epilogue.bias != Bias::kNone) {
      status = Set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CudaType(BiasType(p_)));
    }
    return status;
  }

  // cuBLAS 3.1.4.5: the layout of the scales is ours (kernels/scale_layout.h),
  // and each block is added up in fp32.
  absl::Status DescribeBlockScales() {
    if (p_.batch > 1) {
      return absl::UnimplementedError(
          "not compared with cuBLASLt: batches with scales per block");
    }
    absl::Status status =
        Set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE,
            int32_t{CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F});
    if (!status.ok()) return status;
    status = Set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE,
                 int32_t{CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F});
    if (!status.ok()) return status;
    // Heuristics may look at the addresses: any aligned one, until Launch.
    GemmArguments aligned;
    aligned.scale_a = aligned.scale_b =
        reinterpret_cast<const float*>(uintptr_t{4096});
    return SetPointers(aligned);
  }

  // Column-major `rows` x `columns` for each batch.
  absl::Status CreateLayout(DataType type, int64_t rows, int64_t columns,
                            int64_t ld, int64_t batch_stride,
                            cublasLtMatrixLayout_t* layout) const {
    absl::Status status = LtStatus(
        lt_.layout_create(layout, CudaType(type), static_cast<uint64_t>(rows),
                          static_cast<uint64_t>(columns), ld),
        "cublasLtMatrixLayoutCreate");
    if (!status.ok() || p_.batch == 1) return status;
    const int32_t count = static_cast<int32_t>(p_.batch);
    status =
        LtStatus(lt_.layout_set(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                &count, sizeof count),
                 "cublasLtMatrixLayoutSetAttribute");
    if (!status.ok()) return status;
    return LtStatus(
        lt_.layout_set(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                       &batch_stride, sizeof batch_stride),
        "cublasLtMatrixLayoutSetAttribute");
  }

  absl::Status DescribeLayouts() {
    const bool b_k_major = BIsKMajor(p_.layout);
    const bool a_k_major = AIsKMajor(p_.layout);
    absl::Status status =
        CreateLayout(p_.b_type, b_k_major ? p_.k : p_.n,
                     b_k_major ? p_.n : p_.k, p_.ldb, p_.batch_stride_b, &a_);
    if (!status.ok()) return status;
    status =
        CreateLayout(p_.a_type, a_k_major ? p_.k : p_.m,
                     a_k_major ? p_.m : p_.k, p_.lda, p_.batch_stride_a, &b_);
    if (!status.ok()) return status;
    // Normalized(): without C, its layout is D's.
    status =
        CreateLayout(p_.c_type, p_.n, p_.m, p_.ldc, p_.batch_stride_c, &c_);
    if (!status.ok()) return status;
    return CreateLayout(p_.d_type, p_.n, p_.m, p_.ldd, p_.batch_stride_d, &d_);
  }

  absl::Status FindAlgorithms() {
    absl::Status status = LtStatus(lt_.preference_create(&preference_),
                                   "cublasLtMatmulPreferenceCreate");
    const uint32_t alignment = static_cast<uint32_t>(p_.pointer_alignment);
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t name,
                         const void* value, size_t size) {
      if (!status.ok()) return;
      status = LtStatus(lt_.preference_set(preference_, name, value, size),
                        "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes_,
        sizeof workspace_bytes_);
    for (cublasLtMatmulPreferenceAttributes_t name :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(name, &alignment, sizeof alignment);
    }
    if (!status.ok()) return status;
    const absl::StatusOr<cublasLtHandle_t> handle = ThreadHandle(lt_);
    if (!handle.ok()) return handle.status();
    results_.resize(static_cast<size_t>(most_algorithms_));
    int found = 0;
    status = LtStatus(lt_.heuristic(*handle, desc_, a_, b_, c_, d_, preference_,
                                    most_algorithms_, results_.data(), &found),
                      "cublasLtMatmulAlgoGetHeuristic");
    results_.resize(static_cast<size_t>(std::max(found, 0)));
    if (!status.ok()) return status;
    results_.erase(
        std::remove_if(results_.begin(), results_.end(),
                       [](const cublasLtMatmulHeuristicResult_t& result) {
                         return result.state != CUBLAS_STATUS_SUCCESS;
                       }),
        results_.end());
    if (!results_.empty()) return absl::OkStatus();
    return absl::UnimplementedError("cuBLASLt has no algorithm for this");
  }

  absl::Status SetPointers(const GemmArguments& args) const {
    absl::Status status;
    if (args.bias != nullptr) {
      status = Set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias);
    }
    if (status.ok() && args.scale_b != nullptr) {
      status = Set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, args.scale_b);
    }
    if (status.ok() && args.scale_a != nullptr) {
      status = Set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, args.scale_a);
    }
    if (status.ok() && args.scale_d != nullptr) {
      status = Set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, args.scale_d);
    }
    return status;
  }

  const CublasLtLibrary& lt_;
  const GemmProblem p_;  // normalized
  const uint64_t workspace_bytes_;
  const int most_algorithms_;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr, d_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> results_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLtMatmul>> CublasLtMatmul::Create(
    const GemmProblem& problem, size_t workspace_bytes, int most_algorithms) {
  const absl::Status valid = Validate(problem);
  if (!valid.ok()) return valid;
  const CublasLtLibrary* const lt = CublasLtLibrary::Get();
  if (lt == nullptr) {
    return absl::UnavailableError("there is no cuBLASLt on this machine");
  }
  auto matmul = std::make_unique<Matmul>(*lt, Normalized(problem),
                                         workspace_bytes, most_algorithms);
  const absl::Status planned = matmul->Plan();
  if (!planned.ok()) return planned;
  return std::unique_ptr<CublasLtMatmul>(std::move(matmul));
}

absl::StatusOr<size_t> CublasLtVersion() {
  const CublasLtLibrary* const lt = CublasLtLibrary::Get();
  if (lt == nullptr) {
    return absl::UnavailableError("there is no cuBLASLt on this machine");
  }
  return lt->version();
}

}  // namespace tiletune
