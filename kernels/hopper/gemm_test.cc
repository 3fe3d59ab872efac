// Every linked Hopper kernel on a real GPU, exactly, on small integers: their
// products and sums are exact in fp32, so a right kernel gives the same bits as
// the oracle whatever the order of summation.
//
// A kernel that hangs is killed by a deadline (TILETUNE_TEST_SECONDS, 120 by
// default), which names the test that was running.
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/hopper/gemm_oracle.h"
#include "kernels/hopper/launcher.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune::hopper {
namespace {

constexpr uint8_t kPoison = 0xff;  // NaN in every type

// Why this machine cannot run the test; empty if it can.
std::string MissingGpu() {
  cudaDeviceProp properties;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    return "no CUDA device";
  }
  if (properties.major != 9 || properties.minor != 0) {
    return "the device is no Hopper GPU";
  }
  return "";
}

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

struct Trial {
  GemmProblem problem;
  GemmConfig config;
  float alpha = 1;
  float beta = 0;
  bool in_place = false;
  bool c_is_nan = false;
  bool scalars_on_device = false;
  float tolerance = 0;
  int magnitude = 2;
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
  explicit Runner(const Trial& trial)
      : trial_(trial), p_(Normalized(trial.problem)) {}

  std::string Run(cudaStream_t stream = nullptr, bool capture = false) {
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
    Buffer scalars(8), scale_a(4 * p_.m), scale_b(4 * p_.n);
    FillIntegers(a.at(shift), Code(p_.a_type), a_elements, 1, trial_.magnitude);
    FillIntegers(b.at(shift), Code(p_.b_type), b_elements, 2, trial_.magnitude);
    if (trial_.c_is_nan) {
      cudaMemset(c.at(), kPoison, c.bytes());
    } else {
      FillIntegers(c.at(shift), Code(p_.c_type), c_elements, 3, 8);
    }
    FillIntegers(bias.at(), Code(p_.d_type), p_.m + p_.n, 4, 8);
    FillIntegers(scale_a.at(), Code(DataType::kFp32), p_.m, 5, 2);
    FillIntegers(scale_b.at(), Code(DataType::kFp32), p_.n, 6, 2);
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
    Buffer workspace(family.workspace_bytes(p_, trial_.config, facts), kPoison);
    if (cudaDeviceSynchronize() != cudaSuccess) return "setting up failed";

    const std::string launched =
        Launch(family, args, facts, workspace.at(), stream, capture);
    if (!launched.empty()) return launched;
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) return cudaGetErrorName(error);

    const int64_t wrong =
        CountWrong(Oracle(args, c.at(shift)), trial_.tolerance);
    if (wrong != 0) return std::to_string(wrong) + " elements are wrong";
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
    o.scale_a = args.scale_a, o.scale_b = args.scale_b;
    o.scale_per_row_column = p_.scaling == Scaling::kPerRowColumn;
    return o;
  }

  Trial trial_;
  GemmProblem p_;
};

class HopperGemm : public testing::TestWithParam<const KernelVariant*> {
 protected:
  void SetUp() override {
    const std::string missing = MissingGpu();
    if (!missing.empty()) {
      if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) FAIL() << missing;
      GTEST_SKIP() << missing;
    }
    const char* seconds = std::getenv("TILETUNE_TEST_SECONDS");
    std::signal(SIGALRM, [](int) {
      static const char kMessage[] = "deadline passed: a kernel hangs\n";
      if (write(2, kMessage, sizeof(kMessage) - 1) < 0) _exit(4);
      _exit(3);
    });
    alarm(seconds != nullptr ? std::atoi(seconds) : 120);
  }
  void TearDown() override { alarm(0); }

  const KernelVariant& variant() const { return *GetParam(); }
  bool is_fp8() const { return variant().operand_bits == 8; }
  DataType type() const {
    return is_fp8() ? DataType::kFp8E4m3 : DataType::kBf16;
  }

  Trial Make(int64_t m, int64_t n, int64_t k, Layout layout = Layout::kTN) {
    Trial t;
    t.problem.m = m;
    t.problem.n = n;
    t.problem.k = k;
    t.problem.layout = layout;
    t.problem.a_type = t.problem.b_type = type();
    t.config.variant = &variant();
    t.config.swizzle_offset = 2;
    return t;
  }

  void Expect(const Trial& trial) {
    const GemmProblem p = Normalized(trial.problem);
    EXPECT_EQ(Runner(trial).Run(), "")
        << ProblemKey(p) << "  " << ConfigKey(trial.config);
  }

  // Three tiles or so each way, with tails.
  int64_t SomeM() const {
    return variant().swaps_operands ? 2 * variant().tile_n + 3
                                    : 2 * variant().tile_m + 40;
  }
  int64_t SomeN() const {
    return variant().swaps_operands ? 2 * variant().tile_m + 40
                                    : 2 * variant().tile_n + 24;
  }
};

