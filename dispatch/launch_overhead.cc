// launch_overhead: what the host pays for one GEMM, by how it is launched.
//
//   bazel run -c opt //dispatch:launch_overhead
//   bazel run -c opt //dispatch:launch_overhead -- --shape=16x4096x4096
//
// kernel      the kernel alone: what our launch was captured as, enqueued
//             again with its parameters as they are
// launch      LaunchGemm: checks, plan, tensor maps, kernel
// tuned       TunedGemm::Run of a problem that has a measured config
// untuned     TunedGemm::Run of one that has none, remembered
// lt cached   cuBLASLt with the algorithm at hand
// lt fresh    cuBLASLt as most callers use it: descriptors, one heuristic call,
//             matmul
//
// A time is the host's, for one call, in a row of calls that never fills the
// stream's queue; the GPU is waited for between rows.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "dispatch/captured_kernel.h"
#include "dispatch/tuned_gemm.h"
#include "kernels/cublaslt/cublaslt.h"
#include "kernels/cuda_status.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/timing/operands.h"

ABSL_FLAG(std::string, shape,
          "16x4096x4096,64x7168x2048,512x512x512,1024x1024x1024,"
          "2048x2048x2048",
          "MxNxK,..., bf16");
ABSL_FLAG(int, rounds, 200, "rows of each kind, taken in turn");
ABSL_FLAG(int, calls, 64, "calls in a row");
ABSL_FLAG(std::string, csv, "", "also write the rows to this file");

namespace tiletune {
namespace {

constexpr size_t kWorkspaceBytes = 64 << 20;

struct Contender {
  const char* name;
  std::function<absl::Status()> call;
  std::vector<double> ns = {};  // of a call, one entry a round
};

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * (values.size() - 1))];
}

absl::StatusOr<std::unique_ptr<TunedGemm>> OpenWith(std::vector<Pin> pins) {
  TunedGemmOptions options;
  options.user_database = "";
  options.system_database = "";
  options.shape_log = "";
  options.pins = std::move(pins);
  return TunedGemm::Open(std::move(options));
}

