// The trace of a GEMM of six tiles on one SM, by the product's own Blackwell
// kernels, of which the tracing code knows nothing.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/blackwell/launcher.h"
#include "testing/emulator/runtime/launched_gemm.h"
#include "testing/emulator/runtime/session.h"
#include "testing/emulator/snippet/read_trace.h"

namespace tiletune {
namespace {

using emulator::ReadTrace;

constexpr int kM = 256;
constexpr int kN = 384;  // 2 x 3 tiles
constexpr size_t kTiles = 6;
constexpr size_t kEpilogueWarps = 4;

class TracedGemm : public testing::TestWithParam<const char*> {
 protected:
  static ReadTrace Run(const char* variant) {
    const std::string path = emulator::TracePath("gemm");
    emulator::runtime::Session::Get().TraceTo(path);
    EXPECT_TRUE(LaunchedGemmIsExact(BlackwellLauncher(), variant, kM, kN));
    emulator::runtime::Session::Get().TraceTo("");
    return ReadTrace(path);
  }
};

TEST_P(TracedGemm, ShowsEveryTileOnEveryRoleThatWorksOnIt) {
  const ReadTrace trace = Run(GetParam());
  ASSERT_TRUE(trace.IsWellFormed());
  std::map<std::string, std::map<int, std::set<std::string>>> tiles;
  for (const char* role : {": TMA", ": MMA", ": epilogue"}) {
    for (const ReadTrace::Slice& tile : trace.slices("tile", role)) {
      const std::string name = tile.arguments.at("cta") + " " + tile.name;
      EXPECT_TRUE(tiles[role][tile.row_id].insert(name).second)
          << name << " twice on " << tile.row;
    }
  }
  EXPECT_EQ(tiles[": TMA"].size(), 1u);
  EXPECT_EQ(tiles[": MMA"].size(), 1u);
  EXPECT_EQ(tiles[": epilogue"].size(), kEpilogueWarps);
  for (const auto& [role, rows] : tiles) {
    for (const auto& [row, names] : rows) {
      EXPECT_EQ(names.size(), kTiles) << role << " " << row;
    }
  }
}

TEST_P(TracedGemm, ShowsEachRoleWaitingForTheOneBefore) {
  const ReadTrace trace = Run(GetParam());
  const auto waits_for = [&trace](const char* role, const char* whom) {
    for (const ReadTrace::Slice& wait : trace.slices("wait", role)) {
      if (wait.name.find(whom) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(waits_for(": MMA", "(TMA)"));
  EXPECT_TRUE(waits_for(": TMA", "(MMA)"));       // a stage to be free
  EXPECT_TRUE(waits_for(": epilogue", "(MMA)"));  // an accumulator
  for (const ReadTrace::Slice& wait : trace.slices("wait")) {
    EXPECT_EQ(wait.arguments.count("result"), 0u) << wait.name << wait.row;
  }
}

TEST_P(TracedGemm, OverlapsTheEpilogueWithTheNextTile) {
  const ReadTrace trace = Run(GetParam());
  const auto mma = trace.slices("tile", ": MMA");
  const auto epilogue = trace.slices("tile", ": epilogue");
  ASSERT_EQ(mma.size(), kTiles);
  ASSERT_EQ(epilogue.size(), kTiles * kEpilogueWarps);
  EXPECT_EQ(epilogue.back().name, mma.back().name);
  EXPECT_LT(mma.back().begin, epilogue.back().begin);
  // The last tile's MMAs begin before the epilogue of the one before ends.
  const auto& before = epilogue[epilogue.size() - kEpilogueWarps - 1];
  EXPECT_LT(mma.back().begin, before.end);
}

INSTANTIATE_TEST_SUITE_P(Variants, TracedGemm,
                         testing::Values("sm100_16b_128x128x64_c1x1_s6_static",
                                         "sm100_16b_128x128x64_c1x1_s6_clc2"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace tiletune
