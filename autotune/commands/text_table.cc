#include "autotune/commands/text_table.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace tiletune {

std::string TextTable::ToString() const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string FormatTime(double nanoseconds) {
  const char* unit = "ns";
  double value = nanoseconds;
  for (const char* larger : {"us", "ms", "s"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return absl::StrFormat("%.*f %s", digits, value, unit);
}

std::string FormatGain(double gain) { return absl::StrFormat("%.3fx", gain); }

std::string FormatTeraflops(double flops, double nanoseconds) {
  if (nanoseconds <= 0) return "-";
  return absl::StrFormat("%.1f", flops / nanoseconds / 1e3);
}

}  // namespace tiletune
