#include "kernels/repack/repack.h"

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/repack/repack_kernel.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {
namespace {

const GpuStream stream = reinterpret_cast<GpuStream>(0x10);

RepackArguments Matrix(int64_t rows, int64_t columns) {
  RepackArguments r;
  r.rows = rows;
  r.columns = columns;
  r.source_row_stride = columns;
  r.destination_row_stride = PackedRowStride(columns, r.element_bytes);
  return r;
}

class RepackTest : public testing::Test {
 protected:
  RepackTest() { cuda_.Reset(); }
  RecordingCuda& cuda_ = RecordingCuda::Get();
};

TEST(PackedRowStride, IsTheNextMultipleOf16Bytes) {
  EXPECT_EQ(PackedRowStride(64, 2), 64);
  EXPECT_EQ(PackedRowStride(65, 2), 72);
  EXPECT_EQ(PackedRowStride(65, 1), 80);
  EXPECT_EQ(PackedRowStride(65, 4), 68);
}

TEST_F(RepackTest, LaunchesTheKernelOfItsElements) {
  for (int32_t bytes : {1, 2, 4}) {
    cuda_.Reset();
    RepackArguments r = Matrix(100, 70);
    r.element_bytes = bytes;
    ASSERT_TRUE(LaunchRepack(r, stream).ok());
    ASSERT_EQ(cuda_.calls().size(), 1u);
    const RecordedCall& call = cuda_.calls()[0];
    EXPECT_EQ(call.name, "cudaLaunchKernel");
    ASSERT_NE(call.function, nullptr);
    EXPECT_EQ(call.function, RepackKernel(bytes));
    EXPECT_EQ(call.grid.x, 4u * 3);  // tiles of 32 x 32
    EXPECT_EQ(call.block.x, static_cast<unsigned>(kRepackThreads));
    EXPECT_EQ(call.bytes, 0u);
    EXPECT_EQ(call.stream, stream);
  }
}

TEST_F(RepackTest, HasAKernelForEachSize) {
  EXPECT_NE(RepackKernel(1), RepackKernel(2));
  EXPECT_NE(RepackKernel(2), RepackKernel(4));
}

TEST_F(RepackTest, TakesAGridThatAnyMatrixFits) {
  RepackArguments r = Matrix(1 << 20, 1 << 20);
  ASSERT_TRUE(LaunchRepack(r, stream).ok());
  EXPECT_EQ(cuda_.calls().at(0).grid.x, 1u << 16);
}

TEST_F(RepackTest, EnqueuesNothingForNoElements) {
  EXPECT_TRUE(LaunchRepack(Matrix(0, 70), stream).ok());
  EXPECT_TRUE(LaunchRepack(Matrix(100, 0), stream).ok());
  RepackArguments none = Matrix(100, 70);
  none.batches = 0;
  EXPECT_TRUE(LaunchRepack(none, stream).ok());
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_F(RepackTest, RefusesElementsOfAnotherSize) {
  RepackArguments r = Matrix(100, 70);
  r.element_bytes = 8;
  EXPECT_EQ(LaunchRepack(r, stream).code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_F(RepackTest, NamesTheCallThatFailed) {
  cuda_.Fail("cudaLaunchKernel");
  const absl::Status status = LaunchRepack(Matrix(100, 70), stream);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(std::string(status.message()).find("cudaLaunchKernel"),
            std::string::npos);
}

}  // namespace
}  // namespace tiletune
