// LauncherFixture: a family's launcher, one made-up kernel of 128 x 128 tiles
// in clusters of two, and a CUDA runtime that only writes down what it is
// asked.
//
// Use it in launcher tests, which link testing/launch:recording_cuda, for what
// is of one family; launcher_contract.h has what is of both.
//
//   class LauncherTest : public LauncherFixture {
//    protected:
//     LauncherTest() : LauncherFixture(HopperLauncher()) { variant_... }
//   };
//   TEST_F(LauncherTest, Launches) { ASSERT_TRUE(Launch().ok()); cuda_... }
#ifndef TILETUNE_TESTING_LAUNCH_LAUNCHER_FIXTURE_H_
#define TILETUNE_TESTING_LAUNCH_LAUNCHER_FIXTURE_H_

#include <cuda.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/launcher.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {

class LauncherFixture : public testing::Test {
 protected:
  using Strings = std::vector<std::string>;

  // Of the made-up kernel.
  static constexpr unsigned kKernelThreads = 384;
  static constexpr unsigned kKernelSharedBytes = 200000;

  explicit LauncherFixture(const FamilyLauncher& family) : family_(family) {
    // Launches of one context set nothing up again: each test has its own.
    static unsigned long long next_context = 1;
    cuda_.Reset();
    cuda_.context = next_context++;
    variant_.name = "linked";
    variant_.tile_m = variant_.tile_n = 128;
    variant_.tile_k = 64;
    variant_.cluster_m = 2;
    variant_.cluster_n = 1;
    variant_.ctas_per_sm = 1;
    variant_.threads = kKernelThreads;
    variant_.shared_bytes = kKernelSharedBytes;
    variant_.supply = SupplyKind::kStatic;
    variant_.operand_bits = 16;
    config_.variant = &variant_;
    config_.dependent_launch = false;
    problem_.m = problem_.n = problem_.k = 256;
    arguments_.a = memory_;
    arguments_.b = memory_ + 256;
    arguments_.d = memory_ + 512;
    device_.sm_count = 132;
  }

  absl::Status Launch() {
    return family_.launch(Normalized(problem_), config_, arguments_, device_,
                          workspace_, stream_);
  }
  absl::Status Prepare(PreparedLaunch* prepared) {
    return family_.prepare(Normalized(problem_), config_, arguments_, device_,
                           workspace_, prepared);
  }

  // The calls but for the encoding of tensor maps.
  std::vector<RecordedCall> Calls() const {
    std::vector<RecordedCall> calls;
    for (const RecordedCall& call : cuda_.calls()) {
      if (call.name != "cuTensorMapEncodeTiled") calls.push_back(call);
    }
    return calls;
  }
  Strings Names() const {
    Strings names;
    for (const RecordedCall& call : Calls()) names.push_back(call.name);
    return names;
  }
  int CallsOf(const std::string& name) const {
    int count = 0;
    for (const RecordedCall& call : cuda_.calls()) count += call.name == name;
    return count;
  }

  // Where a recorded map points to.
  static const void* AddressIn(const CUtensorMap& map) {
    const void* address;
    std::memcpy(&address, &map, sizeof(address));
    return address;
  }

  const FamilyLauncher& family_;
  RecordingCuda& cuda_ = RecordingCuda::Get();
  KernelVariant variant_ = {};
  GemmConfig config_;
  GemmProblem problem_;
  GemmArguments arguments_;
  DeviceFacts device_;
  const GpuStream stream_ = reinterpret_cast<GpuStream>(0x10);

  // Pointers that are compared, never followed.
  alignas(256) char memory_[1024];
  alignas(256) char workspace_[kWorkspaceCounterBytes + 256];
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_LAUNCHER_FIXTURE_H_
