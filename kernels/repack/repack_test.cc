#include "kernels/repack/repack.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "kernels/repack/repack_kernel.h"
#include "kernels/repack/repack_testing.h"
#include "testing/launch/recording_cuda.h"

namespace tiletune {
namespace {

const GpuStream stream = reinterpret_cast<GpuStream>(0x10);

class RepackTest : public testing::Test {
 protected:
  RepackTest() { cuda_.Reset(); }

  absl::Status Launch(bool is_dependent = false) {
    RepackArguments a = PackedMatrix(100, 70, false);
    RepackArguments b = PackedMatrix(100, 70, true);
    a.is_dependent = b.is_dependent = is_dependent;
    return LaunchRepack(a, b, stream);
  }

  RecordingCuda& cuda_ = RecordingCuda::Get();
};

TEST(RepackFunction, IsAnotherForEachKernel) {
  std::set<const void*> functions;
  std::set<std::string> entries;
  for (RepackKernel kernel :
       {RepackKernel::kCopyRows, RepackKernel::kTransposeBytes,
        RepackKernel::kTransposeWords}) {
    EXPECT_NE(RepackFunction(kernel), nullptr);
    functions.insert(RepackFunction(kernel));
    entries.insert(RepackEntry(kernel));
  }
  EXPECT_EQ(functions.size(), 3u);
  EXPECT_EQ(entries.size(), 3u);
}

TEST_F(RepackTest, LaunchesOnTheStreamOneAfterTheOther) {
  ASSERT_TRUE(Launch().ok());
  ASSERT_EQ(cuda_.calls().size(), 2u);
  EXPECT_EQ(cuda_.calls()[0].function,
            RepackFunction(RepackKernel::kTransposeWords));
  EXPECT_EQ(cuda_.calls()[0].grid.x, 4u);  // tiles of 64 x 64
  EXPECT_EQ(cuda_.calls()[0].block.x, static_cast<unsigned>(kRepackThreads));
  EXPECT_EQ(cuda_.calls()[1].function, RepackFunction(RepackKernel::kCopyRows));
  EXPECT_EQ(cuda_.calls()[1].grid.x, 13u);  // 100 rows, eight warps a CTA
  EXPECT_EQ(cuda_.calls()[1].block.x, static_cast<unsigned>(kRepackThreads));
  for (const RecordedCall& call : cuda_.calls()) {
    EXPECT_EQ(call.bytes, 0u);
    EXPECT_EQ(call.stream, stream);
    EXPECT_TRUE(call.attributes.empty());
  }
}

TEST_F(RepackTest, LaunchesDependentlyIfToldSo) {
  ASSERT_TRUE(Launch(/*is_dependent=*/true).ok());
  ASSERT_EQ(cuda_.calls().size(), 2u);
  EXPECT_EQ(cuda_.calls()[0].block.x, static_cast<unsigned>(kRepackThreads));
  EXPECT_EQ(cuda_.calls()[1].block.x, static_cast<unsigned>(kDependentThreads));
  for (const RecordedCall& call : cuda_.calls()) {
    ASSERT_EQ(call.attributes.size(), 1u);
    EXPECT_EQ(call.attributes[0].id,
              cudaLaunchAttributeProgrammaticStreamSerialization);
  }
}

TEST_F(RepackTest, EnqueuesNothingForNoElements) {
  EXPECT_TRUE(LaunchRepack({}, {}, stream).ok());
  EXPECT_TRUE(cuda_.calls().empty());
}

TEST_F(RepackTest, SaysWhichRepackFailedAndLaunchesNoMore) {
  cuda_.Fail("cudaLaunchKernelExC");
  const absl::Status status = Launch();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  for (const char* part : {"repack", "transpose", "cudaLaunchKernelExC"}) {
    EXPECT_NE(std::string(status.message()).find(part), std::string::npos)
        << status;
  }
  EXPECT_EQ(cuda_.calls().size(), 1u);
}

}  // namespace
}  // namespace tiletune
