#include "testing/reference/matchers.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

// A small GEMM whose D a perfect kernel has just written.
class MatchersTest : public ::testing::Test {
 protected:
  MatchersTest() : operands_(Problem()) {
    operands_.FillNormal(7);
    want_ = ComputeReference(problem(), operands_.arguments());
    WriteReference(problem(), want_, operands_.d().data());
  }

  static GemmProblem Problem() {
    GemmProblem p;
    p.m = 6;
    p.n = 10;
    p.k = 40;
    p.batch = 2;
    p.ldd = 16;
    return p;
  }

  const GemmProblem& problem() const { return operands_.problem(); }

  bool Matches(const ErrorBound& bound) {
    return MatchesReference(problem(), want_, operands_.d().data(), bound);
  }

  HostOperands operands_;
  ReferenceOutput want_;
};

TEST_F(MatchersTest, APerfectDMatchesExactly) {
  EXPECT_TRUE(Matches(ErrorBound::Exact(problem())));
  EXPECT_TRUE(GapsAreUntouched(problem(), operands_.d()));
}

TEST_F(MatchersTest, OneUnitInTheLastPlaceIsNotExact) {
  operands_.d()[2 * 3] ^= 1;  // the last bit of element 3
  EXPECT_FALSE(Matches(ErrorBound::Exact(problem())));
}

TEST_F(MatchersTest, AnElementNeverWrittenDoesNotMatch) {
  operands_.d()[0] = operands_.d()[1] = 0xff;
  EXPECT_FALSE(Matches(ErrorBound::TensorCore(problem())));
}

TEST_F(MatchersTest, InfinityMatchesItselfAlone) {
  WriteElement(operands_.a().data(), problem().a_type, 0, INFINITY);
  WriteElement(operands_.b().data(), problem().b_type, 0, 1);
  want_ = ComputeReference(problem(), operands_.arguments());
  WriteReference(problem(), want_, operands_.d().data());
  EXPECT_TRUE(Matches(ErrorBound::Exact(problem())));
  EXPECT_TRUE(Matches(ErrorBound::TensorCore(problem())));
  for (float other : {-INFINITY, 3e38f, NAN}) {
    WriteElement(operands_.d().data(), problem().d_type, 0, other);
    EXPECT_FALSE(Matches(ErrorBound::TensorCore(problem()))) << other;
  }
}

TEST_F(MatchersTest, AProductLeftOutDoesNotMatch) {
  // The K tail dropped: one product of 40 missing everywhere.
  GemmProblem shorter = problem();
  shorter.k = 39;
  WriteReference(problem(), ComputeReference(shorter, operands_.arguments()),
                 operands_.d().data());
  EXPECT_FALSE(Matches(ErrorBound::TensorCore(problem())));
}

TEST_F(MatchersTest, AWriteIntoAGapIsFound) {
  operands_.d()[2 * 10] = 0;  // one past the first row
  EXPECT_FALSE(GapsAreUntouched(problem(), operands_.d()));
}

}  // namespace
}  // namespace tiletune
