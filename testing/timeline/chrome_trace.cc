#include "testing/timeline/chrome_trace.h"

#include <algorithm>
#include <map>
#include <set>

#include "nlohmann/json.hpp"

namespace tiletune {
namespace {

using Json = nlohmann::json;

uint64_t FirstStart(const std::vector<TileEvent>& events) {
  uint64_t first = events.empty() ? 0 : events[0].start_ns;
  for (const TileEvent& e : events) first = std::min(first, e.start_ns);
  return first;
}

}  // namespace

std::string ChromeTrace(const std::vector<TileEvent>& events,
                        const Order& order, int sms, const std::string& title) {
  const uint64_t first = FirstStart(events);
  Json rows = Json::array();
  rows.push_back({{"ph", "M"},
                  {"name", "process_name"},
                  {"pid", 0},
                  {"args", {{"name", title}}}});
  std::set<uint32_t> used;
  for (const TileEvent& e : events) {
    used.insert(e.sm);
    const TileCoord tile = order.At(e.tile);
    rows.push_back(
        {{"ph", "X"},
         {"pid", 0},
         {"tid", e.sm},
         {"name", "m" + std::to_string(tile.m) + " n" + std::to_string(tile.n)},
         {"ts", static_cast<double>(e.start_ns - first) / 1000},
         {"dur", static_cast<double>(e.end_ns - e.start_ns) / 1000},
         {"args", {{"index", e.tile}}}});
  }
  for (int sm = 0; sm < sms; ++sm) {
    const std::string name =
        "SM " + std::to_string(sm) + (used.count(sm) != 0 ? "" : " (no tile)");
    rows.push_back({{"ph", "M"},
                    {"name", "thread_name"},
                    {"pid", 0},
                    {"tid", sm},
                    {"args", {{"name", name}}}});
  }
  return Json{{"traceEvents", rows}, {"displayTimeUnit", "ns"}}.dump(0) + "\n";
}

TimelineSummary Summarize(const std::vector<TileEvent>& events) {
  TimelineSummary s;
  if (events.empty()) return s;
  const uint64_t first = FirstStart(events);
  std::map<uint32_t, int> tiles;
  uint64_t last = 0;
  double filled = 0;
  for (const TileEvent& e : events) {
    ++tiles[e.sm];
    last = std::max(last, e.end_ns);
    filled += static_cast<double>(e.end_ns - e.start_ns) / 1000;
  }
  s.sms = static_cast<int>(tiles.size());
  s.length_us = static_cast<double>(last - first) / 1000;
  if (s.length_us > 0) s.busy = filled / (s.length_us * s.sms);
  s.least_tiles = s.most_tiles = tiles.begin()->second;
  for (const auto& [sm, count] : tiles) {
    s.most_tiles = std::max(s.most_tiles, count);
    s.least_tiles = std::min(s.least_tiles, count);
  }
  return s;
}

}  // namespace tiletune
