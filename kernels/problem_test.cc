#include "kernels/problem.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

GemmProblem Plain(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

void ExpectInvalid(const GemmProblem& p, const std::string& reason) {
  const absl::Status status = Validate(p);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find(reason), std::string::npos)
      << status;
}

TEST(Problem, PackedStridesFollowTheLayout) {
  GemmProblem p = Plain(5, 7, 3);
  p.batch = 2;
  p.layout = Layout::kNT;
  const GemmProblem n = Normalized(p);
  EXPECT_EQ(n.lda, 5);
  EXPECT_EQ(n.ldb, 7);
  EXPECT_EQ(n.ldd, 7);
  EXPECT_EQ(n.batch_stride_a, 15);
  EXPECT_EQ(n.batch_stride_b, 21);
  EXPECT_EQ(n.batch_stride_d, 35);
}

TEST(Problem, NormalizingTwiceIsNormalizingOnce) {
  GemmProblem p = Plain(5, 7, 3);
  p.lda = 8;
  EXPECT_EQ(Normalized(Normalized(p)), Normalized(p));
}

TEST(Problem, StridesThatDoNotMatterDoNotDistinguish) {
  GemmProblem one = Plain(5, 7, 3);
  GemmProblem other = one;
  other.batch_stride_a = 100;  // one batch only
  other.ldc = 9;               // C is not read
  other.c_type = DataType::kFp32;
  EXPECT_EQ(Normalized(one), Normalized(other));
  EXPECT_EQ(ProblemKey(one), ProblemKey(other));
}

TEST(Problem, ZeroSizesAreValid) {
  EXPECT_TRUE(Validate(Plain(5, 7, 0)).ok());
  EXPECT_TRUE(Validate(Plain(0, 7, 3)).ok());
  EXPECT_TRUE(Validate(Plain(5, 0, 3)).ok());
}

TEST(Problem, NamesTheFieldThatIsWrong) {
  ExpectInvalid(Plain(-1, 7, 3), "M is -1");
  GemmProblem p = Plain(5, 7, 3);
  p.lda = 2;
  ExpectInvalid(p, "lda is 2");
  p = Plain(5, 7, 3);
  p.b_type = DataType::kFp16;
  ExpectInvalid(p, "A of bf16 with B of fp16");
  p = Plain(5, 7, 3);
  p.pointer_alignment = 3;
  ExpectInvalid(p, "pointer_alignment");
  p = Plain(5, 7, 3);
  p.d_type = DataType::kFp32;
  p.pointer_alignment = 2;
  ExpectInvalid(p, "widest element has 4 bytes");
  p = Plain(5, 7, 3);
  p.scaling = Scaling::kPerTensor;
  ExpectInvalid(p, "scales");
  p = Plain(5, 7, 3);
  p.epilogue.amax = true;
  ExpectInvalid(p, "amax");
}

TEST(Problem, TwoEightBitTypesMayMix) {
  GemmProblem p = Plain(5, 7, 3);
  p.a_type = DataType::kFp8E4m3;
  p.b_type = DataType::kFp8E5m2;
  EXPECT_TRUE(Validate(p).ok());
}

TEST(Problem, SizesPastTheAddressSpaceAreRefusedNotWrapped) {
  ExpectInvalid(Plain(int64_t{1} << 62, int64_t{1} << 62, 3), "2^63");
  GemmProblem p = Plain(1, 7, 3);
  p.lda = int64_t{1} << 62;  // one line only: the span itself is short
  ExpectInvalid(p, "2^63");
  p = Plain(5, 7, 3);
  p.batch = int64_t{1} << 62;
  p.batch_stride_a = 0;
  ExpectInvalid(p, "2^63");
}

TEST(Problem, BatchesOfDMayInterleaveButNotOverlap) {
  GemmProblem p = Plain(5, 7, 3);
  p.batch = 4;
  p.batch_stride_d = 7;  // rows of one batch between rows of the others
  p.ldd = 28;
  EXPECT_TRUE(Validate(p).ok());
  p.ldd = 27;
  ExpectInvalid(p, "overlap");
  p.ldd = kPacked;
  p.batch_stride_d = 0;
  ExpectInvalid(p, "overlap");
}

TEST(Problem, ScalesOfBlocksAreFor8BitOperandsAndMustFitInMemory) {
  GemmProblem p = Plain(64, 128, 256);
  p.scaling = Scaling::kBlock128;
  ExpectInvalid(p, "8-bit operands only");
  p.a_type = p.b_type = DataType::kFp8E4m3;
  EXPECT_TRUE(Validate(p).ok());
  p.m = int64_t{1} << 61;
  p.k = 1;
  p.n = 0;
  ExpectInvalid(p, "scales span more than 2^63 bytes");
  p.scaling = Scaling::kPerTensor;
  EXPECT_TRUE(Validate(p).ok()) << Validate(p);
}

