// Tile events as a Chrome trace: a row an SM, a bar a tile.
//
//   std::vector<TileEvent> events = *TakeTileEvents();
//   std::ofstream("t.json") << ChromeTrace(events, order, /*sms=*/132,
//   "static");
//   // open it in ui.perfetto.dev
//
// Format: "Trace Event Format" (complete events, ph = X), times in
// microseconds since the first tile began.
#ifndef TILETUNE_TESTING_TIMELINE_CHROME_TRACE_H_
#define TILETUNE_TESTING_TIMELINE_CHROME_TRACE_H_

#include <string>
#include <vector>

#include "scheduler/order.h"
#include "testing/timeline/tile_event.h"

namespace tiletune {

// SMs from 0 to `sms` - 1 that computed no tile have a row that says so.
std::string ChromeTrace(const std::vector<TileEvent>& events,
                        const Order& order, int sms, const std::string& title);

struct TimelineSummary {
  int sms = 0;           // that computed a tile
  double length_us = 0;  // from the first tile's start to the last one's end
  double busy = 0;       // share of length x sms that tiles fill
  int most_tiles = 0;    // of one SM
  int least_tiles = 0;
};

TimelineSummary Summarize(const std::vector<TileEvent>& events);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_TIMELINE_CHROME_TRACE_H_
