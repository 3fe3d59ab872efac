#include "autotune/command_line/problem_file.h"

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

absl::StatusOr<std::vector<GemmProblem>> Read(const std::string& csv) {
  std::istringstream in(csv);
  return ReadProblems(in, Options());
}

TEST(ReadProblems, FindsColumnsByName) {
  const auto problems = Read(
      "name,k,n,m,dtype,epilogue\n"
      "# decode\n"
      "qkv,64,32,16,fp16,c;relu\n"
      "\n"
      "out,128,32,1,,\n");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 2u);
  EXPECT_EQ((*problems)[0].m, 16);
  EXPECT_EQ((*problems)[0].k, 64);
  EXPECT_EQ((*problems)[0].a_type, DataType::kFp16);
  EXPECT_TRUE((*problems)[0].epilogue.reads_c);
  EXPECT_EQ((*problems)[1].a_type, DataType::kBf16);
}

// As spreadsheets, R and pandas write texts.
TEST(ReadProblems, FieldsMayBeQuoted) {
  const auto problems = Read(
      "\"m\",\"n\",\"k\",\"name\",\"dtype\"\n"
      "16,32,64,\"attention, q\",\"fp16\"\n");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1u);
  EXPECT_EQ((*problems)[0].a_type, DataType::kFp16);
}

TEST(ReadProblems, SaysOnWhichLine) {
  for (const char* csv :
       {"m,n\n1,2\n", "m,n,k\n1,2\n", "m,n,k\n1,2,x\n", "m,n,k\n0,2,3\n",
        "m,n,k,dtype\n1,2,3,int4\n", "m,n,k\n1,2,\"3\n"}) {
    const absl::Status status = Read(csv).status();
    EXPECT_FALSE(status.ok()) << csv;
    EXPECT_NE(status.message().find("line "), absl::string_view::npos);
  }
}

// The message of the error of such a first line.
std::string HeaderError(const std::string& header) {
  std::istringstream csv(header + "\n16,32,64,1\n");
  return std::string(ReadProblems(csv, Options()).status().message());
}

TEST(ReadProblems, AColumnThatIsNoneIsNamed) {
  for (const char* header : {"m,n,k,dtpye", "m,n,k,M", "m,n,kk,batch"}) {
    EXPECT_NE(HeaderError(header).find("this is none"), std::string::npos)
        << header << ": " << HeaderError(header);
    EXPECT_NE(HeaderError(header).find("batch_stride"), std::string::npos)
        << "it lists what there is: " << HeaderError(header);
  }
  EXPECT_NE(HeaderError("m,n,k,k").find("names this one twice: 'k'"),
            std::string::npos);
  EXPECT_NE(HeaderError("m,n,batch,ld").find("'k' is not among them"),
            std::string::npos);
  EXPECT_EQ(HeaderError("m,n,k,#layer"), "");
  EXPECT_EQ(HeaderError("m,n,k,name"), "");
  EXPECT_EQ(HeaderError("m,n,k,group"), "");
}

TEST(ReadProblems, TakesTheShapesOfTheBenchmark) {
  std::ifstream csv("kernels/benchmark/shapes.csv");
  const auto problems = ReadProblems(csv, Options());
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_GE(problems->size(), 60u);
}

TEST(ReadProblems, ADeviceWithoutLinesIsNoText) {
  std::ifstream zeros("/dev/zero");
  EXPECT_EQ(ReadProblems(zeros, Options()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ReadProblems, TakesAByteOrderMark) {
  std::istringstream csv("\xEF\xBB\xBFm,n,k\n16,32,64\n");
  const auto problems = ReadProblems(csv, Options());
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_EQ(problems->size(), 1u);
}

}  // namespace
}  // namespace tiletune
