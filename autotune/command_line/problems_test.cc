#include "autotune/command_line/problems.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "autotune/store/shape_log.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

absl::StatusOr<std::vector<GemmProblem>> Read(const std::string& csv) {
  std::istringstream in(csv);
  return ReadProblems(in, Options());
}

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

TEST(ReadProblems, SaysOnWhichLine) {
  for (const char* csv : {"m,n\n1,2\n", "m,n,k\n1,2\n", "m,n,k\n1,2,x\n",
                          "m,n,k\n0,2,3\n", "m,n,k,dtype\n1,2,3,int4\n"}) {
    const absl::Status status = Read(csv).status();
    EXPECT_FALSE(status.ok()) << csv;
    EXPECT_NE(status.message().find("line "), absl::string_view::npos);
  }
}

TEST(ProblemsOf, AreTheModelsUnlessShapesAreGiven) {
  EXPECT_GE(ProblemsOf(Options())->size(), 4u);
  Options options;
  options.shapes = {{16, 32, 64}, {16, 32, 64}, {16, 32, 128}};
  EXPECT_EQ(ProblemsOf(options)->size(), 2u) << "a duplicate is dropped";
}

TEST(ProblemsOf, TakeAWholeProblemByItsKey) {
  GemmProblem problem = ProblemOf({16, 32, 64}, Options()).value();
  problem.b_type = problem.a_type = DataType::kFp8E5m2;
  problem.pointer_alignment = 4;
  Options options;
  options.problems = {ProblemKey(problem)};
  const auto problems = ProblemsOf(options);
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1u);
  EXPECT_EQ(problems->front(), problem);
  for (const char* bad : {"nonsense", "0x64x64 bf16 TN -> bf16"}) {
    options.problems = {bad};
    EXPECT_FALSE(ProblemsOf(options).ok()) << bad;
  }
}

TEST(ProblemsOf, TakeALogOfDispatchMostExpensiveFirst) {
  const std::string path = ::testing::TempDir() + "/shapes.log";
  std::remove(path.c_str());
  const GemmProblem small = ProblemOf({16, 32, 64}, Options()).value();
  const GemmProblem large = ProblemOf({160, 32, 64}, Options()).value();
  ASSERT_TRUE(AppendShape(path, small, 1).ok());
  ASSERT_TRUE(AppendShape(path, large, 2).ok());
  Options options;
  options.from_log = path;
  const auto problems = ProblemsOf(options);
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_EQ(*problems, (std::vector<GemmProblem>{large, small}));
  LaunchCounts launches;
  ASSERT_TRUE(ProblemsOf(options, &launches).ok());
  EXPECT_EQ(launches,
            (LaunchCounts{{ProblemKey(small), 1}, {ProblemKey(large), 2}}));
}

TEST(ProblemsOf, RefuseToReadOneFileAndDropAnother) {
  const std::string csv = ::testing::TempDir() + "/both.csv";
  const std::string log = ::testing::TempDir() + "/both.log";
  std::ofstream(csv) << "m,n,k\n16,32,64\n";
  std::remove(log.c_str());
  ASSERT_TRUE(
      AppendShape(log, ProblemOf({16, 32, 64}, Options()).value(), 1).ok());
  Options options;
  options.shapes_file = csv;
  ASSERT_TRUE(ProblemsOf(options).ok());
  options.from_log = log;
  EXPECT_EQ(ProblemsOf(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ProblemsOf, ShardsAreDisjointAndComplete) {
  Options options;
  const size_t all = ProblemsOf(options)->size();
  options.shards = 3;
  size_t sum = 0;
  for (options.shard = 0; options.shard < 3; ++options.shard) {
    sum += ProblemsOf(options)->size();
  }
  EXPECT_EQ(sum, all);
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
}

TEST(ReadProblems, ADeviceWithoutLinesIsNoText) {
  std::ifstream zeros("/dev/zero");
  EXPECT_EQ(ReadProblems(zeros, Options()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ProblemsOf, ModelsThatAreNamedAreAdded) {
  Options options;
  options.shapes = {{16, 32, 64}};
  EXPECT_EQ(ProblemsOf(options)->size(), 1u);
  options.given = {"models"};
  EXPECT_EQ(ProblemsOf(options)->size(), 1 + ProblemsOf(Options())->size());
}

TEST(ProblemsOf, AFlagThatChangesNoProblemIsAnError) {
  Options options;
  options.dtype = "fp16";
  options.given = {"dtype", "problem"};
  options.problems = {"16x32x64 bf16 TN -> bf16"};
  EXPECT_NE(ProblemsOf(options).status().message().find("--dtype: "),
            absl::string_view::npos);
  options.shapes = {{16, 32, 64}};
  ASSERT_TRUE(ProblemsOf(options).ok());
  EXPECT_EQ(ProblemsOf(options)->front().a_type, DataType::kFp16);
}

TEST(ReadProblems, TakesAByteOrderMark) {
  std::istringstream csv("\xEF\xBB\xBFm,n,k\n16,32,64\n");
  const auto problems = ReadProblems(csv, Options());
  ASSERT_TRUE(problems.ok()) << problems.status();
  EXPECT_EQ(problems->size(), 1u);
}

TEST(ProblemsOf, AFileWithoutProblemsIsAnError) {
  const std::string path = ::testing::TempDir() + "/empty.csv";
  std::ofstream(path) << "m,n,k\n";
  Options csv;
  csv.shapes_file = path;
  EXPECT_NE(ProblemsOf(csv).status().message().find("empty.csv"),
            absl::string_view::npos);
  Options log;
  log.from_log = path;
  EXPECT_FALSE(ProblemsOf(log).ok());
}

TEST(ProblemsOf, NamesAFileThatIsNotThere) {
  Options options;
  options.shapes_file = "/nonexistent/shapes.csv";
  const std::string csv(ProblemsOf(options).status().message());
  EXPECT_EQ(csv,
            "/nonexistent/shapes.csv: cannot be read: No such file or "
            "directory");
  options.shapes_file.clear();
  options.from_log = "/nonexistent/log";
  const std::string log(ProblemsOf(options).status().message());
  EXPECT_EQ(log, "/nonexistent/log: cannot be read: No such file or directory");
}

TEST(ProblemsOf, AFileThatCannotBeReadIsNotAnEmptyOne) {
  Options csv;
  csv.shapes_file = ::testing::TempDir();
  EXPECT_FALSE(ProblemsOf(csv).ok());
  Options log;
  log.from_log = ::testing::TempDir();
  EXPECT_FALSE(ProblemsOf(log).ok());
}

}  // namespace
}  // namespace tiletune
