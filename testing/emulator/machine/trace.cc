#include "testing/emulator/machine/trace.h"

#include <fstream>

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

}  // namespace

void Trace::Complete(const std::string& name, const char* category, int sm,
                     int row, uint64_t begin, uint64_t end) {
  if (!enabled_) return;
  entries_.push_back({'X', name, category, sm, row, begin, end - begin});
}

void Trace::Instant(const std::string& name, const char* category, int sm,
                    int row, uint64_t time) {
  if (!enabled_) return;
  entries_.push_back({'i', name, category, sm, row, time, 0});
}

void Trace::NameRow(int sm, int row, const std::string& name) {
  if (!enabled_) return;
  entries_.push_back({'M', name, "", sm, row, 0, 0});
}

std::string Trace::Json() const {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  bool first = true;
  for (const Entry& e : entries_) {
    if (!first) out += ",\n";
    first = false;
    std::string ids = ",\"pid\":" + std::to_string(e.sm) +
                      ",\"tid\":" + std::to_string(e.row);
    if (e.phase == 'M') {
      out += "{\"ph\":\"M\",\"name\":\"thread_name\"" + ids +
             ",\"args\":{\"name\":" + Quoted(e.name) + "}}";
      continue;
    }
    out += std::string("{\"ph\":\"") + e.phase +
           "\",\"name\":" + Quoted(e.name) + ",\"cat\":" + Quoted(e.category) +
           ids + ",\"ts\":" + std::to_string(e.begin);
    if (e.phase == 'X') out += ",\"dur\":" + std::to_string(e.duration);
    if (e.phase == 'i') out += ",\"s\":\"t\"";
    out += "}";
  }
  return out + "\n]}\n";
}

bool Trace::WriteFile(const std::string& path) const {
  std::ofstream file(path);
  file << Json();
  return static_cast<bool>(file);
}

}  // namespace tiletune::emulator
