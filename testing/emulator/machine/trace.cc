#include "testing/emulator/machine/trace.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

namespace tiletune::emulator {
namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "\"";
}

// One event; `rest` are its fields after the process and the row.
std::string Event(char phase, const std::string& name, int sm, size_t row,
                  const std::string& rest) {
  return std::string("{\"ph\":\"") + phase + "\",\"name\":" + Quoted(name) +
         ",\"pid\":" + std::to_string(sm) + ",\"tid\":" + std::to_string(row) +
         "," + rest + "}";
}

std::string Object(const Trace::Arguments& arguments) {
  std::string out = "\"args\":{";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i != 0) out += ',';
    out += Quoted(arguments[i].first) + ":" + Quoted(arguments[i].second);
  }
  return out + "}";
}

}  // namespace

int Trace::AddRow(int sm, int order, RowKind kind) {
  rows_.push_back({sm, order, kind, "", {}});
  return static_cast<int>(rows_.size()) - 1;
}

void Trace::NameRow(int row, const std::string& name) {
  rows_[static_cast<size_t>(row)].name = name;
}

void Trace::Slice(int row, const std::string& name, const char* category,
                  uint64_t begin, uint64_t end, Arguments arguments) {
  rows_[static_cast<size_t>(row)].entries.push_back(
      {name, category, begin, end, false, std::move(arguments)});
}

void Trace::Instant(int row, const std::string& name, const char* category,
                    uint64_t time) {
  rows_[static_cast<size_t>(row)].entries.push_back(
      {name, category, time, time, true, {}});
}

std::vector<int> Trace::Pack(const Row& row) {
  std::vector<int> copy(row.entries.size(), 0);
  std::vector<size_t> sorted(row.entries.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  // Those that hold others come first.
  std::stable_sort(sorted.begin(), sorted.end(), [&row](size_t a, size_t b) {
    const Entry& first = row.entries[a];
    const Entry& second = row.entries[b];
    return first.begin != second.begin ? first.begin < second.begin
                                       : first.end > second.end;
  });
  std::vector<std::vector<uint64_t>> open;  // ends of slices, by copy
  for (size_t i : sorted) {
    const Entry& entry = row.entries[i];
    if (entry.instant) continue;
    size_t at = 0;
    for (; at < open.size(); ++at) {
      std::vector<uint64_t>& ends = open[at];
      while (!ends.empty() && ends.back() <= entry.begin) ends.pop_back();
      if (ends.empty()) break;
      if (row.kind == RowKind::kNested && entry.end <= ends.back()) break;
    }
    if (at == open.size()) open.emplace_back();
    open[at].push_back(entry.end);
    copy[i] = static_cast<int>(at);
  }
  return copy;
}

std::string Trace::Json() const {
  std::vector<size_t> sorted(rows_.size());
  std::iota(sorted.begin(), sorted.end(), size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(), [this](size_t a, size_t b) {
    return std::pair(rows_[a].sm, rows_[a].order) <
           std::pair(rows_[b].sm, rows_[b].order);
  });
  std::vector<std::string> events;
  std::set<int> sms;
  size_t next = 1;  // the first row of the next one
  for (size_t r : sorted) {
    const Row& row = rows_[r];
    if (sms.insert(row.sm).second) {
      events.push_back(
          Event('M', "process_name", row.sm, 0,
                Object({{"name", "SM " + std::to_string(row.sm)}})));
    }
    const std::vector<int> copy = Pack(row);
    const int copies =
        copy.empty() ? 1 : *std::max_element(copy.begin(), copy.end()) + 1;
    for (int c = 0; c < copies; ++c) {
      const size_t id = next + static_cast<size_t>(c);
      events.push_back(
          Event('M', "thread_name", row.sm, id, Object({{"name", row.name}})));
      events.push_back(
          Event('M', "thread_sort_index", row.sm, id,
                "\"args\":{\"sort_index\":" + std::to_string(id) + "}"));
    }
    for (size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      std::string rest = "\"cat\":" + Quoted(entry.category) +
                         ",\"ts\":" + std::to_string(entry.begin);
      if (entry.instant) {
        rest += ",\"s\":\"t\"";
      } else {
        rest += ",\"dur\":" + std::to_string(entry.end - entry.begin);
      }
      if (!entry.arguments.empty()) rest += "," + Object(entry.arguments);
      events.push_back(Event(entry.instant ? 'i' : 'X', entry.name, row.sm,
                             next + static_cast<size_t>(copy[i]), rest));
    }
    next += static_cast<size_t>(copies);
  }
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i) {
    if (i != 0) out += ",\n";
    out += events[i];
  }
  return out + "\n]}\n";
}

bool Trace::WriteFile(const std::string& path) const {
  std::ofstream file(path);
  file << Json();
  return static_cast<bool>(file.flush());
}

}  // namespace tiletune::emulator
