// A TMA + mbarrier + tcgen05 GEMM, compiled by nvcc to PTX, gives the right
// numbers whatever the interleaving.
#include "testing/emulator/device.h"

#include <atomic>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/formats.h"
#include "testing/emulator/engines/tensor_map.h"

namespace tiletune::emulator {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Small integers: every sum is exact in fp32.
std::vector<uint16_t> SmallIntegers(size_t count, uint32_t seed) {
  std::vector<uint16_t> values(count);
  for (uint16_t& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = EncodeBf16(static_cast<float>(static_cast<int>(seed >> 28) - 8));
  }
  return values;
}

std::vector<uint8_t> OperandMap(uint64_t address, int rows, int k,
                                uint32_t box_rows) {
  TensorMap map;
  map.type = TensorMapType::kBf16;
  map.rank = 2;
  map.address = address;
  map.dims = {static_cast<uint64_t>(k), static_cast<uint64_t>(rows)};
  map.strides = {static_cast<uint64_t>(k) * 2};
  map.box = {64, box_rows};
  map.swizzle = Swizzle::k128;
  std::vector<uint8_t> bytes(kTensorMapBytes);
  EncodeTensorMap(map, bytes.data());
  return bytes;
}

struct Problem {
  int m;
  int n;
  int k;
};

// tensor_gemm (tcgen05, 128x128 tiles, bounds m and n) or warpgroup_gemm
// (wgmma, 64x64 tiles, whole tiles only).
void ExpectRight(const std::string& kernel, const Problem& p, uint64_t seed,
                 Checks checks) {
  const bool tensor = kernel == "tensor_gemm";
  const int tile = tensor ? 128 : 64;
  Device device;
  auto module =
      device.Load(ReadFile("testing/emulator/testdata/" + kernel + ".ptx"));
  ASSERT_TRUE(module.ok()) << module.status().message();
  auto a = SmallIntegers(static_cast<size_t>(p.m) * p.k, 1);
  auto b = SmallIntegers(static_cast<size_t>(p.n) * p.k, 2);
  std::vector<float> d(static_cast<size_t>(p.m) * p.n);
  GlobalMemory& memory = device.memory();
  uint64_t a_address = memory.Allocate(a.size() * 2, "a");
  uint64_t b_address = memory.Allocate(b.size() * 2, "b");
  uint64_t d_address = memory.Allocate(d.size() * 4, "d");
  memory.Write(a_address, a.data(), a.size() * 2);
  memory.Write(b_address, b.data(), b.size() * 2);
  Launch launch;
  launch.module = *module;
  launch.entry = kernel;
  launch.grid = {static_cast<uint32_t>((p.m + tile - 1) / tile),
                 static_cast<uint32_t>((p.n + tile - 1) / tile), 1};
  launch.block = {128, 1, 1};
  launch.dynamic_shared = tensor ? 4 * 32768 : 0;
  auto a_map = OperandMap(a_address, p.m, p.k, tile);
  auto b_map = OperandMap(b_address, p.n, p.k, tile);
  launch.Add(a_map.data(), a_map.size()).Add(b_map.data(), b_map.size());
  launch.Add(d_address);
  if (tensor) launch.Add(p.m);
  launch.Add(p.n).Add(p.k);
  RunOptions options;
  options.seed = seed;
  options.checks = checks;
  auto result = device.Run(launch, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  for (const Finding& finding : result->findings) {
    ADD_FAILURE() << ToString(finding);
  }
  ASSERT_TRUE(memory.Read(d_address, d.data(), d.size() * 4));
  for (int i = 0; i < p.m; i += 3) {
    for (int j = 0; j < p.n; j += 5) {
      float sum = 0;
      for (int k = 0; k < p.k; ++k) {
        sum += DecodeBf16(a[static_cast<size_t>(i) * p.k + k]) *
               DecodeBf16(b[static_cast<size_t>(j) * p.k + k]);
      }
      ASSERT_EQ(sum, d[static_cast<size_t>(i) * p.n + j]) << i << "," << j;
    }
  }
}

TEST(Device, RunsATensorCoreGemmWhateverTheSeed) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    ExpectRight("tensor_gemm", {256, 384, 320}, seed, Checks::kStrict);
  }
}

TEST(Device, RunsAGemmWithPartialTiles) {
  ExpectRight("tensor_gemm", {200, 136, 128}, 1, Checks::kHardware);
}