constexpr Layout kLayouts[] = {Layout::kTN, Layout::kNN, Layout::kNT,
                               Layout::kTT};

TEST_P(HopperGemm, TakesEveryLayoutAndType) {
  const std::vector<DataType> types =
      is_fp8() ? std::vector<DataType>{DataType::kFp8E4m3, DataType::kFp8E5m2}
               : std::vector<DataType>{DataType::kBf16, DataType::kFp16};
  for (Layout layout : kLayouts) {
    for (DataType a : types) {
      for (DataType b : types) {
        if (!is_fp8() && a != b) continue;
        Trial t = Make(SomeM(), SomeN(), 264, layout);
        t.problem.a_type = a;
        t.problem.b_type = b;
        t.problem.d_type = a == DataType::kFp16 ? a : DataType::kBf16;
        Expect(t);
      }
    }
  }
}

TEST_P(HopperGemm, TakesAnySize) {
  const int64_t tile_k = variant().tile_k;
  for (int64_t k : {int64_t{0}, int64_t{1}, int64_t{8}, tile_k, tile_k + 1,
                    9 * tile_k, 20 * tile_k + 16}) {
    Expect(Make(SomeM(), SomeN(), k));
  }
  for (int64_t size : {1, 2, 7, 8, 63, 64, 65, 129}) {
    Expect(Make(size, SomeN(), 200));
    Expect(Make(SomeM(), size, 200));
    Expect(Make(size, size, size));
    Expect(Make(size, 3 * size, 2 * size, Layout::kNT));
  }
}

TEST_P(HopperGemm, TakesManyTiles) {
  Trial t = Make(SomeM() * 6, SomeN() * 6, 136);
  for (uint32_t offset : {1u, 3u, 8u, 1000000u}) {
    for (SwizzleDirection direction :
         {SwizzleDirection::kZn, SwizzleDirection::kNz}) {
      t.config.swizzle_offset = offset;
      t.config.swizzle_direction = direction;
      Expect(t);
    }
  }
  // Several tiles and several laps of the ring for each of a few CTAs.
  t.problem.k = 21 * variant().tile_k + 8;
  t.config.swizzle_offset = 3;
  Expect(t);
  t.config.max_sms = 5 * variant().cluster_m * variant().cluster_n;
  Expect(t);
  t.config.dependent_launch = true;
  Expect(t);
}

TEST_P(HopperGemm, WritesEveryOutputTypeThroughEveryEpilogue) {
  for (DataType d : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
    for (int64_t extra : {0, 1, 8}) {
      Trial t = Make(SomeM(), SomeN() + extra, 72);
      t.problem.d_type = d;
      t.alpha = 2;
      Expect(t);
      t.problem.epilogue.reads_c = true;
      t.problem.c_type = d == DataType::kFp32 ? DataType::kBf16 : d;
      t.beta = -1;
      t.scalars_on_device = true;
      Expect(t);
      t.scalars_on_device = false;
      t.problem.epilogue.activation = Activation::kRelu;
      for (Bias bias : {Bias::kPerRow, Bias::kPerColumn}) {
        t.problem.epilogue.bias = bias;
        Expect(t);
      }
    }
  }
}

TEST_P(HopperGemm, AppliesSmoothActivations) {
  for (Activation activation : {Activation::kGelu, Activation::kSilu}) {
    Trial t = Make(SomeM(), SomeN(), 40);
    t.problem.d_type = DataType::kFp32;
    t.problem.epilogue.activation = activation;
    t.alpha = 0.125f;
    t.tolerance = 1e-5f;
    Expect(t);
  }
}

