#include "kernels/hopper/kernel_entry.h"

#include "gtest/gtest.h"

namespace tiletune::hopper {
namespace {

TEST(KernelEntry, IsFoundByItsNameOnceRegistered) {
  static KernelEntry one = {"one", &one, 128, 1024, nullptr};
  static KernelEntry two = {"two", &two, 384, 2048, nullptr};
  EXPECT_EQ(FindKernel("one"), nullptr);
  EXPECT_TRUE(RegisterKernel(&one));
  EXPECT_TRUE(RegisterKernel(&two));
  EXPECT_EQ(FindKernel("one"), &one);
  EXPECT_EQ(FindKernel("two"), &two);
  EXPECT_EQ(FindKernel("on"), nullptr);
}

}  // namespace
}  // namespace tiletune::hopper
