#include "kernels/blackwell/entry.h"

#include "gtest/gtest.h"

namespace tiletune::blackwell {
namespace {

int first_function, second_function;
const KernelEntry first("first", &first_function);
const KernelEntry second("second", &second_function);

TEST(FindEntry, FindsEveryEntryByItsName) {
  ASSERT_NE(FindEntry("first"), nullptr);
  EXPECT_EQ(FindEntry("first")->function(), &first_function);
  ASSERT_NE(FindEntry("second"), nullptr);
  EXPECT_EQ(FindEntry("second")->function(), &second_function);
}

TEST(FindEntry, KnowsNothingThatIsNotLinked) {
  EXPECT_EQ(FindEntry("third"), nullptr);
  EXPECT_EQ(FindEntry("fir"), nullptr);
}

}  // namespace
}  // namespace tiletune::blackwell
