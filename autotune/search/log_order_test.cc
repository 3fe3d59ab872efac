#include "autotune/search/log_order.h"

#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

using Problems = std::vector<GemmProblem>;

class LogOrderTest : public ::testing::Test {
 protected:
  Problems Ordered(const Problems& problems,
                   const std::vector<int64_t>& launches) const {
    std::map<std::string, int64_t> counts;
    for (size_t i = 0; i < launches.size(); ++i) {
      counts[ProblemKey(problems[i])] = launches[i];
    }
    return MostTimeFirst(problems, counts, h200_);
  }

  const DeviceFacts h200_ = *ModelledDevice("h200");
  // A quarter of the FLOPs, and far more to load.
  const GemmProblem decode_ = Normalized(TestProblem(1, 16384, 16384));
  const GemmProblem square_ = Normalized(TestProblem(1024, 1024, 1024));
};

TEST_F(LogOrderTest, TimeCountsAndNotFlops) {
  ASSERT_LT(Flops(decode_), Flops(square_));
  EXPECT_EQ(Ordered({square_, decode_}, {1, 1}), (Problems{decode_, square_}));
}

TEST_F(LogOrderTest, LaunchesCount) {
  EXPECT_EQ(Ordered({decode_, square_}, {1, 1000}),
            (Problems{square_, decode_}));
}

// Rows of 4095 elements are not aligned, of which the roofline knows nothing.
TEST_F(LogOrderTest, TheModelDecidesAmongTheFirst) {
  const GemmProblem full = Normalized(TestProblem(4096, 4096, 4096));
  const GemmProblem odd = Normalized(TestProblem(4096, 4096, 4095));
  ASSERT_LT(Flops(odd), Flops(full));
  const std::map<std::string, int64_t> once = {{ProblemKey(odd), 1},
                                               {ProblemKey(full), 1}};
  EXPECT_EQ(MostTimeFirst({full, odd}, once, h200_), (Problems{odd, full}));
  EXPECT_EQ(MostTimeFirst({odd, full}, once, h200_, /*most_predicted=*/1),
            (Problems{full, odd}));
}

// Of a problem of thousands of waves the model takes as long as for many.
TEST_F(LogOrderTest, ALargeProblemCountsAsSeveral) {
  const GemmProblem full = Normalized(TestProblem(65536, 65536, 4096));
  const GemmProblem odd = Normalized(TestProblem(65536, 65536, 4095));
  const std::map<std::string, int64_t> once = {{ProblemKey(odd), 1},
                                               {ProblemKey(full), 1}};
  EXPECT_EQ(MostTimeFirst({full, odd}, once, h200_), (Problems{odd, full}));
  EXPECT_EQ(MostTimeFirst({full, odd}, once, h200_, /*most_predicted=*/10),
            (Problems{full, odd}));
}

TEST_F(LogOrderTest, WhatNobodyLaunchedComesLastAsItStands) {
  const GemmProblem other = Normalized(TestProblem(4096, 4096, 4096));
  EXPECT_EQ(MostTimeFirst({other, decode_, square_}, {{ProblemKey(square_), 1}},
                          h200_),
            (Problems{square_, other, decode_}));
}

}  // namespace
}  // namespace tiletune
