#include "kernels/launch/launch_kernel.h"

#include <string>

#include "gtest/gtest.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {
namespace {

int function;
int parameters;
const GpuStream stream = reinterpret_cast<GpuStream>(0x10);

class LaunchKernelTest : public testing::Test {
 protected:
  LaunchKernelTest() { cuda_.Reset(); }

  // The one call that is made.
  RecordedCall Launch() {
    const absl::Status status = LaunchKernel(launch_, &parameters, stream);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(cuda_.calls().size(), 1u);
    return cuda_.calls().at(0);
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
  KernelLaunch launch_ = {&function,
                          /*ctas=*/8,
                          /*cluster=*/0,
                          /*threads=*/256,
                          /*shared_bytes=*/1234,
                          /*is_dependent=*/false};
};

TEST_F(LaunchKernelTest, LaunchesWhatItIsTold) {
  const RecordedCall call = Launch();
  EXPECT_EQ(call.name, "cudaLaunchKernelExC");
  EXPECT_EQ(call.function, &function);
  EXPECT_EQ(call.grid.x, 8u);
  EXPECT_EQ(call.block.x, 256u);
  EXPECT_EQ(call.bytes, 1234u);
  EXPECT_EQ(call.stream, stream);
  EXPECT_EQ(call.argument, &parameters);
  EXPECT_TRUE(call.attributes.empty());
}

TEST_F(LaunchKernelTest, LaunchesClustersAlongX) {
  launch_.cluster = 4;
  const RecordedCall call = Launch();
  ASSERT_EQ(call.attributes.size(), 1u);
  EXPECT_EQ(call.attributes[0].id, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(call.attributes[0].val.clusterDim.x, 4u);
  EXPECT_EQ(call.attributes[0].val.clusterDim.y, 1u);
  EXPECT_EQ(call.attributes[0].val.clusterDim.z, 1u);
}

TEST_F(LaunchKernelTest, OverlapsWithTheLastKernelOnlyIfAskedTo) {
  launch_.cluster = 1;
  launch_.is_dependent = true;
  const RecordedCall call = Launch();
  ASSERT_EQ(call.attributes.size(), 2u);
  EXPECT_EQ(call.attributes[1].id,
            cudaLaunchAttributeProgrammaticStreamSerialization);
  EXPECT_EQ(call.attributes[1].val.programmaticStreamSerializationAllowed, 1);
}

TEST_F(LaunchKernelTest, NamesTheCallThatFailed) {
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = LaunchKernel(launch_, &parameters, stream);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(status.message()).find("cudaLaunchKernelExC"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune
