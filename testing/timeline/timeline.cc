// timeline: a Chrome trace of one GEMM for each supply, with some of the SMs
// held by another kernel if asked for. Writes PREFIX_static.json and
// PREFIX_queue.json. Needs a GPU of compute capability 9.0.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autotune/command_line/shape.h"
#include "autotune/command_line/status_main.h"
#include "autotune/measure/co_tenant.h"
#include "autotune/measure/sm_holder.h"
#include "kernels/cuda_status.h"
#include "kernels/hopper/launcher.h"
#include "kernels/registry.h"
#include "kernels/tiling.h"
#include "kernels/timing/device_buffer.h"
#include "kernels/timing/operands.h"
#include "kernels/user_path.h"
#include "testing/timeline/chrome_trace.h"

ABSL_FLAG(std::string, shape, "4096x4096x4096", "M, N and K; bf16, TN");
ABSL_FLAG(int, busy, 12, "percentage of the SMs held by another kernel");
ABSL_FLAG(int, offset, 8, "SwizzleOffset of the order");
ABSL_FLAG(std::string, output, "timeline", "prefix of the files to write");

namespace tiletune {
namespace {

constexpr char kVariant[] = "sm90_16b_128x256x64_c2x1_s4_coop_";
// The first launches load the kernel and raise the clock.
constexpr int kLaunches = 20;

struct Bench {
  GemmProblem problem;
  DeviceFacts device;
  std::unique_ptr<Operands> operands;
  std::unique_ptr<CoTenant> tenant;  // null: a quiet GPU
  DeviceBuffer workspace;
  cudaStream_t stream = nullptr;
};

absl::StatusOr<Bench> Prepare() {
  Bench bench;
  const absl::StatusOr<Shape> shape = ParseShape(absl::GetFlag(FLAGS_shape));
  if (!shape.ok()) return shape.status();
  bench.problem.m = shape->m;
  bench.problem.n = shape->n;
  bench.problem.k = shape->k;
  bench.problem = Normalized(bench.problem);
  const absl::StatusOr<DeviceFacts> device = QueryDevice(0);
  if (!device.ok()) return device.status();
  bench.device = *device;
  // Not blocking: the co-tenant runs beside it.
  TILETUNE_RETURN_IF_CUDA_ERROR(
      cudaStreamCreateWithFlags(&bench.stream, cudaStreamNonBlocking));
  absl::StatusOr<std::unique_ptr<Operands>> operands =
      Operands::Create(bench.problem, bench.device, {}, bench.stream);
  if (!operands.ok()) return operands.status();
  bench.operands = *std::move(operands);
  absl::StatusOr<DeviceBuffer> workspace =
      DeviceBuffer::Allocate(kWorkspaceCounterBytes);
  if (!workspace.ok()) return workspace.status();
  bench.workspace = *std::move(workspace);
  TILETUNE_RETURN_IF_CUDA_ERROR(cudaMemsetAsync(
      bench.workspace.data(), 0, kWorkspaceCounterBytes, bench.stream));
  const int busy = absl::GetFlag(FLAGS_busy);
  if (busy > 0) {
    absl::StatusOr<std::unique_ptr<CoTenant>> tenant =
        CoTenant::Create(bench.device, busy);
    if (!tenant.ok()) return tenant.status();
    bench.tenant = *std::move(tenant);
  }
  return bench;
}

// The events of the last of some launches, each with the SMs held.
absl::StatusOr<std::vector<TileEvent>> Trace(const GemmConfig& config,
                                             Bench* bench) {
  std::optional<std::vector<TileEvent>> events;
  for (int i = 0; i < kLaunches; ++i) {
    TILETUNE_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(bench->stream));
    const absl::Status status = TakeBeside(bench->tenant.get(), [&] {
      const absl::Status launched = HopperLauncher().launch(
          bench->problem, config, bench->operands->arguments(i), bench->device,
          bench->workspace.data(), bench->stream);
      if (!launched.ok()) return launched;
      return CudaStatus(cudaStreamSynchronize(bench->stream), "the kernel");
    });
    if (!status.ok()) return status;
    events = TakeTileEvents();
    if (!events.has_value()) {
      return absl::InternalError("the events could not be read");
    }
  }
  return *std::move(events);
}

absl::Status Write(const std::string& supply, Bench* bench) {
  GemmConfig config;
  const std::string name = kVariant + supply;
  config.variant = FindVariant(name);
  config.swizzle_offset = absl::GetFlag(FLAGS_offset);
  if (config.variant == nullptr) {
    return absl::NotFoundError(absl::StrCat("no variant ", name));
  }
  absl::Status status = CheckLegal(bench->problem, config, bench->device);
  if (!status.ok()) return status;
  const std::optional<TileGrid> grid =
      ClusterTileGrid(bench->problem, *config.variant);
  const std::optional<Order> order =
      grid.has_value() ? MakeOrder(*grid, OrderOptionsOf(config))
                       : std::nullopt;
  if (!order.has_value()) return absl::InternalError("too many tiles");
  const absl::StatusOr<std::vector<TileEvent>> events = Trace(config, bench);
  if (!events.ok()) return events.status();
  const std::string path =
      UserPath(absl::StrCat(absl::GetFlag(FLAGS_output), "_", supply, ".json"));
  std::ofstream file(path);
  file << ChromeTrace(
      *events, *order, bench->device.sm_count,
      absl::StrCat(ConfigKey(config), ", ", ProblemKey(bench->problem), ", ",
                   absl::GetFlag(FLAGS_busy), " % held"));
  if (!file.flush()) return absl::DataLossError("cannot write " + path);
  const TimelineSummary s = Summarize(*events);
  std::printf(
      "%-6s %5zu tiles on %d SMs, %d to %d each: %.1f us, %.1f %% of it busy; "
      "%s\n",
      supply.c_str(), events->size(), s.sms, s.least_tiles, s.most_tiles,
      s.length_us, 100 * s.busy, path.c_str());
  return absl::OkStatus();
}

absl::Status Main() {
  absl::StatusOr<Bench> bench = Prepare();
  if (!bench.ok()) return bench.status();
  for (const char* supply : {"static", "queue"}) {
    const absl::Status status = Write(supply, &*bench);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  return tiletune::StatusMain(argc, argv, tiletune::Main);
}
