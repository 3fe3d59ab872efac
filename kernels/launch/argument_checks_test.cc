#include "kernels/launch/argument_checks.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

void* Address(uintptr_t address) { return reinterpret_cast<void*>(address); }

void ExpectRefused(const absl::Status& status, const std::string& reason) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_NE(std::string(status.message()).find(reason), std::string::npos)
      << status << " does not say: " << reason;
}

// The operands of a 64 x 64 x 64 GEMM, at addresses that are never read.
class ArgumentChecksTest : public ::testing::Test {
 protected:
  ArgumentChecksTest() {
    problem_.m = problem_.n = problem_.k = 64;
    arguments_.a = Address(0x100000);
    arguments_.b = Address(0x200000);
    arguments_.d = Address(0x300000);
  }

  absl::Status Check() const {
    return CheckArguments(Normalized(problem_), arguments_);
  }

  absl::Status CheckWith(void* workspace, size_t bytes, size_t needed) const {
    return CheckWorkspace(Normalized(problem_), arguments_, workspace, bytes,
                          needed);
  }

  GemmProblem problem_;
  GemmArguments arguments_;
};

TEST_F(ArgumentChecksTest, TakeWhatIsRight) {
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(ArgumentChecksTest, RefuseNullOperands) {
  arguments_.a = nullptr;
  ExpectRefused(Check(), "a is null");
  arguments_.a = Address(0x100000);
  arguments_.b = nullptr;
  ExpectRefused(Check(), "b is null");
  arguments_.b = Address(0x200000);
  arguments_.d = nullptr;
  ExpectRefused(Check(), "d is null");
}

TEST_F(ArgumentChecksTest, RefuseNullOperandsOfTheEpilogue) {
  problem_.epilogue.bias = Bias::kPerRow;
  ExpectRefused(Check(), "bias is null");
  problem_.epilogue.bias = Bias::kNone;
  problem_.epilogue.reads_c = true;
  ExpectRefused(Check(), "c is null");
}

TEST_F(ArgumentChecksTest, RefuseNullScalesAndAmax) {
  problem_.a_type = problem_.b_type = problem_.d_type = DataType::kFp8E4m3;
  problem_.scaling = Scaling::kPerTensor;
  ExpectRefused(Check(), "scale_a or scale_b is null");
  problem_.scaling = Scaling::kNone;
  problem_.epilogue.amax = true;
  ExpectRefused(Check(), "amax_d is null");
}

TEST_F(ArgumentChecksTest, WantScalesOfBlocksAlignedTo16Bytes) {
  problem_.a_type = problem_.b_type = DataType::kFp8E4m3;
  problem_.scaling = Scaling::kBlock128;
  arguments_.scale_a = static_cast<const float*>(Address(0x400000));
  arguments_.scale_b = static_cast<const float*>(Address(0x500008));
  ExpectRefused(Check(), "scale_b, of blocks, is not aligned to 16 bytes");
  problem_.scaling = Scaling::kPerRowColumn;
  EXPECT_TRUE(Check().ok()) << Check();
  problem_.scaling = Scaling::kBlock128;
  arguments_.scale_b = static_cast<const float*>(Address(0x500010));
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(ArgumentChecksTest, NeedNoOperandsWhenKIsZero) {
  problem_.k = 0;
  arguments_.a = arguments_.b = nullptr;
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(ArgumentChecksTest, RefuseMisalignedPointers) {
  arguments_.b = Address(0x200008);
  ExpectRefused(Check(), "b is not aligned to the problem's 16 bytes");
  arguments_.b = Address(0x200000);
  arguments_.alpha_device = static_cast<const float*>(Address(0x500002));
  ExpectRefused(Check(), "alpha_device is not aligned");
}

TEST_F(ArgumentChecksTest, TakeThePointerAlignmentTheProblemStates) {
  arguments_.b = Address(0x200008);
  problem_.pointer_alignment = 8;
  EXPECT_TRUE(Check().ok()) << Check();
}

TEST_F(ArgumentChecksTest, RefuseAnOutputThatOverlapsAnInput) {
  arguments_.d = Address(0x100000 + 64 * 64 * 2 - 16);
  ExpectRefused(Check(), "d overlaps a");
  arguments_.d = Address(0x200000);
  ExpectRefused(Check(), "d overlaps b");
  arguments_.d = Address(0x300000);
  problem_.epilogue.bias = Bias::kPerColumn;
  arguments_.bias = Address(0x300000 + 64 * 64 * 2 - 16);
  ExpectRefused(Check(), "d overlaps bias");
}

TEST_F(ArgumentChecksTest, AllowCToBeDAndNothingBetween) {
  problem_.epilogue.reads_c = true;
  arguments_.beta = 1.0f;
  arguments_.c = arguments_.d;
  EXPECT_TRUE(Check().ok()) << Check();
  arguments_.c = Address(0x300010);
  ExpectRefused(Check(), "d overlaps c");
  arguments_.c = arguments_.d;
  problem_.c_type = DataType::kFp32;
  ExpectRefused(Check(), "d overlaps c");
}

TEST_F(ArgumentChecksTest, RefuseValuesThatNobodyReads) {
  arguments_.beta = 1.0f;
  ExpectRefused(Check(), "does not read C");
  arguments_.beta = 0.0f;
  arguments_.scale_d = static_cast<const float*>(Address(0x500000));
  ExpectRefused(Check(), "for an 8-bit D only");
}

TEST_F(ArgumentChecksTest, RefuseAWorkspaceThatDoesNotDo) {
  ExpectRefused(CheckWith(nullptr, 4096, 4096), "workspace is null");
  void* const free = Address(0x400000);
  ExpectRefused(CheckWith(free, 4095, 4096), "has 4095 bytes; 4096 are needed");
  ExpectRefused(CheckWith(Address(0x400010), 4096, 4096),
                "workspace is not aligned");
  for (const uintptr_t operand : {0x100100, 0x200100, 0x300100}) {
    ExpectRefused(CheckWith(Address(operand), 4096, 4096),
                  "workspace overlaps");
  }
  EXPECT_TRUE(CheckWith(free, 4096, 4096).ok());
  EXPECT_TRUE(CheckWith(nullptr, 0, 0).ok());
}

}  // namespace
}  // namespace tiletune
