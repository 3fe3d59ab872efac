// Speed of the emulator: a 1024^3 bf16 GEMM, and plain warp instructions.
//   bazel run -c opt //testing/emulator:emulator_benchmark
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "testing/emulator/device.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {
namespace {

constexpr int kSize = 1024;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<uint8_t> Map(uint64_t address) {
  TensorMap map;
  map.type = TensorMapType::kBf16;
  map.rank = 2;
  map.address = address;
  map.dims = {kSize, kSize};
  map.strides = {kSize * 2};
  map.box = {64, 128};
  map.swizzle = Swizzle::k128;
  std::vector<uint8_t> bytes(kTensorMapBytes);
  EncodeTensorMap(map, bytes.data());
  return bytes;
}

void TensorGemm(benchmark::State& state, Checks checks) {
  Device device;
  auto module =
      device.Load(ReadFile("testing/emulator/testdata/tensor_gemm.ptx"));
  if (!module.ok()) {
    state.SkipWithError("cannot load tensor_gemm.ptx");
    return;
  }
  std::vector<uint16_t> operand(kSize * kSize, EncodeBf16(1.0f));
  uint64_t a = device.memory().Allocate(operand.size() * 2, "a");
  uint64_t b = device.memory().Allocate(operand.size() * 2, "b");
  uint64_t d = device.memory().Allocate(operand.size() * 4, "d");
  device.memory().Write(a, operand.data(), operand.size() * 2);
  device.memory().Write(b, operand.data(), operand.size() * 2);
  Launch launch;
  launch.module = *module;
  launch.entry = "tensor_gemm";
  launch.grid = {kSize / 128, kSize / 128, 1};
  launch.block = {128, 1, 1};
  launch.dynamic_shared = 4 * 32768;
  launch.Add(Map(a).data(), kTensorMapBytes);
  launch.Add(Map(b).data(), kTensorMapBytes);
  launch.Add(d).Add(kSize).Add(kSize).Add(kSize);
  RunOptions options;
  options.checks = checks;
  for (auto _ : state) {
    auto result = device.Run(launch, options);
    if (!result.ok() || !result->Clean()) state.SkipWithError("run failed");
  }
}

void HardwareChecks(benchmark::State& state) {
  TensorGemm(state, Checks::kHardware);
}
BENCHMARK(HardwareChecks)->Unit(benchmark::kMillisecond);

void StrictChecks(benchmark::State& state) {
  TensorGemm(state, Checks::kStrict);
}
BENCHMARK(StrictChecks)->Unit(benchmark::kMillisecond);

// An integer loop on full warps; items are warp instructions.
void WarpInstructions(benchmark::State& state) {
  Device device;
  auto module = device.Load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k() { .reg .b32 %r<8>; .reg .pred %p;\n"
      "mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n"
      "L: mad.lo.u32 %r1, %r1, 1664525, 1013904223; xor.b32 %r3, %r1, %r2;\n"
      "shr.u32 %r4, %r3, 7; add.u32 %r5, %r4, %r3; add.u32 %r2, %r2, 1;\n"
      "setp.lt.u32 %p, %r2, 20000; @%p bra L; ret; }");
  if (!module.ok()) {
    state.SkipWithError("cannot load the loop");
    return;
  }
  Launch launch;
  launch.module = *module;
  launch.entry = "k";
  launch.block = {128, 1, 1};
  uint64_t instructions = 0;
  for (auto _ : state) {
    auto result = device.Run(launch, RunOptions{});
    instructions += result->warp_instructions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}
BENCHMARK(WarpInstructions)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tiletune::emulator

BENCHMARK_MAIN();
