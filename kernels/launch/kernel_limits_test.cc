#include "kernels/launch/kernel_limits.h"

#include "gtest/gtest.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {
namespace {

int function;

class KernelLimitsTest : public testing::Test {
 protected:
  KernelLimitsTest() { cuda_.Reset(); }

  static constexpr size_t kCalls = 2;  // one a limit

  // How often CUDA was asked.
  size_t CallsOfRaise() {
    const size_t before = cuda_.calls().size();
    EXPECT_TRUE(limits_.Raise().ok());
    return cuda_.calls().size() - before;
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
  KernelLimits limits_{&function, 200000};
};

TEST_F(KernelLimitsTest, AreSetOnceInAContext) {
  EXPECT_TRUE(limits_.Raise().ok());
  ASSERT_EQ(cuda_.calls().size(), kCalls);
  for (const RecordedCall& call : cuda_.calls()) {
    EXPECT_EQ(call.name, "cudaFuncSetAttribute");
    EXPECT_EQ(call.function, &function);
  }
  EXPECT_EQ(cuda_.calls()[0].function_attribute,
            cudaFuncAttributeMaxDynamicSharedMemorySize);
  EXPECT_EQ(cuda_.calls()[0].bytes, 200000u);
  EXPECT_EQ(cuda_.calls()[1].function_attribute,
            cudaFuncAttributeNonPortableClusterSizeAllowed);
  EXPECT_EQ(cuda_.calls()[1].bytes, 1u);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

// After a reset, or on another device.
TEST_F(KernelLimitsTest, AreSetInEveryOtherContextToo) {
  for (unsigned long long context = 1; context <= 4; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), kCalls) << context;
  }
  for (unsigned long long context = 1; context <= 4; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), 0u) << context;
  }
}

TEST_F(KernelLimitsTest, AreSetAgainWhereThatWasForgotten) {
  for (unsigned long long context = 1; context <= 100; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), kCalls) << context;
  }
  cuda_.context = 1;
  EXPECT_EQ(CallsOfRaise(), kCalls);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

// The call makes the device's own context current.
TEST_F(KernelLimitsTest, AreSetWhereThereIsNoContextYet) {
  cuda_.context = 0;
  EXPECT_EQ(CallsOfRaise(), kCalls);
  EXPECT_EQ(cuda_.context, 1u);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

TEST_F(KernelLimitsTest, AreTriedAgainAfterTheyFailed) {
  cuda_.Fail("cudaFuncSetAttribute");
  EXPECT_EQ(limits_.Raise().code(), absl::StatusCode::kInternal);
  cuda_.Reset();
  EXPECT_EQ(CallsOfRaise(), kCalls);
}

TEST_F(KernelLimitsTest, EachKernelHasItsOwnForGood) {
  int other;
  KernelLimits* const limits = KernelLimits::Of(&function, 1000);
  EXPECT_EQ(KernelLimits::Of(&function, 1000), limits);
  EXPECT_NE(KernelLimits::Of(&other, 1000), limits);
}

}  // namespace
}  // namespace tiletune
