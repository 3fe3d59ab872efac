#include "testing/timeline/chrome_trace.h"

#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

std::vector<TileEvent> Events() {
  return {{0, 0, 1000, 3000}, {2, 1, 1500, 3500}, {0, 2, 3000, 5000}};
}

TEST(ChromeTrace, HasABarForEachTileInMicroseconds) {
  const Order order = *MakeOrder({2, 2, 1, 1}, {1});
  const auto trace =
      nlohmann::json::parse(ChromeTrace(Events(), order, 3, "static"));
  int bars = 0;
  for (const auto& row : trace.at("traceEvents")) {
    if (row.at("ph") != "X") continue;
    ++bars;
    if (row.at("args").at("index") == 1) {
      EXPECT_EQ(row.at("tid"), 2);
      EXPECT_DOUBLE_EQ(row.at("ts"), 0.5);
      EXPECT_DOUBLE_EQ(row.at("dur"), 2.0);
      const TileCoord tile = order.At(1);
      EXPECT_EQ(row.at("name"),
                "m" + std::to_string(tile.m) + " n" + std::to_string(tile.n));
    }
  }
  EXPECT_EQ(bars, 3);
}

TEST(ChromeTrace, NamesTheSmsWithoutATile) {
  const Order order = *MakeOrder({2, 2, 1, 1}, {1});
  const std::string trace = ChromeTrace(Events(), order, 3, "static");
  EXPECT_NE(trace.find("SM 1 (no tile)"), std::string::npos);
  EXPECT_EQ(trace.find("SM 2 (no tile)"), std::string::npos);
}

TEST(Summarize, CountsTilesAndTheTimeTheyFill) {
  const TimelineSummary s = Summarize(Events());
  EXPECT_EQ(s.sms, 2);
  EXPECT_DOUBLE_EQ(s.length_us, 4);
  EXPECT_DOUBLE_EQ(s.busy, 6.0 / 8);
  EXPECT_EQ(s.most_tiles, 2);
  EXPECT_EQ(s.least_tiles, 1);
}

TEST(Summarize, OfNothingIsNothing) { EXPECT_EQ(Summarize({}).sms, 0); }

}  // namespace
}  // namespace tiletune
