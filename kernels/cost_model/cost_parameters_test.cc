#include "kernels/cost_model/cost_parameters.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(CostParameters, FieldsAreAllOfTheStructInItsOrder) {
  const std::vector<CostParameterField>& fields = CostParameterFields();
  ASSERT_EQ(fields.size() * sizeof(double), sizeof(CostParameters));
  CostParameters q = {};
  std::set<std::string> names;
  for (size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(&(q.*fields[i].value), reinterpret_cast<double*>(&q) + i)
        << fields[i].name;
    EXPECT_TRUE(names.insert(fields[i].name).second) << fields[i].name;
  }
}

// A share of a peak is at most 1, and an SM reads at most 128 bytes of shared
// memory a clock (NVIDIA).
TEST(CostParameters, EveryColumnKeepsWithinItsLimits) {
  for (const char* name : {"h200", "b200", "b300"}) {
    const CostParameters& q = ParametersOf(*ModelledDevice(name));
    for (const CostParameterField& field : CostParameterFields()) {
      EXPECT_GE(q.*field.value, field.least) << name << " " << field.name;
      EXPECT_LE(q.*field.value, field.most) << name << " " << field.name;
    }
  }
}

}  // namespace
}  // namespace tiletune
