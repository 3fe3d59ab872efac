#include "testing/emulator/machine/wait_slices.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/snippet/read_trace.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kAll = 0xFFFFFFFF;
const int kObjects[2] = {};
const WaitSlices::Target kFirst{&kObjects[0], 0};
const WaitSlices::Target kSecond{&kObjects[1], 0};

class WaitSlicesTest : public testing::Test {
 protected:
  void Poll(uint32_t mask, uint32_t done, const WaitSlices::Target& target,
            uint64_t now) {
    const std::string name = target == kFirst ? "first" : "second";
    waits_.Poll(row_, mask, done, target, {name, {}}, now);
  }

  // "name begin end result", one each.
  std::vector<std::string> Slices() {
    const std::string path = TracePath("waits");
    EXPECT_TRUE(trace_.WriteFile(path));
    std::vector<std::string> out;
    for (const auto& slice : ReadTrace(path).slices("wait")) {
      const auto result = slice.arguments.find("result");
      out.push_back(
          slice.name + " " + std::to_string(slice.begin) + " " +
          std::to_string(slice.end) +
          (result == slice.arguments.end() ? "" : " " + result->second));
    }
    return out;
  }

  using Strings = std::vector<std::string>;
  Trace trace_;
  int row_ = trace_.AddRow(0, 0, Trace::RowKind::kNested);
  WaitSlices waits_{&trace_};
};

TEST_F(WaitSlicesTest, AWaitLastsFromTheFirstAttemptToTheLast) {
  Poll(kAll, 0, kFirst, 11);
  Poll(kAll, 0, kFirst, 20);
  Poll(kAll, kAll, kFirst, 31);
  EXPECT_EQ(Slices(), Strings{"first 10 31"});
}

TEST_F(WaitSlicesTest, OneThatFindsItDoneTakesOneInstruction) {
  Poll(kAll, kAll, kFirst, 11);
  Poll(kAll, kAll, kFirst, 21);
  EXPECT_EQ(Slices(), (Strings{"first 10 11", "first 20 21"}));
}

TEST_F(WaitSlicesTest, ALookThatLedToNothingIsNoWait) {
  Poll(kAll, 0, kFirst, 11);
  waits_.Leave(row_, kAll);
  Poll(kAll, kAll, kFirst, 50);
  EXPECT_EQ(Slices(), (Strings{"first 10 11 not yet", "first 49 50"}));
}

TEST_F(WaitSlicesTest, AnotherTargetEndsIt) {
  Poll(kAll, 0, kFirst, 11);
  Poll(kAll, kAll, kSecond, 15);
  EXPECT_EQ(Slices(), (Strings{"first 10 11 not yet", "second 14 15"}));
}

TEST_F(WaitSlicesTest, LanesThatWentDifferentWaysWaitForThemselves) {
  Poll(1, 0, kFirst, 11);
  Poll(~1u, 0, kSecond, 12);
  waits_.Leave(row_, ~1u & 2);
  Poll(1, 1, kFirst, 20);
  EXPECT_EQ(Slices(), (Strings{"first 10 20", "second 11 12 not yet"}));
}

TEST_F(WaitSlicesTest, ItEndsWhenTheLastLaneGoesOn) {
  Poll(3, 1, kFirst, 11);
  Poll(2, 2, kFirst, 15);
  EXPECT_EQ(Slices(), Strings{"first 10 15"});
}

TEST_F(WaitSlicesTest, TheEndOfTheRunLosesNone) {
  Poll(kAll, 0, kFirst, 11);
  waits_.Close(40);
  EXPECT_EQ(Slices(), Strings{"first 10 40 none: the run ended"});
}

}  // namespace
}  // namespace tiletune::emulator
