// One case of the Hopper family through the product's launcher and the CUDA
// runtime that this program is linked with: NVIDIA's, or the emulator's.
//
//   for (const FamilyCase& c : FamilyCasesOf(variant)) {
//     std::puts(RunFamilyCase(c).c_str());
//   }
#ifndef TILETUNE_TESTING_HOPPER_FAMILY_RUN_H_
#define TILETUNE_TESTING_HOPPER_FAMILY_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/hopper/family_case.h"

namespace tiletune {

// What was in D's memory afterwards, which began as 0xff everywhere, gaps
// included, see below. Or "failed: " and what CUDA or the launcher said.
std::string RunFamilyCase(const FamilyCase& c);

// "BYTES HASH FIRST", the 64-bit FNV-1a hash and the first eight bytes in
// hexadecimal.
std::string DescribeFamilyAnswer(const std::vector<uint8_t>& d);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_HOPPER_FAMILY_RUN_H_
