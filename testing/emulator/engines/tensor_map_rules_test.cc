#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/engines/tensor_map_testing.h"

namespace tiletune::emulator {
namespace {

TEST(TensorMapRules, AcceptsTheUsualGemmMap) {
  EXPECT_TRUE(CheckTensorMap(LegalMap()).empty());
}

TEST(TensorMapRules, AcceptsPackedTypes) {
  TensorMap map = LegalMap();
  map.type = TensorMapType::k16U4Align16B;
  map.box = {128, 128};
  EXPECT_TRUE(CheckTensorMap(map).empty());
  map.type = TensorMapType::k16U6Align16B;
  EXPECT_TRUE(CheckTensorMap(map).empty());
  map.type = TensorMapType::k16U4Align8B;
  map.box = {256, 128};
  EXPECT_TRUE(CheckTensorMap(map).empty());
}

struct IllegalCase {
  const char* expected;  // part of the sentence
  std::function<void(TensorMap*)> change;
};

TEST(TensorMapRules, EachBrokenRuleGetsItsSentence) {
  const std::vector<IllegalCase> cases = {
      {"Rank 6", [](TensorMap* m) { m->rank = 6; }},
      {"Rank 0", [](TensorMap* m) { m->rank = 0; }},
      {"not modelled",
       [](TensorMap* m) { m->interleave = TensorMapInterleave::k16B; }},
      {"globalAddress is not aligned to 16",
       [](TensorMap* m) { m->address += 8; }},
      {"globalDim[1] = 0", [](TensorMap* m) { m->dims[1] = 0; }},
      {"not in 1..2^32",
       [](TensorMap* m) { m->dims[1] = (uint64_t{1} << 32) + 1; }},
      {"globalStrides[0] = 1032", [](TensorMap* m) { m->strides[0] = 1032; }},
      {"not below 2^40",
       [](TensorMap* m) { m->strides[0] = uint64_t{1} << 40; }},
      {"boxDim[1] = 257", [](TensorMap* m) { m->box[1] = 257; }},
      {"boxDim[1] = 0", [](TensorMap* m) { m->box[1] = 0; }},
      {"not a multiple of 16", [](TensorMap* m) { m->box[0] = 12; }},
      {"elementStrides[1] = 9",
       [](TensorMap* m) { m->element_strides[1] = 9; }},
      {"elementStrides[1] = 0",
       [](TensorMap* m) { m->element_strides[1] = 0; }},
      {"swizzle spans only 128", [](TensorMap* m) { m->box[0] = 72; }},
      {"swizzle spans only 32",
       [](TensorMap* m) { m->swizzle = Swizzle::k32; }},
      {"Filling with NaN",
       [](TensorMap* m) {
         m->type = TensorMapType::kU16;
         m->fill = TensorMapFill::kNan;
       }},
      {"is odd",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align8B;
         m->dims[0] = 511;
       }},
      {"aligned to 32",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align16B;
         m->box[0] = 128;
         m->address += 16;
       }},
      {"boxDim[0] = 64 is not 128",
       [](TensorMap* m) { m->type = TensorMapType::k16U6Align16B; }},
      {"multiple of 128, which b6x16_p32",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U6Align16B;
         m->box[0] = 128;
         m->dims[0] = 64;
       }},
      {"does not support this swizzle",
       [](TensorMap* m) {
         m->type = TensorMapType::k16U4Align16B;
         m->box[0] = 128;
         m->swizzle = Swizzle::k128Atom64;
       }},
  };
  for (const IllegalCase& c : cases) {
    TensorMap map = LegalMap();
    c.change(&map);
    const Findings findings = CheckTensorMap(map);
    ASSERT_EQ(findings.size(), 1u) << c.expected;
    EXPECT_NE(findings[0].find(c.expected), std::string::npos) << findings[0];
  }
}

}  // namespace
}  // namespace tiletune::emulator
