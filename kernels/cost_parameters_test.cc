#include "kernels/cost_parameters.h"

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

TEST(CostParameters, NothingIsFasterThanTheDeviceOrTakesNegativeTime) {
  for (const char* name : {"h200", "b200", "b300"}) {
    const CostParameters& q = ParametersOf(*ModelledDevice(name));
    for (const CostParameterField& field : CostParameterFields()) {
      EXPECT_GE(q.*field.value, 0) << name << " " << field.name;
    }
    for (double share : {q.mainloop_efficiency, q.dram_efficiency, q.overlap,
                         q.repack_efficiency, q.power_share}) {
      EXPECT_GT(share, 0) << name;
      EXPECT_LE(share, 1) << name;
    }
    // One SM reads 128 bytes of shared memory and 64 of L2 a clock (NVIDIA).
    EXPECT_LE(q.smem_bytes_per_clock, 128) << name;
    EXPECT_GE(q.misaligned_load, 1) << name;
  }
}

}  // namespace
}  // namespace tiletune