TEST(ProblemKey, NamesScalesOfBlocks) {
  GemmProblem p = Plain(64, 128, 256);
  p.a_type = p.b_type = DataType::kFp8E4m3;
  p.scaling = Scaling::kBlock128;
  EXPECT_EQ(ProblemKey(p), "64x128x256 e4m3 TN -> bf16 scales=block128");
}

TEST(ProblemKey, OfAPackedProblemIsShort) {
  EXPECT_EQ(ProblemKey(Plain(4096, 7168, 2048)),
            "4096x7168x2048 bf16 TN -> bf16");
}

TEST(ProblemKey, NamesEveryFieldThatDistinguishes) {
  GemmProblem p = Plain(64, 128, 256);
  p.batch = 3;
  p.a_type = DataType::kFp8E4m3;
  p.b_type = DataType::kFp8E5m2;
  p.c_type = DataType::kBf16;
  p.d_type = DataType::kFp8E4m3;
  p.lda = 512;
  p.ldc = 144;
  p.batch_stride_b = 0;
  p.pointer_alignment = 8;
  p.scaling = Scaling::kPerRowColumn;
  p.epilogue.reads_c = true;
  p.epilogue.bias = Bias::kPerColumn;
  p.epilogue.activation = Activation::kGelu;
  p.epilogue.amax = true;
  EXPECT_EQ(ProblemKey(p),
            "64x128x256x3 e4m3*e5m2 TN -> e4m3 lda=512 sb=0 c=bf16 ldc=144 "
            "align=8 scales=rowcolumn bias=column act=gelu amax");
}

TEST(ProblemKey, ParsesBackToTheSameProblem) {
  std::vector<GemmProblem> problems(9, Plain(64, 128, 256));
  problems[1].layout = Layout::kNT;
  problems[2].lda = 300;
  problems[2].batch = 2;
  problems[3].batch = 5;
  problems[3].batch_stride_a = 0;
  problems[3].batch_stride_d = 64 * 128 + 64;
  problems[4].epilogue.reads_c = true;
  problems[4].c_type = DataType::kFp32;
  problems[4].ldc = 256;
  problems[5].pointer_alignment = 2;
  problems[6].k = 0;
  problems[7].epilogue.activation = Activation::kSilu;
  problems[8].a_type = problems[8].b_type = DataType::kFp8E4m3;
  problems[8].scaling = Scaling::kBlock128;
  for (const GemmProblem& p : problems) {
    const std::string key = ProblemKey(p);
    const absl::StatusOr<GemmProblem> parsed = ParseProblemKey(key);
    ASSERT_TRUE(parsed.ok()) << key << ": " << parsed.status();
    EXPECT_EQ(*parsed, Normalized(p)) << key;
    EXPECT_EQ(ProblemKey(*parsed), key);
  }
}

TEST(ProblemKey, RefusesWhatItDoesNotUnderstand) {
  for (const char* key :
       {"", "64x128 bf16 TN -> bf16", "64x128x256 bf16 TN",
        "64x-1x256 bf16 TN -> bf16", "64x128x256 bf17 TN -> bf16",
        "64x128x256 bf16 TX -> bf16", "64x128x256 bf16 TN -> bf16 lda",
        "64x128x256 bf16 TN -> bf16 ldx=3",
        "64x128x256 bf16 TN -> bf16 lda=1e9",
        "64x128x256 bf16 TN -> bf16 align=99999999999",
        "99999999999999999999x1x1 bf16 TN -> bf16"}) {
    EXPECT_EQ(ParseProblemKey(key).status().code(),
              absl::StatusCode::kInvalidArgument)
        << key;
  }
}

TEST(Problem, CountsWorkAndTraffic) {
  GemmProblem p = Plain(16, 32, 64);
  p.batch = 2;
  EXPECT_EQ(Flops(p), 2.0 * 16 * 32 * 64 * 2);
  EXPECT_EQ(CompulsoryBytes(p), 2.0 * (16 * 64 + 64 * 32 + 16 * 32) * 2);
  p.batch_stride_b = 0;
  EXPECT_EQ(CompulsoryBytes(p), 2.0 * (2 * 16 * 64 + 64 * 32 + 2 * 16 * 32));
}

}  // namespace
}  // namespace tiletune
