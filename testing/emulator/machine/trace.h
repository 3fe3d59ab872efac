// A timeline in the Chrome trace format (chrome://tracing, ui.perfetto.dev):
// a process per SM, rows of slices. Times are in whatever unit the caller has;
// the machine's is warp instructions.
//
//   Trace trace;
//   int row = trace.AddRow(/*sm=*/0, /*order=*/3, Trace::RowKind::kNested);
//   trace.NameRow(row, "warp 3: MMA");
//   trace.Slice(row, "tile 0", "tile", begin, end, {{"cta", "(0,0,0)"}});
//   trace.WriteFile("run.json");
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tiletune::emulator {

class Trace {
 public:
  // What slices of one row may do to each other. Those that may not share a
  // row get further rows of the same name.
  enum class RowKind {
    kNested,  // one inside the other, as calls of functions
    kFlat,    // only follow each other
  };
  using Arguments = std::vector<std::pair<std::string, std::string>>;

  // Rows of an SM are shown by ascending `order`.
  int AddRow(int sm, int order, RowKind kind);
  void NameRow(int row, const std::string& name);
  void Slice(int row, const std::string& name, const char* category,
             uint64_t begin, uint64_t end, Arguments arguments = {});
  void Instant(int row, const std::string& name, const char* category,
               uint64_t time);

  std::string Json() const;
  bool WriteFile(const std::string& path) const;

 private:
  struct Entry {
    std::string name;
    const char* category;
    uint64_t begin;
    uint64_t end;
    bool instant;
    Arguments arguments;
  };
  struct Row {
    int sm;
    int order;
    RowKind kind;
    std::string name;
    std::vector<Entry> entries;
  };

  // For each entry of the row, which of the row's copies shows it.
  static std::vector<int> Pack(const Row& row);

  std::vector<Row> rows_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_
