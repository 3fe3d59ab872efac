// As blackwell_gemm_test.cc, for Hopper. Its objects hold machine code alone,
// so the PTX of the same source, from a file, takes that code's place.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "kernels/hopper/kernel_entry.h"
#include "kernels/hopper/launcher.h"
#include "testing/emulator/runtime/code.h"
#include "testing/emulator/runtime/launched_gemm.h"
#include "testing/emulator/runtime/session.h"

namespace tiletune {
namespace {

constexpr char kVariant[] = "sm90_16b_128x128x64_c2x1_s6_pp_static";

TEST(HopperGemm, IsExactOnTheEmulatedRuntime) {
  const std::string path =
      std::string("kernels/hopper/") + kVariant + "_ptx.ptx";
  std::ifstream file(path);
  ASSERT_TRUE(file.good()) << path;
  const std::string ptx(std::istreambuf_iterator<char>(file), {});
  const hopper::KernelEntry* const entry = hopper::FindKernel(kVariant);
  ASSERT_NE(entry, nullptr);
  auto& session = emulator::runtime::Session::Get();
  const auto* const compiled = session.FindKernel(entry->function);
  ASSERT_NE(compiled, nullptr);
  emulator::runtime::Code* const code = session.AddCode(ptx.c_str());
  session.RegisterKernel(entry->function, code->FindKernel(compiled->name));

  EXPECT_TRUE(LaunchedGemmIsExact(HopperLauncher(), kVariant));
}

}  // namespace
}  // namespace tiletune