TEST(Device, RunsAHopperGemmWhateverTheSeed) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    ExpectRight("warpgroup_gemm", {128, 192, 256}, seed, Checks::kHardware);
  }
}

TEST(Device, RunsTheSameWayForTheSameSeed) {
  // Steps are a fingerprint of the interleaving.
  uint64_t steps[2] = {0, 0};
  for (uint64_t& count : steps) {
    Device device;
    auto module = device.Load(
        ".version 9.0\n.target sm_100a\n.address_size 64\n"
        ".visible .entry k() { .reg .b32 %r<3>; mov.u32 %r1, %tid.x;\n"
        "bar.sync 0; add.s32 %r2, %r1, 1; ret; }");
    ASSERT_TRUE(module.ok()) << module.status().message();
    Launch launch;
    launch.module = *module;
    launch.entry = "k";
    launch.grid = {5, 1, 1};
    launch.block = {96, 1, 1};
    auto result = device.Run(launch, RunOptions{});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_TRUE(result->Clean());
    count = result->warp_instructions;
  }
  EXPECT_EQ(steps[0], steps[1]);
}

TEST(Device, NamesAnInstructionItDoesNotKnow) {
  Device device;
  auto module = device.Load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k() {\n frobnicate.b32;\n ret; }");
  ASSERT_TRUE(module.ok());
  auto program = device.Find(*module, "k");
  ASSERT_FALSE(program.ok());
  EXPECT_NE(std::string(program.status().message()).find("line 5"),
            std::string::npos);
  EXPECT_NE(std::string(program.status().message()).find("frobnicate.b32"),
            std::string::npos);
}

// The error of a launch with this block; empty if it runs.
std::string RefusalOf(const Dim3& block, const std::string& directive) {
  Device device;
  auto module = device.Load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k() " +
      directive + " { ret; }");
  if (!module.ok()) return std::string(module.status().message());
  Launch launch;
  launch.module = *module;
  launch.entry = "k";
  launch.block = block;
  return std::string(device.Run(launch, RunOptions{}).status().message());
}

TEST(Device, RefusesBlocksThatAGpuRefuses) {
  EXPECT_EQ(RefusalOf({1, 16, 64}, ""), "");
  EXPECT_EQ(RefusalOf({1, 1, 65}, ""), "block exceeds 1024 x 1024 x 64");
  EXPECT_EQ(RefusalOf({1025, 1, 1}, ""), "block exceeds 1024 x 1024 x 64");
  EXPECT_EQ(RefusalOf({64, 32, 1}, ""), "block has more than 1024 threads");
  EXPECT_EQ(RefusalOf({65, 2, 1}, ".maxntid 128"),
            "block exceeds the kernel's .maxntid");
}

TEST(Device, ABlockMustBeTheOneThatTheKernelRequires) {
  EXPECT_EQ(RefusalOf({128, 1, 1}, ".reqntid 128"), "");
  EXPECT_EQ(RefusalOf({64, 1, 1}, ".reqntid 128, 1, 1"),
            "the kernel requires a block of 128x1x1 (.reqntid)");
  EXPECT_NE(RefusalOf({64, 2, 1}, ".reqntid 128"), "");
}

TEST(Device, TellsOfAFindingWhenItIsFound) {
  Device device;
  auto module = device.Load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
      "mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; L: bra L; }");
  ASSERT_TRUE(module.ok()) << module.status().message();
  Launch launch;
  launch.module = *module;
  launch.entry = "k";
  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.on_finding = [&stop](const Finding& finding) {
    if (!stop) {
      EXPECT_EQ(finding.check, "out of bounds");
    }
    stop = true;  // or it would go on until it is taken to spin
  };
  const auto result = device.Run(launch, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result->findings.size(), 2u);
  EXPECT_EQ(result->findings[1].check, "stopped");
  EXPECT_LT(result->warp_instructions, 1000u);
}

TEST(Device, RunsNothingWhoseTraceItCannotWrite) {
  Device device;
  auto module = device.Load(
      ".version 9.0\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k() { ret; }");
  ASSERT_TRUE(module.ok());
  Launch launch;
  launch.module = *module;
  launch.entry = "k";
  RunOptions options;
  options.trace_path = ::testing::TempDir() + "/no_such_folder/trace.json";
  const auto result = device.Run(launch, options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find(options.trace_path),
            std::string::npos);
  options.trace_path = "";
  EXPECT_TRUE(device.Run(launch, options).ok());
}

}  // namespace
}  // namespace tiletune::emulator
