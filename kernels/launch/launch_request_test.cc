#include "kernels/launch/launch_request.h"

#include <functional>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

struct Request {
  GemmProblem problem;
  GemmConfig config;
  GemmArguments arguments;
  DeviceFacts device;
  const void* workspace = nullptr;
  size_t workspace_bytes = 0;

  LaunchRequest Make() const {
    return LaunchRequest(problem, config, arguments, device, workspace,
                         workspace_bytes);
  }
};

using Change = std::function<void(Request&)>;

const void* Address(uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}
const float* Floats(uintptr_t address) {
  return reinterpret_cast<const float*>(address);
}

std::vector<Change> ChangesOfShape() {
  return {
      [](Request& r) { ++r.problem.m; },
      [](Request& r) { ++r.problem.n; },
      [](Request& r) { ++r.problem.k; },
      [](Request& r) { ++r.problem.batch; },
      [](Request& r) { r.problem.a_type = DataType::kFp16; },
      [](Request& r) { r.problem.b_type = DataType::kFp16; },
      [](Request& r) { r.problem.c_type = DataType::kFp16; },
      [](Request& r) { r.problem.d_type = DataType::kFp16; },
      [](Request& r) { r.problem.layout = Layout::kNT; },
      [](Request& r) { r.problem.lda = 1; },
      [](Request& r) { r.problem.ldb = 1; },
      [](Request& r) { r.problem.ldc = 1; },
      [](Request& r) { r.problem.ldd = 1; },
      [](Request& r) { r.problem.batch_stride_a = 1; },
      [](Request& r) { r.problem.batch_stride_b = 1; },
      [](Request& r) { r.problem.batch_stride_c = 1; },
      [](Request& r) { r.problem.batch_stride_d = 1; },
      [](Request& r) { r.problem.pointer_alignment = 8; },
      [](Request& r) { r.problem.scaling = Scaling::kPerTensor; },
      [](Request& r) { r.problem.epilogue.reads_c = true; },
      [](Request& r) { r.problem.epilogue.bias = Bias::kPerRow; },
      [](Request& r) { r.problem.epilogue.activation = Activation::kRelu; },
      [](Request& r) { r.problem.epilogue.amax = true; },
      [](Request& r) { r.config.variant = &Variants()[0]; },
      [](Request& r) { r.config.variant = &Variants()[1]; },
      [](Request& r) { ++r.config.swizzle_offset; },
      [](Request& r) { r.config.swizzle_direction = SwizzleDirection::kNz; },
      [](Request& r) { ++r.config.split_k; },
      [](Request& r) { r.config.dependent_launch = false; },
      [](Request& r) { r.config.launch_cluster = 8; },
      [](Request& r) { r.config.max_sms = 5; },
      [](Request& r) { r.device.capability_major = 9; },
      [](Request& r) { r.device.capability_minor = 3; },
      [](Request& r) { r.device.sm_count = 132; },
      [](Request& r) { r.device.shared_bytes_per_cta = 1024; },
      [](Request& r) { r.device.ordinal = 1; },
      [](Request& r) { r.device.modelled = true; },
  };
}

std::vector<Change> ChangesOfOperands() {
  return {
      [](Request& r) { r.arguments.a = Address(0x100); },
      [](Request& r) { r.arguments.b = Address(0x100); },
      [](Request& r) { r.arguments.c = Address(0x100); },
      [](Request& r) { r.arguments.d = const_cast<void*>(Address(0x100)); },
      [](Request& r) { r.arguments.bias = Address(0x100); },
      [](Request& r) { r.arguments.alpha = 2; },
      [](Request& r) { r.arguments.beta = 2; },
      [](Request& r) { r.arguments.alpha_device = Floats(0x100); },
      [](Request& r) { r.arguments.beta_device = Floats(0x100); },
      [](Request& r) { r.arguments.scale_a = Floats(0x100); },
      [](Request& r) { r.arguments.scale_b = Floats(0x100); },
      [](Request& r) { r.arguments.scale_d = Floats(0x100); },
      [](Request& r) { r.arguments.amax_d = const_cast<float*>(Floats(8)); },
      [](Request& r) { r.workspace = Address(0x100); },
      [](Request& r) { r.workspace_bytes = 0x100; },
  };
}

TEST(LaunchRequest, IsEqualToOneOfTheSameParts) {
  Request request;
  request.device.name = "as bought";
  Request same;  // but for what no launch depends on
  EXPECT_EQ(request.Make(), same.Make());
  EXPECT_EQ(request.Make().hash(), same.Make().hash());
  EXPECT_TRUE(request.Make().HasShapeOf(same.Make()));
}

// A part that was forgotten would launch another request's kernel.
TEST(LaunchRequest, EveryPartOfItsShapeCounts) {
  const LaunchRequest base = Request().Make();
  std::set<uint64_t> hashes = {base.hash()};
  const std::vector<Change> changes = ChangesOfShape();
  for (size_t i = 0; i < changes.size(); ++i) {
    Request changed;
    changes[i](changed);
    EXPECT_FALSE(changed.Make() == base) << "change " << i;
    EXPECT_FALSE(changed.Make().HasShapeOf(base)) << "change " << i;
    EXPECT_TRUE(hashes.insert(changed.Make().hash()).second) << "change " << i;
  }
}

TEST(LaunchRequest, EveryOperandCountsAndIsNoPartOfTheShape) {
  const LaunchRequest base = Request().Make();
  std::set<uint64_t> hashes = {base.hash()};
  const std::vector<Change> changes = ChangesOfOperands();
  for (size_t i = 0; i < changes.size(); ++i) {
    Request changed;
    changes[i](changed);
    EXPECT_FALSE(changed.Make() == base) << "change " << i;
    EXPECT_TRUE(changed.Make().HasShapeOf(base)) << "change " << i;
    EXPECT_TRUE(hashes.insert(changed.Make().hash()).second) << "change " << i;
  }
}

TEST(LaunchRequest, OneOfNothingIsEqualToNone) {
  EXPECT_FALSE(LaunchRequest() == Request().Make());
}

TEST(LaunchRequest, SpreadsBuffersOverAllHashes) {
  std::set<uint64_t> low, high;
  Request request;
  for (uintptr_t i = 0; i < 65536; ++i) {
    request.arguments.a = Address(0x7f0000000000 + i * 2097152);
    request.arguments.d = const_cast<void*>(Address(0x7e0000000000 + i * 512));
    low.insert(request.Make().hash() & 0xffff);
    high.insert(request.Make().hash() >> 48);
  }
  // A random function leaves 1/e of its values out.
  EXPECT_GT(low.size(), 0.6 * 65536);
  EXPECT_GT(high.size(), 0.6 * 65536);
}

}  // namespace
}  // namespace tiletune
