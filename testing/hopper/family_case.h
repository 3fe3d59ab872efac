// The problems that every Hopper kernel runs on a real GPU and in the emulator,
// so that both can be asked for the same bits.
//
// Use it to run the family; it knows nothing of CUDA.
//
//   for (const FamilyCase& c : FamilyCasesOf(variant)) {
//     HostOperands operands(c.problem);
//     operands.FillSmallIntegers(kFamilySeed);
//     launch c.problem with c.config ...
//   }
#ifndef TILETUNE_TESTING_HOPPER_FAMILY_CASE_H_
#define TILETUNE_TESTING_HOPPER_FAMILY_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/config.h"
#include "kernels/problem.h"
#include "kernels/variant.h"

namespace tiletune {

// Of the operands, in every case.
inline constexpr uint64_t kFamilySeed = 20261130;

// Small-integer operands give results that are exact in fp32 in any order of
// summation; no case has an activation that is only approximate.
struct FamilyCase {
  std::string name;     // unique among the cases of a variant
  GemmProblem problem;  // normalized
  GemmConfig config;
  float alpha = 1;
  float beta = 0;
};

// Every layout and type that the variant takes, tails in M, N and K, more K
// than the ring holds, every output type, C, bias, ReLU and scales, batches,
// split-K, few workers, and operands that TMA cannot read.
std::vector<FamilyCase> FamilyCasesOf(const KernelVariant& variant);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_HOPPER_FAMILY_CASE_H_
