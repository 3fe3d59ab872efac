#include "testing/emulator/machine/kernel_name.h"

#include "gtest/gtest.h"
#include "testing/emulator/machine/options.h"

namespace tiletune::emulator {
namespace {

TEST(KernelName, LeavesNamesThatAreNotMangled) {
  EXPECT_EQ(KernelName("gemm_f16"), "gemm_f16");
  EXPECT_EQ(KernelName("_Zwhatever"), "_Zwhatever");
  EXPECT_EQ(KernelName(""), "");
}

TEST(KernelName, HasNeitherResultNorParameters) {
  EXPECT_EQ(KernelName("_Z5scaleIfEvPT_i"), "scale<float>");
  EXPECT_EQ(KernelName("_ZN4room4FillEPii"), "room::Fill");
}

TEST(KernelName, KeepsAnonymousNamespaces) {
  EXPECT_EQ(KernelName("_ZN4room12_GLOBAL__N_14FillEPii"),
            "room::(anonymous namespace)::Fill");
}

// box<box<...<int>>> of five long names.
TEST(KernelName, FoldsTemplateArgumentsUntilItFitsOnALine) {
  const std::string name = KernelName(
      "_Z6kernelIN4room19AVeryLongClassName1INS0_19AVeryLongClassName2INS0_"
      "19AVeryLongClassName3INS0_19AVeryLongClassName4IiEEEEEEEEEvT_");
  EXPECT_EQ(name,
            "kernel<room::AVeryLongClassName1<room::AVeryLongClassName2<...> "
            "> >");
}

// What __cxa_demangle refuses; the end is cut off here.
TEST(KernelName, TakesThePlainPartOfWhatCannotBeDemangled) {
  EXPECT_EQ(KernelName("_ZN7cutlass13device_kernelINS_4gemm6kernel13Gemm"),
            "cutlass::device_kernel<...>");
  EXPECT_EQ(KernelName("_ZN4room12_GLOBAL__N_14FillI"),
            "room::(anonymous namespace)::Fill<...>");
  EXPECT_EQ(KernelName("_Z4Fill99999999999999999999"), "Fill");
  EXPECT_EQ(KernelName("_ZN99999999999999999999Fill"),
            "_ZN99999999999999999999Fill");
}

TEST(KernelName, IsWhatFindingsShow) {
  Finding finding;
  finding.kernel = "_Z5scaleIfEvPT_i";
  EXPECT_NE(ToString(finding).find(", scale<float>]"), std::string::npos);
}

TEST(KernelName, FoldsAllThatDoesNotFit) {
  const std::string symbol = "_Z6kernelI80" + std::string(80, 'x') + "EvT_";
  EXPECT_EQ(KernelName(symbol), "kernel<...>");
}

}  // namespace
}  // namespace tiletune::emulator
