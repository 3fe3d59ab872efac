// A table for people: aligned columns of text.
//
//   TextTable table({"shape", "time"});
//   table.Add({"16x4096x4096", "12.3 us"});
//   std::cout << table.ToString();
//   // shape         time
//   // 16x4096x4096  12.3 us
#ifndef TILETUNE_AUTOTUNE_COMMANDS_TEXT_TABLE_H_
#define TILETUNE_AUTOTUNE_COMMANDS_TEXT_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace tiletune {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header)
      : rows_{std::move(header)} {}

  // A row may be shorter than the header.
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // One line a row, columns two spaces apart, no spaces at line ends.
  std::string ToString() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "12.3 us", "1.23 ms", "980 ns": three significant digits.
std::string FormatTime(double nanoseconds);
// "1.234x".
std::string FormatGain(double gain);
// "812.3": TFLOP/s of `flops` in `nanoseconds`.
std::string FormatTeraflops(double flops, double nanoseconds);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_TEXT_TABLE_H_
