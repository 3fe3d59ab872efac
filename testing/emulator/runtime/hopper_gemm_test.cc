// As blackwell_gemm_test.cc, for Hopper. Its objects hold machine code alone,
// so the PTX of the same source, from a file, takes that code's place.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "kernels/hopper/kernel_entry.h"
#include "kernels/hopper/launcher.h"
#include "testing/emulator/runtime/code.h"
#include "testing/emulator/runtime/launched_gemm.h"
#include "testing/emulator/runtime/session.h"
#include "testing/emulator/snippet/read_trace.h"

namespace tiletune {
namespace {

constexpr char kVariant[] = "sm90_16b_128x128x64_c2x1_s6_pp_static";

class HopperGemm : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string path =
        std::string("kernels/hopper/") + kVariant + "_ptx.ptx";
    std::ifstream file(path);
    ASSERT_TRUE(file.good()) << path;
    // The code keeps the pointer.
    static const std::string ptx(std::istreambuf_iterator<char>(file), {});
    const hopper::KernelEntry* const entry = hopper::FindKernel(kVariant);
    ASSERT_NE(entry, nullptr);
    auto& session = emulator::runtime::Session::Get();
    const auto* const compiled = session.FindKernel(entry->function);
    ASSERT_NE(compiled, nullptr);
    emulator::runtime::Code* const code = session.AddCode(ptx.c_str());
    session.RegisterKernel(entry->function, code->FindKernel(compiled->name));
  }
};

TEST_F(HopperGemm, IsExactOnTheEmulatedRuntime) {
  EXPECT_TRUE(LaunchedGemmIsExact(HopperLauncher(), kVariant));
}

// Two warpgroups take turns; a tile is the work of one, and the CTAs of a
// cluster share what they load.
TEST_F(HopperGemm, ShowsItsTilesInATrace) {
  const std::string path = emulator::TracePath("hopper");
  emulator::runtime::Session::Get().TraceTo(path);
  EXPECT_TRUE(LaunchedGemmIsExact(HopperLauncher(), kVariant, 256, 384));
  emulator::runtime::Session::Get().TraceTo("");
  const emulator::ReadTrace trace(path);
  ASSERT_TRUE(trace.IsWellFormed());
  std::map<std::string, std::set<int>> rows;  // by tile
  const auto slices = trace.slices("tile", ": MMA");
  for (const auto& tile : slices) {
    rows[tile.arguments.at("cta") + " " + tile.name].insert(tile.row_id);
  }
  EXPECT_EQ(rows.size(), 6u);
  EXPECT_EQ(slices.size(), 6u * 4);
  for (const auto& [tile, warps] : rows) EXPECT_EQ(warps.size(), 4u) << tile;
  EXPECT_EQ(trace.slices("tile", ": TMA").size(), 6u);
}

}  // namespace
}  // namespace tiletune
