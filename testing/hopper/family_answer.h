// What a case of the Hopper family gives according to fp64, for kernels that no
// GPU has been asked about yet.
//
//   EXPECT_EQ(RunFamilyCase(c), FamilyAnswerOfFp64(c));
#ifndef TILETUNE_TESTING_HOPPER_FAMILY_ANSWER_H_
#define TILETUNE_TESTING_HOPPER_FAMILY_ANSWER_H_

#include <string>

#include "testing/hopper/family_case.h"

namespace tiletune {

// As RunFamilyCase() has it. The results of all cases are exact in fp32, so
// that only the rounding to the type of D is left, which is the same
// everywhere.
std::string FamilyAnswerOfFp64(const FamilyCase& c);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_HOPPER_FAMILY_ANSWER_H_
