// Timeline of a run in the Chrome trace format (chrome://tracing, Perfetto).
// One row per SM and warp; time is in warp instructions.
//
//   Trace trace(/*enabled=*/true);
//   trace.Complete("TMA load", "tma", sm, row, begin, end);
//   trace.Instant("refused", "clc", sm, row, now);
//   trace.WriteFile("run.json");
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tiletune::emulator {

class Trace {
 public:
  explicit Trace(bool enabled) : enabled_(enabled) {}
  bool enabled() const { return enabled_; }

  // `sm` is the process of the trace, `row` its thread.
  void Complete(const std::string& name, const char* category, int sm, int row,
                uint64_t begin, uint64_t end);
  void Instant(const std::string& name, const char* category, int sm, int row,
               uint64_t time);
  void NameRow(int sm, int row, const std::string& name);

  std::string Json() const;
  bool WriteFile(const std::string& path) const;

 private:
  struct Entry {
    char phase;
    std::string name;
    const char* category;
    int sm;
    int row;
    uint64_t begin;
    uint64_t duration;
  };
  bool enabled_;
  std::vector<Entry> entries_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TRACE_H_
