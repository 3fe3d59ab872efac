// Over a CUDA of its own: one call, in the host's memory.
#include "dispatch/workspace.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace {

cudaStream_t used_stream = nullptr;
cudaError_t answer = cudaSuccess;

}  // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMemsetAsync(void* memory, int value, size_t count,
                                      cudaStream_t stream) {
  used_stream = stream;
  if (answer == cudaSuccess) std::memset(memory, value, count);
  return answer;
}

const char* CUDARTAPI cudaGetErrorString(cudaError_t) { return "an error"; }

}  // extern "C"

namespace tiletune {
namespace {

class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() : memory_(3 * kWorkspaceCounterBytes, 1) {
    answer = cudaSuccess;
    void* at = memory_.data();
    size_t space = memory_.size();
    at_ = static_cast<char*>(
        std::align(kWorkspaceAlignment, kWorkspaceCounterBytes, at, space));
  }

  std::vector<char> memory_;
  char* at_;
};

TEST_F(WorkspaceTest, TheCountersAreZeroAndTheRestIsLeftAlone) {
  const size_t bytes = kWorkspaceCounterBytes + 4096;
  const GpuStream stream = reinterpret_cast<GpuStream>(&answer);
  ASSERT_TRUE(PrepareWorkspace(at_, bytes, stream).ok());
  EXPECT_EQ(std::count(at_, at_ + kWorkspaceCounterBytes, 0),
            static_cast<long>(kWorkspaceCounterBytes));
  EXPECT_EQ(at_[kWorkspaceCounterBytes], 1);
  EXPECT_EQ(used_stream, stream);
}

TEST_F(WorkspaceTest, NothingIsWrittenPastASmallOne) {
  ASSERT_TRUE(PrepareWorkspace(at_, 512, nullptr).ok());
  EXPECT_EQ(at_[511], 0);
  EXPECT_EQ(at_[512], 1);
}

TEST_F(WorkspaceTest, NoneIsNoError) {
  EXPECT_TRUE(PrepareWorkspace(nullptr, 0, nullptr).ok());
}

TEST_F(WorkspaceTest, NullAndMisalignedAreInvalid) {
  EXPECT_EQ(PrepareWorkspace(nullptr, 512, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PrepareWorkspace(at_ + 128, 512, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(at_[128], 1);
}

TEST_F(WorkspaceTest, AFailureOfCudaIsInternal) {
  answer = cudaErrorInvalidValue;
  const absl::Status status = PrepareWorkspace(at_, 512, nullptr);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "cudaMemsetAsync: an error");
}

}  // namespace
}  // namespace tiletune
