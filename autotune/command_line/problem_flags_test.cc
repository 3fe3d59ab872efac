#include "autotune/command_line/problem_flags.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Problems, TakeTypesLayoutAndEpilogueFromTheFlags) {
  Options options;
  options.dtype = "fp16";
  options.out_dtype = "fp32";
  options.layout = "NT";
  options.epilogue = "c,bias-column,gelu";
  const GemmProblem p = ProblemOf({16, 32, 64}, options).value();
  EXPECT_EQ(p.a_type, DataType::kFp16);
  EXPECT_EQ(p.d_type, DataType::kFp32);
  EXPECT_EQ(p.layout, Layout::kNT);
  EXPECT_TRUE(p.epilogue.reads_c);
  EXPECT_EQ(p.epilogue.bias, Bias::kPerColumn);
  EXPECT_EQ(p.epilogue.activation, Activation::kGelu);
}

TEST(Problems, EightBitOperandsGiveBf16UnlessAsked) {
  Options options;
  options.dtype = "e4m3";
  EXPECT_EQ(ProblemOf({16, 32, 64}, options)->d_type, DataType::kBf16);
  options.out_dtype = "e4m3";
  EXPECT_EQ(ProblemOf({16, 32, 64}, options)->d_type, DataType::kFp8E4m3);
}

TEST(Problems, TakeStridesFieldByField) {
  Options options;
  options.ld = "128,,,48";
  const GemmProblem p = ProblemOf({16, 32, 64}, options).value();
  EXPECT_EQ(p.lda, 128);
  EXPECT_EQ(p.ldb, 64);
  EXPECT_EQ(p.ldd, 48);
  options.ld = "8";
  EXPECT_FALSE(ProblemOf({16, 32, 64}, options).ok());
}

TEST(Problems, TakeNoSecondActivationBiasOrScaling) {
  for (const char* twice : {"relu,gelu", "silu,silu", "bias-row,bias-column",
                            "scale-tensor,scale-row-column"}) {
    Options options;
    options.epilogue = twice;
    EXPECT_NE(ProblemOf({16, 32, 64}, options)
                  .status()
                  .message()
                  .find("one too many"),
              absl::string_view::npos)
        << twice;
  }
}

TEST(Problems, NameTheFlagThatIsWrong) {
  Options options;
  options.epilogue = "swish";
  EXPECT_NE(ProblemOf({16, 32, 64}, options).status().message().find("swish"),
            absl::string_view::npos);
  options = Options();
  options.dtype = "int8";
  EXPECT_NE(ProblemOf({16, 32, 64}, options).status().message().find("--dtype"),
            absl::string_view::npos);
}

}  // namespace
}  // namespace tiletune
