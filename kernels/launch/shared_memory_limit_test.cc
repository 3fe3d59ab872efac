#include "kernels/launch/shared_memory_limit.h"

#include "gtest/gtest.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {
namespace {

int function;

class SharedMemoryLimitTest : public testing::Test {
 protected:
  SharedMemoryLimitTest() { cuda_.Reset(); }

  // How often CUDA was asked.
  size_t CallsOfRaise() {
    const size_t before = cuda_.calls().size();
    EXPECT_TRUE(limit_.Raise().ok());
    return cuda_.calls().size() - before;
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
  SharedMemoryLimit limit_{&function, 200000};
};

TEST_F(SharedMemoryLimitTest, IsSetOnceInAContext) {
  EXPECT_EQ(CallsOfRaise(), 1u);
  EXPECT_EQ(cuda_.calls()[0].name, "cudaFuncSetAttribute");
  EXPECT_EQ(cuda_.calls()[0].function, &function);
  EXPECT_EQ(cuda_.calls()[0].bytes, 200000u);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

// After a reset, or on another device.
TEST_F(SharedMemoryLimitTest, IsSetInEveryOtherContextToo) {
  for (unsigned long long context = 1; context <= 4; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), 1u) << context;
  }
  for (unsigned long long context = 1; context <= 4; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), 0u) << context;
  }
}

TEST_F(SharedMemoryLimitTest, IsSetAgainWhereItWasForgotten) {
  for (unsigned long long context = 1; context <= 100; ++context) {
    cuda_.context = context;
    EXPECT_EQ(CallsOfRaise(), 1u) << context;
  }
  cuda_.context = 1;
  EXPECT_EQ(CallsOfRaise(), 1u);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

// The call makes the device's own context current.
TEST_F(SharedMemoryLimitTest, IsSetWhereThereIsNoContextYet) {
  cuda_.context = 0;
  EXPECT_EQ(CallsOfRaise(), 1u);
  EXPECT_EQ(cuda_.context, 1u);
  EXPECT_EQ(CallsOfRaise(), 0u);
}

TEST_F(SharedMemoryLimitTest, IsTriedAgainAfterItFailed) {
  cuda_.Fail("cudaFuncSetAttribute");
  EXPECT_EQ(limit_.Raise().code(), absl::StatusCode::kInternal);
  cuda_.Reset();
  EXPECT_EQ(CallsOfRaise(), 1u);
}

TEST_F(SharedMemoryLimitTest, EachKernelHasOneForGood) {
  int other;
  SharedMemoryLimit* const limit = SharedMemoryLimit::Of(&function, 1000);
  EXPECT_EQ(SharedMemoryLimit::Of(&function, 1000), limit);
  EXPECT_NE(SharedMemoryLimit::Of(&other, 1000), limit);
}

}  // namespace
}  // namespace tiletune
