#include "testing/emulator/snippet/read_trace.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "nlohmann/json.hpp"

namespace tiletune::emulator {

ReadTrace::ReadTrace(const std::string& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.contains("traceEvents")) {
    error_ = path + " is no trace";
    return;
  }
  try {
    std::map<std::pair<int, int>, std::string> rows;
    for (const auto& event : json["traceEvents"]) {
      const std::string phase = event.at("ph");
      const int sm = event.at("pid");
      const int row = event.at("tid");
      if (phase == "M" && event.at("name") == "thread_name") {
        rows[{sm, row}] = event.at("args").at("name");
      }
      if (phase != "X") continue;
      Slice slice;
      slice.name = event.at("name");
      slice.category = event.at("cat");
      slice.sm = sm;
      slice.row_id = row;
      slice.begin = event.at("ts");
      slice.end = slice.begin + event.at("dur").get<uint64_t>();
      if (event.contains("args")) slice.arguments = event.at("args");
      slices_.push_back(std::move(slice));
    }
    for (Slice& slice : slices_) {
      slice.row = rows.at({slice.sm, slice.row_id});
    }
  } catch (const std::exception& e) {
    error_ = e.what();
  }
  std::stable_sort(
      slices_.begin(), slices_.end(), [](const Slice& a, const Slice& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
}

testing::AssertionResult ReadTrace::IsWellFormed() const {
  if (!error_.empty()) return testing::AssertionFailure() << error_;
  std::map<std::pair<int, int>, std::vector<const Slice*>> open;
  for (const Slice& slice : slices_) {
    auto& around = open[{slice.sm, slice.row_id}];
    while (!around.empty() && around.back()->end <= slice.begin) {
      around.pop_back();
    }
    if (!around.empty() && slice.end > around.back()->end) {
      return testing::AssertionFailure()
             << slice.row << ": " << around.back()->name << " and "
             << slice.name << " at " << slice.begin << " overlap";
    }
    around.push_back(&slice);
  }
  return testing::AssertionSuccess();
}

std::vector<ReadTrace::Slice> ReadTrace::slices(
    const std::string& category, const std::string& row_ends) const {
  std::vector<Slice> out;
  for (const Slice& slice : slices_) {
    if (!category.empty() && slice.category != category) continue;
    if (slice.row.size() < row_ends.size() ||
        slice.row.compare(slice.row.size() - row_ends.size(), row_ends.size(),
                          row_ends) != 0) {
      continue;
    }
    out.push_back(slice);
  }
  return out;
}

std::string TracePath(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name + ".json";
  std::remove(path.c_str());
  return path;
}

}  // namespace tiletune::emulator