TEST_P(HopperGemm, AppliesScales) {
  if (!is_fp8()) GTEST_SKIP() << "scales are for 8-bit operands";
  for (Scaling scaling : {Scaling::kPerTensor, Scaling::kPerRowColumn}) {
    Trial t = Make(SomeM(), SomeN(), 256);
    t.problem.scaling = scaling;
    Expect(t);
    t.problem.epilogue.reads_c = true;
    t.beta = 1;
    t.config.split_k = 2;
    Expect(t);
  }
}

TEST_P(HopperGemm, UpdatesCInPlaceAndNeverReadsItWhenBetaIsZero) {
  Trial t = Make(SomeM(), SomeN(), 72);
  t.problem.epilogue.reads_c = true;
  t.in_place = true;
  t.beta = 3;
  Expect(t);
  t.c_is_nan = true;
  t.beta = 0;
  Expect(t);
  t.scalars_on_device = true;
  Expect(t);
}

TEST_P(HopperGemm, TakesPaddedAndMisalignedOperands) {
  for (Layout layout : kLayouts) {
    Trial t = Make(SomeM() + 1, SomeN() + 1, 137, layout);
    Expect(t);
    t.problem.lda = 1024 + 8;
    t.problem.ldb = 1024 + 16;
    t.problem.ldd = 1024 + 24;
    Expect(t);
    t.problem.pointer_alignment = is_fp8() ? 8 : 2;
    Expect(t);
  }
}

TEST_P(HopperGemm, RunsBatches) {
  for (Layout layout : {Layout::kTN, Layout::kNT}) {
    Trial t = Make(SomeM(), SomeN(), 136, layout);
    t.problem.batch = 3;
    Expect(t);
    t.problem.batch_stride_b = 0;
    Expect(t);
    t.problem.batch_stride_a = 0;
    t.problem.batch_stride_b = kPacked;
    Expect(t);
    t.problem.m += 1;
    t.problem.n += 1;
    Expect(t);
  }
}

TEST_P(HopperGemm, SplitsK) {
  const int64_t k = 11 * variant().tile_k + 8;
  for (uint32_t split : {2u, 3u, 11u}) {
    Trial t = Make(SomeM(), SomeN(), k);
    t.config.split_k = split;
    Expect(t);
    t.problem.batch = 2;
    t.problem.d_type = DataType::kFp32;
    t.problem.epilogue.bias = Bias::kPerColumn;
    Expect(t);
  }
}

TEST_P(HopperGemm, SplitsOnlyTheTilesOfTheLastWave) {
  Trial t = Make(SomeM() * 3, SomeN() * 2, 9 * variant().tile_k);
  t.config.max_sms = 5 * variant().cluster_m * variant().cluster_n;
  for (uint32_t split : {2u, 4u}) {
    t.config.split_k = split;
    Expect(t);
  }
}

TEST_P(HopperGemm, RunsInGraphsAndOnStreams) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
            cudaSuccess);
  for (uint32_t split : {1u, 4u}) {
    Trial t = Make(SomeM() * 3, SomeN() * 3, 8 * variant().tile_k);
    t.config.split_k = split;
    EXPECT_EQ(Runner(t).Run(stream, /*capture=*/true), "");
    t.problem.k += 1;  // repacked
    EXPECT_EQ(Runner(t).Run(stream, /*capture=*/true), "");
  }
  cudaStreamDestroy(stream);
}

std::vector<const KernelVariant*> LinkedVariants() {
  std::vector<const KernelVariant*> linked;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kHopper &&
        HopperLauncher().is_linked(v)) {
      linked.push_back(&v);
    }
  }
  return linked;
}

INSTANTIATE_TEST_SUITE_P(
    All, HopperGemm, testing::ValuesIn(LinkedVariants()),
    [](const testing::TestParamInfo<const KernelVariant*>& info) {
      return std::string(info.param->name);
    });

TEST(HopperVariants, AreAllLinked) {
  size_t hopper = 0;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture == Architecture::kHopper) ++hopper;
  }
  EXPECT_EQ(LinkedVariants().size(), hopper);
  EXPECT_GT(hopper, 0u);
}

}  // namespace
}  // namespace tiletune::hopper
