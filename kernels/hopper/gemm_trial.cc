#include "kernels/hopper/gemm_trial.h"

#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/hopper/gemm_oracle.h"
#include "kernels/hopper/launcher.h"
#include "kernels/scale_layout.h"

namespace tiletune::hopper {
namespace {

constexpr uint8_t kPoison = 0xff;  // NaN in every type

DeviceFacts Facts() {
  cudaDeviceProp properties;
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  DeviceFacts facts;
  facts.capability_major = properties.major;
  facts.capability_minor = properties.minor;
  facts.sm_count = properties.multiProcessorCount;
  facts.shared_bytes_per_cta =
      static_cast<int32_t>(properties.sharedMemPerBlockOptin);
  return facts;
}

// Device memory that frees itself, its bytes set to `fill`.
class Buffer {
 public:
  explicit Buffer(size_t bytes, int fill = 0) : bytes_(bytes + 256) {
    EXPECT_EQ(cudaMalloc(&data_, bytes_), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, fill, bytes_), cudaSuccess);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  // `shift` bytes in, to try misaligned pointers.
  char* at(size_t shift = 0) const { return static_cast<char*>(data_) + shift; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_;
};

int Code(DataType type) { return static_cast<int>(type); }

int64_t ElementsOf(int64_t outer, int64_t inner, int64_t ld, int64_t stride,
                   int64_t batch) {
  if (outer == 0 || inner == 0) return 0;
  return (batch - 1) * stride + (outer - 1) * ld + inner;
}

// Runs a trial and describes what went wrong; empty if nothing did.
class Runner {
 public:
  explicit Runner(const GemmTrial& trial)
      : trial_(trial), p_(Normalized(trial.problem)) {}

