#include "testing/blackwell/case_request.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

constexpr char kStatic[] = "sm100_16b_128x128x64_c1x1_s6_static";
constexpr char kClc[] = "sm100_16b_128x256x64_c2x1_2sm_s6_clc2";
constexpr char k8Bit[] = "sm100_8b_128x128x128_c1x1_s6_static";

TEST(CaseRequest, ANameAloneIsACase) {
  const auto request = ParseCaseRequest({kStatic});
  ASSERT_TRUE(request.ok()) << request.status();
  const KernelCase& c = request->kernel_case;
  EXPECT_EQ(ConfigKey(ConfigOf(c)), std::string(kStatic) + " o1zn k1");
  EXPECT_EQ(ProblemKey(c.problem), "300x424x136 bf16 TN -> bf16");
  EXPECT_TRUE(c.strict);
  EXPECT_FALSE(c.has_random_inputs);
  EXPECT_EQ(c.refusal_rate, 0);
}

TEST(CaseRequest, ReadsEveryFlag) {
  const auto request = ParseCaseRequest({kClc,
                                         "--m=30",
                                         "--n=40",
                                         "--k=200",
                                         "--batch=2",
                                         "--layout=NT",
                                         "--a=fp16",
                                         "--b=fp16",
                                         "--d=e4m3",
                                         "--c=fp32",
                                         "--alpha=0.3",
                                         "--beta=2",
                                         "--bias=row",
                                         "--activation=gelu",
                                         "--amax",
                                         "--order=o3nz",
                                         "--splits=2",
                                         "--seed=7",
                                         "--seeds=4",
                                         "--checks=hardware",
                                         "--clc-refusal=0.5",
                                         "--sms=6",
                                         "--trace=t.json",
                                         "--ptx=p.ptx"});
  ASSERT_TRUE(request.ok()) << request.status();
  const KernelCase& c = request->kernel_case;
  EXPECT_EQ(ConfigKey(ConfigOf(c)), std::string(kClc) + " o3nz k2");
  EXPECT_EQ(ProblemKey(c.problem),
            "30x40x200x2 fp16 NT -> e4m3 c=fp32 bias=row act=gelu amax");
  EXPECT_EQ(c.alpha, 0.3f);
  EXPECT_EQ(c.beta, 2);
  EXPECT_TRUE(c.has_random_inputs);  // 0.3 of a sum is not exact
  EXPECT_EQ(c.seed, 7u);
  EXPECT_EQ(c.interleavings, 4);
  EXPECT_FALSE(c.strict);
  EXPECT_EQ(c.refusal_rate, 0.5);
  EXPECT_EQ(DeviceOf(c).sm_count, 6);
  EXPECT_EQ(c.trace_path, "t.json");
  EXPECT_EQ(request->ptx_path, "p.ptx");
}

TEST(CaseRequest, CapsTheSms) {
  const auto request = ParseCaseRequest({kStatic, "--max-sms=1"});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(ConfigOf(request->kernel_case).max_sms, 1u);
}

TEST(CaseRequest, TakesAProblemAsTheDatabaseWritesIt) {
  const std::string key =
      "30x40x200x2 e4m3*e5m2 NN -> fp32 lda=48 sa=0 scales=rowcolumn";
  const auto request = ParseCaseRequest({k8Bit, "--problem=" + key});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(ProblemKey(request->kernel_case.problem), key);
}

TEST(CaseRequest, EightBitKernelsStartWithEightBitOperands) {
  const auto request = ParseCaseRequest({k8Bit});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(ProblemKey(request->kernel_case.problem),
            "300x424x136 e4m3 TN -> bf16");
}

TEST(CaseRequest, ListsKernels) {
  const auto all = ParseCaseRequest({"--list"});
  ASSERT_TRUE(all.ok());
  EXPECT_GE(all->list.size(), 24u);
  const auto some = ParseCaseRequest({"--list=*clc4"});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->list.size(), 1u);
}

// What is wrong, and a part of what is said of it.
TEST(CaseRequest, SaysWhatToDoAboutBadInput) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> bad = {
      {{}, "name one kernel"},
      {{kStatic, kClc}, "name one kernel"},
      {{"sm100_16b"}, "nearest are"},
      {{"--list=none"}, "no kernel matches"},
      {{kStatic, "--rows=4"}, "there is no flag --rows; there are --a, "},
      {{kStatic, "--m"}, "--m needs a value"},
      {{kStatic, "--m=1", "--m=2"}, "twice"},
      {{kStatic, "--m=-1"}, "a whole number from 0 to"},
      {{kStatic, "--k=1.5"}, "a whole number from 0 to"},
      {{kStatic, "--alpha=nan"}, "a number from"},
      {{kStatic, "--layout=XY"}, "--layout: "},
      {{kStatic, "--d=int8"}, "--d: "},
      {{kStatic, "--order=8"}, "an order looks like o1zn"},
      {{kStatic, "--splits=0"}, "splits are a whole number"},
      {{kStatic, "--splits=9"}, "K has only 3 tiles"},
      {{kStatic, "--a=fp16"}, "both must have one type"},
      {{k8Bit, "--a=bf16", "--b=bf16"}, "takes no operand of bf16"},
      {{kStatic, "--amax"}, "amax"},
      {{kStatic, "--checks=lax"}, "strict or hardware"},
      {{kClc, "--sms=1"}, "--sms=1: a whole number from 2 to"},
      {{kClc, "--max-sms=2"}, "max_sms needs the static or the queue"},
      {{kClc, "--clc-refusal=2"}, "a number from 0 to 1"},
      {{kStatic, "--alpha=0.3", "--inputs=integers"}, "powers of two"},
      {{kStatic, "--problem=3x4x5"}, "--problem: "},
      {{kStatic, "--problem=3x4x5 bf16 TN -> bf16", "--m=3"}, "already says"},
      {{kStatic, "--m=100000", "--n=100000", "--k=100000"}, "too large"},
  };
  for (const auto& [words, part] : bad) {
    const auto request = ParseCaseRequest(words);
    ASSERT_FALSE(request.ok()) << part;
    EXPECT_NE(std::string(request.status().message()).find(part),
              std::string::npos)
        << request.status();
  }
}

}  // namespace
}  // namespace tiletune