// One row: `calls` calls, then the wait that is not timed.
absl::Status TimeRow(int calls, cudaStream_t stream, Contender* contender) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i) {
    const absl::Status status = contender->call();
    if (!status.ok()) return status;
  }
  const std::chrono::duration<double, std::nano> spent = Clock::now() - begin;
  contender->ns.push_back(spent.count() / calls);
  return CudaStatus(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

class Comparison {
 public:
  Comparison(const GemmProblem& problem, cudaStream_t stream)
      : problem_(Normalized(problem)), stream_(stream) {}

  absl::Status Prepare() {
    absl::StatusOr<DeviceFacts> device = QueryDevice(0);
    if (!device.ok()) return device.status();
    device_ = *std::move(device);
    absl::StatusOr<GemmConfig> config = DefaultConfig(problem_, device_);
    if (!config.ok()) return config.status();
    config_ = *config;
    auto operands = Operands::Create(problem_, device_, {}, stream_);
    if (!operands.ok()) return operands.status();
    operands_ = *std::move(operands);
    arguments_ = operands_->arguments(0);
    auto workspace = DeviceBuffer::Allocate(kWorkspaceBytes);
    if (!workspace.ok()) return workspace.status();
    workspace_ = *std::move(workspace);
    absl::Status status = workspace_.Fill(0, stream_);
    if (status.ok()) status = AddOurs();
    if (status.ok()) status = AddCublasLt();
    return status;
  }

  absl::Status Time(int rounds, int calls) {
    for (int round = 0; round < rounds; ++round) {
      for (Contender& contender : contenders_) {
        const absl::Status status = TimeRow(calls, stream_, &contender);
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  void Print(std::FILE* csv) const {
    const double kernel = Quantile(contenders_[0].ns, 0.5);
    std::printf("%s, %s\n", ProblemKey(problem_).c_str(),
                ConfigKey(config_).c_str());
    std::printf("  %-10s %9s %9s %9s %12s\n", "", "p10 ns", "median ns",
                "p90 ns", "over kernel");
    for (const Contender& c : contenders_) {
      const double median = Quantile(c.ns, 0.5);
      std::printf("  %-10s %9.0f %9.0f %9.0f %+12.0f\n", c.name,
                  Quantile(c.ns, 0.1), median, Quantile(c.ns, 0.9),
                  median - kernel);
      if (csv == nullptr) continue;
      std::fprintf(csv, "\"%s\",\"%s\",%s,%.0f,%.0f,%.0f,%.0f\n",
                   ProblemKey(problem_).c_str(), ConfigKey(config_).c_str(),
                   c.name, Quantile(c.ns, 0.1), median, Quantile(c.ns, 0.9),
                   median - kernel);
    }
  }

 private:
  absl::Status Launch(cudaStream_t stream) const {
    return LaunchGemm(problem_, config_, arguments_, device_, workspace_.data(),
                      kWorkspaceBytes, stream);
  }

  absl::Status AddOurs() {
    // Once outside the capture: what a first launch sets up stays set.
    absl::Status status = Launch(stream_);
    if (!status.ok()) return status;
    auto kernel = CapturedKernel::Capture(
        [this](cudaStream_t stream) { return Launch(stream); }, stream_);
    if (!kernel.ok()) return kernel.status();
    kernel_ = *std::move(kernel);
    auto tuned = OpenWith({{problem_, ConfigKey(config_)}});
    if (!tuned.ok()) return tuned.status();
    tuned_ = *std::move(tuned);
    auto untuned = OpenWith({});
    if (!untuned.ok()) return untuned.status();
    untuned_ = *std::move(untuned);
    contenders_ = {
        {"kernel", [this] { return kernel_->Launch(stream_); }},
        {"launch", [this] { return Launch(stream_); }},
        {"tuned", [this] { return Run(tuned_.get()); }},
        {"untuned", [this] { return Run(untuned_.get()); }},
    };
    return absl::OkStatus();
  }

  absl::Status Run(TunedGemm* gemm) const {
    return gemm->Run(problem_, arguments_, workspace_.data(), kWorkspaceBytes,
                     stream_);
  }

  // Without cuBLASLt the comparison goes on without it.
  absl::Status AddCublasLt() {
    auto cached = CublasLtMatmul::Create(problem_, kWorkspaceBytes, 1);
    if (!cached.ok()) {
      std::fprintf(stderr, "without cuBLASLt: %s\n",
                   cached.status().ToString().c_str());
      return absl::OkStatus();
    }
    cached_ = *std::move(cached);
    const auto launch = [this](const CublasLtMatmul& matmul) {
      return matmul.Launch(0, arguments_, workspace_.data(), stream_);
    };
    contenders_.push_back(
        {"lt cached", [this, launch] { return launch(*cached_); }});
    contenders_.push_back({"lt fresh", [this, launch]() -> absl::Status {
                             auto fresh = CublasLtMatmul::Create(
                                 problem_, kWorkspaceBytes, 1);
                             if (!fresh.ok()) return fresh.status();
                             return launch(**fresh);
                           }});
    return absl::OkStatus();
  }

  const GemmProblem problem_;
  const cudaStream_t stream_;
  DeviceFacts device_;
  GemmConfig config_;
  std::unique_ptr<Operands> operands_;
  DeviceBuffer workspace_;
  GemmArguments arguments_;
  std::unique_ptr<CapturedKernel> kernel_;
  std::unique_ptr<TunedGemm> tuned_, untuned_;
  std::unique_ptr<CublasLtMatmul> cached_;
  std::vector<Contender> contenders_;
};

absl::StatusOr<std::vector<GemmProblem>> Problems() {
  std::vector<GemmProblem> problems;
  const std::string shapes = absl::GetFlag(FLAGS_shape);
  for (const std::string& shape :
       std::vector<std::string>(absl::StrSplit(shapes, ','))) {
    const std::vector<std::string> sizes = absl::StrSplit(shape, 'x');
    GemmProblem p;
    if (sizes.size() != 3 || !absl::SimpleAtoi(sizes[0], &p.m) ||
        !absl::SimpleAtoi(sizes[1], &p.n) ||
        !absl::SimpleAtoi(sizes[2], &p.k)) {
      return absl::InvalidArgumentError("--shape needs MxNxK, not " + shape);
    }
    problems.push_back(p);
  }
  return problems;
}

absl::Status RunAll() {
  const absl::StatusOr<std::vector<GemmProblem>> problems = Problems();
  if (!problems.ok()) return problems.status();
  const std::string path = absl::GetFlag(FLAGS_csv);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> csv(
      path.empty() ? nullptr : std::fopen(path.c_str(), "w"), &std::fclose);
  if (!path.empty() && csv == nullptr) {
    return absl::UnavailableError("cannot write " + path);
  }
  if (csv != nullptr) {
    std::fputs("problem,config,how,p10_ns,median_ns,p90_ns,over_kernel_ns\n",
               csv.get());
  }
  cudaStream_t stream = nullptr;
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const GemmProblem& problem : *problems) {
    Comparison comparison(problem, stream);
    absl::Status status = comparison.Prepare();
    if (status.ok()) {
      status = comparison.Time(absl::GetFlag(FLAGS_rounds),
                               absl::GetFlag(FLAGS_calls));
    }
    if (!status.ok()) return status;
    comparison.Print(csv.get());
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("Host time of a launch, by how it is made.");
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = tiletune::RunAll();
  if (status.ok()) return 0;
  std::fprintf(stderr, "launch_overhead: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