  std::string Run(cudaStream_t stream, bool capture) {
    const DeviceFacts facts = Facts();
    trial_.problem = p_;
    const absl::Status valid = Validate(p_);
    if (!valid.ok()) return "invalid: " + std::string(valid.message());
    const size_t shift = p_.pointer_alignment < 16 ? p_.pointer_alignment : 0;
    const bool a_k = AIsKMajor(p_.layout);
    const bool b_k = BIsKMajor(p_.layout);
    const int64_t a_elements = ElementsOf(a_k ? p_.m : p_.k, a_k ? p_.k : p_.m,
                                          p_.lda, p_.batch_stride_a, p_.batch);
    const int64_t b_elements = ElementsOf(b_k ? p_.n : p_.k, b_k ? p_.k : p_.n,
                                          p_.ldb, p_.batch_stride_b, p_.batch);
    const int64_t d_elements =
        ElementsOf(p_.m, p_.ldd, p_.ldd, p_.batch_stride_d, p_.batch);
    const int64_t c_elements =
        p_.epilogue.reads_c
            ? ElementsOf(p_.m, p_.ldc, p_.ldc, p_.batch_stride_c, p_.batch)
            : 0;
    Buffer a(a_elements * BytesOf(p_.a_type));
    Buffer b(b_elements * BytesOf(p_.b_type));
    Buffer c(c_elements * BytesOf(p_.c_type));
    Buffer d(d_elements * BytesOf(p_.d_type), kPoison);
    Buffer bias((p_.m + p_.n) * BytesOf(p_.d_type));
    const ScaleLayout scales = ScaleLayoutOf(p_);
    Buffer scalars(8), scale_a(4 * scales.a_count), scale_b(4 * scales.b_count);
    FillIntegers(a.at(shift), Code(p_.a_type), a_elements, 1, trial_.magnitude);
    FillIntegers(b.at(shift), Code(p_.b_type), b_elements, 2, trial_.magnitude);
    if (trial_.c_is_nan) {
      cudaMemset(c.at(), kPoison, c.bytes());
    } else {
      FillIntegers(c.at(shift), Code(p_.c_type), c_elements, 3, 8);
    }
    FillIntegers(bias.at(), Code(p_.d_type), p_.m + p_.n, 4, 8);
    FillIntegers(scale_a.at(), Code(DataType::kFp32), scales.a_count, 5, 2);
    FillIntegers(scale_b.at(), Code(DataType::kFp32), scales.b_count, 6, 2);
    if (trial_.in_place) {
      cudaMemcpy(d.at(), c.at(), c.bytes(), cudaMemcpyDeviceToDevice);
    }
    const float values[2] = {trial_.alpha, trial_.beta};
    cudaMemcpy(scalars.at(), values, sizeof(values), cudaMemcpyHostToDevice);

    GemmArguments args;
    args.a = a.at(shift);
    args.b = b.at(shift);
    args.c = trial_.in_place ? d.at(shift) : c.at(shift);
    args.d = d.at(shift);
    args.bias = bias.at();
    args.alpha = trial_.alpha;
    args.beta = trial_.beta;
    if (trial_.scalars_on_device) {
      args.alpha = args.beta = NAN;
      args.alpha_device = reinterpret_cast<const float*>(scalars.at());
      args.beta_device = reinterpret_cast<const float*>(scalars.at(4));
    }
    if (p_.scaling != Scaling::kNone) {
      args.scale_a = reinterpret_cast<const float*>(scale_a.at());
      args.scale_b = reinterpret_cast<const float*>(scale_b.at());
    }
    const FamilyLauncher& family = HopperLauncher();
    const size_t workspace_bytes =
        family.workspace_bytes(p_, trial_.config, facts);
    Buffer workspace(workspace_bytes, kPoison);
    if (workspace_bytes != 0) {
      EXPECT_EQ(cudaMemset(workspace.at(), 0, kWorkspaceCounterBytes),
                cudaSuccess);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return "setting up failed";

    // The second launch of a split finds its slots as the first left them.
    const int launches = trial_.config.split_k > 1 && !trial_.in_place ? 2 : 1;
    for (int launch = 0; launch < launches; ++launch) {
      if (launch != 0) cudaMemset(d.at(), kPoison, d.bytes());
      const std::string launched =
          Launch(family, args, facts, workspace.at(), stream, capture);
      if (!launched.empty()) return launched;
      const cudaError_t error = cudaDeviceSynchronize();
      if (error != cudaSuccess) return cudaGetErrorName(error);
      const int64_t wrong =
          CountWrong(Oracle(args, c.at(shift)), trial_.tolerance);
      if (wrong != 0) {
        return std::to_string(wrong) + " elements are wrong after launch " +
               std::to_string(launch);
      }
    }
    const int64_t overwritten =
        trial_.in_place || p_.batch_stride_d != p_.m * p_.ldd
            ? 0
            : CountOverwritten(args.d, p_.m * p_.batch, p_.n, p_.ldd,
                               BytesOf(p_.d_type), kPoison);
    if (overwritten != 0) return "D was written past its rows";
    return "";
  }

 private:
  std::string Launch(const FamilyLauncher& family, const GemmArguments& args,
                     const DeviceFacts& facts, void* workspace,
                     cudaStream_t stream, bool capture) {
    if (!capture) {
      const absl::Status s =
          family.launch(p_, trial_.config, args, facts, workspace, stream);
      return s.ok() ? "" : std::string(s.message());
    }
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    const absl::Status s =
        family.launch(p_, trial_.config, args, facts, workspace, stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || !s.ok()) {
      return "capture failed: " + std::string(s.message());
    }
    if (cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess) return "graph";
    // Twice: what a launch leaves in the workspace must not harm the next.
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return "";
  }

  OracleProblem Oracle(const GemmArguments& args, const void* c) const {
    const bool a_k = AIsKMajor(p_.layout);
    const bool b_k = BIsKMajor(p_.layout);
    OracleProblem o = {};
    o.m = p_.m, o.n = p_.n, o.k = p_.k, o.batch = p_.batch;
    o.a = args.a, o.b = args.b, o.d = args.d, o.bias = args.bias;
    o.c = p_.epilogue.reads_c ? c : nullptr;
    o.a_m = a_k ? p_.lda : 1, o.a_k = a_k ? 1 : p_.lda;
    o.b_n = b_k ? p_.ldb : 1, o.b_k = b_k ? 1 : p_.ldb;
    o.c_m = p_.ldc, o.d_m = p_.ldd;
    o.a_batch = p_.batch_stride_a, o.b_batch = p_.batch_stride_b;
    o.c_batch = p_.batch_stride_c, o.d_batch = p_.batch_stride_d;
    o.a_type = Code(p_.a_type), o.b_type = Code(p_.b_type);
    o.c_type = Code(p_.c_type), o.d_type = Code(p_.d_type);
    o.bias_kind = static_cast<int>(p_.epilogue.bias);
    o.activation = static_cast<int>(p_.epilogue.activation);
    o.alpha = trial_.alpha, o.beta = trial_.beta;
    if (p_.scaling == Scaling::kBlock128) {
      const ScaleLayout s = ScaleLayoutOf(p_);
      o.block_a = args.scale_a, o.block_b = args.scale_b;
      o.block_a_batch = s.a_batch_stride, o.block_a_k = s.a_stride;
      o.block_b_batch = s.b_batch_stride, o.block_b_n = s.b_stride;
      return o;
    }
    o.scale_a = args.scale_a, o.scale_b = args.scale_b;
    o.scale_per_row_column = p_.scaling == Scaling::kPerRowColumn;
    return o;
  }

  GemmTrial trial_;
  GemmProblem p_;
};

}  // namespace

std::string RunTrial(const GemmTrial& trial, cudaStream_t stream,
                     bool as_graph) {
  return Runner(trial).Run(stream, as_graph);
}

}  // namespace tiletune::hopper
