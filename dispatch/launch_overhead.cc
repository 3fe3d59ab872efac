// launch_overhead: what the host pays for one GEMM, by how it is launched.
//
//   bazel run -c opt //dispatch:launch_overhead
//   bazel run -c opt //dispatch:launch_overhead -- --shape=16x4096x4096
//
// kernel       the kernel alone: what our launch was captured as, enqueued
//              again with its parameters and attributes as they are
// launch       LaunchGemm
// prepared     PreparedGemm::Launch
// tuned        TunedGemm::Run of a problem that has a measured config
// untuned      TunedGemm::Run of one that has none, remembered
// c            tiletune_run of the same
// 64 kernels   as `kernel`, for 64 sets of operands in turn; so 64 launches
//              (LaunchGemm) and 64 tuned (TunedGemm::Run)
// new launch   LaunchGemm with operands it has not seen lately
// new prepared PreparedGemm::SetArguments, then Launch
// lt cached    cuBLASLt with the algorithm at hand
// lt fresh     cuBLASLt as most callers use it: descriptors, one heuristic
//              call, matmul
//
// A time is the host's, for one call, in a row of calls that never fills the
// stream's queue; the GPU is waited for between rows, and a few calls before a
// row are not timed. Rows of all kinds are taken in turn, in another order each
// time. Each is compared with the kernel alone on as many sets of operands.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
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
#include "dispatch/tuned_gemm_c.h"
#include "kernels/cublaslt/cublaslt.h"
#include "kernels/cuda_status.h"
#include "kernels/gemm.h"
#include "kernels/prepared_gemm.h"
#include "kernels/registry.h"
#include "kernels/timing/device_buffer.h"

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
constexpr int kSets = 64;
constexpr int kWarmUps = 8;
// Four times what a thread keeps of launches.
constexpr int kNewSets = 4096;
constexpr size_t kSetBytes = 16;  // from one set's operands to the next one's

