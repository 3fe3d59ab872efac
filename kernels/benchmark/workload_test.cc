#include "kernels/benchmark/workload.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(ParseWorkload, ReadsSizesInAnyOrderOfColumns) {
  const auto rows = ParseWorkload(
      "k,m,n,group\n# a comment\n64,16,32,decode\n\n128,1,2,\r\n", {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].group, "decode");
  EXPECT_EQ((*rows)[0].problem.m, 16);
  EXPECT_EQ((*rows)[0].problem.n, 32);
  EXPECT_EQ((*rows)[0].problem.k, 64);
  EXPECT_EQ((*rows)[1].problem.batch, 1);
}

TEST(ParseWorkload, ReadsWinnersAsSqliteWritesThem) {
  const auto rows = ParseWorkload(
      "problem,config\n\"64x128x256 fp16 NN -> fp32\",\"some o8zn k1\"\n", {});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)[0].config, "some o8zn k1");
  EXPECT_EQ(ProblemKey((*rows)[0].problem), "64x128x256 fp16 NN -> fp32");
}

TEST(ParseWorkload, NamesTheLineThatIsWrong) {
  for (const char* csv : {"m,n,k\n1,2,3\n4,x,6\n", "m,n,k\n1,2,3\n4,-5,6\n",
                          "problem\n\"1x1x1 bf16 TN -> bf16\"\nnonsense\n",
                          "m,n,k\n1,2,3\n\"4,5,6\n"}) {
    const auto rows = ParseWorkload(csv, {});
    EXPECT_EQ(rows.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(rows.status().message()).rfind("line 3: ", 0), 0u)
        << rows.status();
  }
}

// A winner without dependent launch ("p0") beats its twin with it.
TEST(AsTimed, IsTheConfigOfTheRow) {
  GemmConfig winner;
  winner.dependent_launch = false;
  EXPECT_FALSE(AsTimed(winner, true).dependent_launch);
  winner.dependent_launch = true;
  EXPECT_TRUE(AsTimed(winner, true).dependent_launch);
  EXPECT_FALSE(AsTimed(winner, false).dependent_launch);
}

}  // namespace
}  // namespace tiletune
