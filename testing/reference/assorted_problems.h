// Problems that between them have every type, layout and part of the epilogue,
// with tails in M, N and K: what any kernel that claims to do all must do.
//
//   for (const GemmProblem& p : AssortedProblems()) Try(p);
#ifndef TILETUNE_TESTING_REFERENCE_ASSORTED_PROBLEMS_H_
#define TILETUNE_TESTING_REFERENCE_ASSORTED_PROBLEMS_H_

#include <cstdint>
#include <vector>

#include "kernels/problem.h"

namespace tiletune {

inline GemmProblem PlainProblem(int64_t m, int64_t n, int64_t k) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

// A few thousand to a few hundred thousand products each.
inline std::vector<GemmProblem> AssortedProblems() {
  std::vector<GemmProblem> problems = {
      PlainProblem(64, 64, 64), PlainProblem(1, 1, 1),
      PlainProblem(65, 130, 33), PlainProblem(70, 3, 0)};
  for (Layout layout : {Layout::kTN, Layout::kNN, Layout::kNT, Layout::kTT}) {
    problems.push_back(PlainProblem(67, 71, 45));
    problems.back().layout = layout;
  }
  for (DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32,
                        DataType::kFp8E4m3, DataType::kFp8E5m2}) {
    GemmProblem p = PlainProblem(50, 90, 100);
    p.a_type = p.b_type = p.d_type = type;
    p.epilogue.amax = BitsOf(type) == 8;
    problems.push_back(p);
    p.d_type = DataType::kFp32;
    p.epilogue.amax = false;
    problems.push_back(p);
  }
  for (Activation activation :
       {Activation::kRelu, Activation::kGelu, Activation::kSilu}) {
    GemmProblem p = PlainProblem(40, 30, 20);
    p.epilogue.activation = activation;
    p.epilogue.reads_c = true;
    p.c_type = DataType::kFp32;
    p.epilogue.bias =
        activation == Activation::kRelu ? Bias::kPerRow : Bias::kPerColumn;
    problems.push_back(p);
  }
  for (Scaling scaling : {Scaling::kPerTensor, Scaling::kPerRowColumn}) {
    GemmProblem p = PlainProblem(66, 70, 64);
    p.a_type = DataType::kFp8E4m3;
    p.b_type = DataType::kFp8E5m2;
    p.scaling = scaling;
    problems.push_back(p);
  }
  for (Layout layout : {Layout::kTN, Layout::kNT}) {
    GemmProblem p = PlainProblem(9, 141, 300);
    p.a_type = p.b_type = DataType::kFp8E4m3;
    p.layout = layout;
    p.batch = 2;
    if (layout == Layout::kNT) p.batch_stride_a = 0;
    p.scaling = Scaling::kBlock128;
    problems.push_back(p);
  }
  GemmProblem strided = PlainProblem(33, 40, 50);
  strided.batch = 3;
  strided.lda = 64;
  strided.ldd = 56;
  strided.batch_stride_b = 0;
  strided.batch_stride_d = 33 * 56 + 24;
  problems.push_back(strided);
  return problems;
}

}  // namespace tiletune

#endif  // TILETUNE_TESTING_REFERENCE_ASSORTED_PROBLEMS_H_