struct Contender {
  const char* name;
  std::function<absl::Status()> call;
  size_t floor = 0;             // the contender that is the kernel alone
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

// One row: calls that warm up, `calls` calls, then the wait that is not timed.
absl::Status TimeRow(int calls, cudaStream_t stream, Contender* contender) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin;
  for (int i = -kWarmUps; i < calls; ++i) {
    if (i == 0) begin = Clock::now();
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
  ~Comparison() { tiletune_close(c_); }

  absl::Status Prepare() {
    absl::StatusOr<DeviceFacts> device = QueryDevice(0);
    if (!device.ok()) return device.status();
    device_ = *std::move(device);
    absl::StatusOr<GemmConfig> config = DefaultConfig(problem_, device_);
    if (!config.ok()) return config.status();
    config_ = *config;
    absl::Status status = Allocate(problem_.m * problem_.k * 2, &a_);
    if (status.ok()) status = Allocate(problem_.n * problem_.k * 2, &b_);
    if (status.ok()) status = Allocate(problem_.m * problem_.n * 2, &d_);
    if (status.ok()) status = Allocate(kWorkspaceBytes, &workspace_);
    if (status.ok()) status = Allocate(kWorkspaceBytes, &cublaslt_workspace_);
    if (status.ok()) status = AddOurs();
    if (status.ok()) status = AddThoseOfC();
    if (status.ok()) status = AddManySets();
    if (status.ok()) status = AddCublasLt();
    return status;
  }

  absl::Status Time(int rounds, int calls) {
    std::vector<Contender*> order;
    for (Contender& contender : contenders_) order.push_back(&contender);
    std::minstd_rand random(1);
    for (int round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (Contender* contender : order) {
        const absl::Status status = TimeRow(calls, stream_, contender);
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  void Print(std::FILE* csv) const {
    std::printf("%s, %s\n", ProblemKey(problem_).c_str(),
                ConfigKey(config_).c_str());
    std::printf("  %-12s %9s %9s %9s %12s\n", "", "p10 ns", "median ns",
                "p90 ns", "over kernel");
    for (const Contender& c : contenders_) {
      const double median = Quantile(c.ns, 0.5);
      const double over = median - Quantile(contenders_[c.floor].ns, 0.5);
      std::printf("  %-12s %9.0f %9.0f %9.0f %+12.0f\n", c.name,
                  Quantile(c.ns, 0.1), median, Quantile(c.ns, 0.9), over);
      if (csv == nullptr) continue;
      std::fprintf(csv, "\"%s\",\"%s\",%s,%.0f,%.0f,%.0f,%.0f\n",
                   ProblemKey(problem_).c_str(), ConfigKey(config_).c_str(),
                   c.name, Quantile(c.ns, 0.1), median, Quantile(c.ns, 0.9),
                   over);
    }
  }

 private:
  absl::Status Allocate(int64_t bytes, DeviceBuffer* buffer) {
    auto allocated = DeviceBuffer::Allocate(static_cast<size_t>(bytes) +
                                            kNewSets * kSetBytes);
    if (!allocated.ok()) return allocated.status();
    *buffer = *std::move(allocated);
    return buffer->Fill(0, stream_);
  }

  // Sets overlap: only their addresses matter here.
  GemmArguments Set(int set) const {
    const size_t offset = set * kSetBytes;
    GemmArguments arguments;
    arguments.a = static_cast<char*>(a_.data()) + offset;
    arguments.b = static_cast<char*>(b_.data()) + offset;
    arguments.d = static_cast<char*>(d_.data()) + offset;
    return arguments;
  }

  absl::Status Launch(int set, cudaStream_t stream) const {
    return LaunchGemm(problem_, config_, Set(set), device_, workspace_.data(),
                      kWorkspaceBytes, stream);
  }

  absl::Status Run(TunedGemm* gemm, int set) const {
    return gemm->Run(problem_, Set(set), workspace_.data(), kWorkspaceBytes,
                     stream_);
  }

  // Turns from 0 to count - 1, again and again.
  static int Next(int count, int* turn) {
    *turn = *turn + 1 == count ? 0 : *turn + 1;
    return *turn;
  }

  absl::Status AddOurs() {
    for (int set = 0; set < kSets; ++set) {
      auto kernel = CapturedKernel::Capture(
          [&](cudaStream_t stream) { return Launch(set, stream); },
          config_.dependent_launch, stream_);
      if (!kernel.ok()) return kernel.status();
      kernels_.push_back(*std::move(kernel));
    }
    auto prepared = PreparedGemm::Prepare(problem_, config_, Set(0), device_,
                                          workspace_.data(), kWorkspaceBytes);
    if (!prepared.ok()) return prepared.status();
    prepared_ = *prepared;
    auto tuned = OpenWith({{problem_, ConfigKey(config_)}});
    if (!tuned.ok()) return tuned.status();
    tuned_ = *std::move(tuned);
    auto untuned = OpenWith({});
    if (!untuned.ok()) return untuned.status();
    untuned_ = *std::move(untuned);
    Add("kernel", 0, [this] { return kernels_[0]->Launch(stream_); });
    Add("launch", 0, [this] { return Launch(0, stream_); });
    Add("prepared", 0, [this] { return prepared_.Launch(stream_); });
    Add("tuned", 0, [this] { return Run(tuned_.get(), 0); });
    Add("untuned", 0, [this] { return Run(untuned_.get(), 0); });
    return absl::OkStatus();
  }

  absl::Status AddThoseOfC() {
    tiletune_options options;
    tiletune_options_init(&options);
    options.user_database = options.system_database = "";
    if (tiletune_open(&options, &c_) != TILETUNE_OK) {
      return absl::InternalError(tiletune_error());
    }
    tiletune_problem_init(&c_problem_);
    c_problem_.m = problem_.m;
    c_problem_.n = problem_.n;
    c_problem_.k = problem_.k;
    const GemmArguments arguments = Set(0);
    tiletune_arguments_init(&c_arguments_);
    c_arguments_.a = arguments.a;
    c_arguments_.b = arguments.b;
    c_arguments_.d = arguments.d;
    Add("c", 0, [this] {
      return tiletune_run(c_, &c_problem_, &c_arguments_, workspace_.data(),
                          kWorkspaceBytes, stream_, nullptr) == TILETUNE_OK
                 ? absl::OkStatus()
                 : absl::InternalError(tiletune_error());
    });
    return absl::OkStatus();
  }

  absl::Status AddManySets() {
    const size_t floor = contenders_.size();
    Add("64 kernels", floor, [this, set = 0]() mutable {
      return kernels_[Next(kSets, &set)]->Launch(stream_);
    });
    Add("64 launches", floor, [this, set = 0]() mutable {
      return Launch(Next(kSets, &set), stream_);
    });
    Add("64 tuned", floor, [this, set = 0]() mutable {
      return Run(tuned_.get(), Next(kSets, &set));
    });
    Add("new launch", floor, [this, set = 0]() mutable {
      return Launch(Next(kNewSets, &set), stream_);
    });
    renewed_ = prepared_;
    Add("new prepared", floor, [this, set = 0]() mutable {
      const absl::Status set_to =
          renewed_.SetArguments(Set(Next(kNewSets, &set)));
      return set_to.ok() ? renewed_.Launch(stream_) : set_to;
    });
    return absl::OkStatus();
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
      return matmul.Launch(0, Set(0), cublaslt_workspace_.data(), stream_);
    };
    Add("lt cached", 0, [this, launch] { return launch(*cached_); });
    Add("lt fresh", 0, [this, launch]() -> absl::Status {
      auto fresh = CublasLtMatmul::Create(problem_, kWorkspaceBytes, 1);
      if (!fresh.ok()) return fresh.status();
      return launch(**fresh);
    });
    return absl::OkStatus();
  }

  void Add(const char* name, size_t floor, std::function<absl::Status()> call) {
    contenders_.push_back({name, std::move(call), floor});
  }

  const GemmProblem problem_;
  const cudaStream_t stream_;
  DeviceFacts device_;
  GemmConfig config_;
  DeviceBuffer a_, b_, d_;
  DeviceBuffer workspace_;           // ours alone: workspace.h
  DeviceBuffer cublaslt_workspace_;  // which anything may be left in
  std::vector<std::unique_ptr<CapturedKernel>> kernels_;  // of each set
  PreparedGemm prepared_, renewed_;
  std::unique_ptr<TunedGemm> tuned_, untuned_;
  tiletune_gemm* c_ = nullptr;
  tiletune_problem c_problem_;
  tiletune_arguments c_arguments_;
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
