// Reads a trace back, for tests of what it shows.
//
//   ReadTrace trace(path);
//   ASSERT_TRUE(trace.IsWellFormed());
//   for (const ReadTrace::Slice& slice : trace.slices("wait"))
//     EXPECT_LE(slice.end - slice.begin, 10u) << slice.name << slice.row;
#ifndef TILETUNE_TESTING_EMULATOR_SNIPPET_READ_TRACE_H_
#define TILETUNE_TESTING_EMULATOR_SNIPPET_READ_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune::emulator {

class ReadTrace {
 public:
  struct Slice {
    std::string name;
    std::string category;
    std::string row;  // its name
    int sm = 0;
    int row_id = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    std::map<std::string, std::string> arguments;
  };

  explicit ReadTrace(const std::string& path);

  // Whether it is JSON with the fields of the Trace Event Format, and slices
  // of a row only follow or contain each other.
  testing::AssertionResult IsWellFormed() const;
  // In order of time; all, or those of a category, whose row's name ends so.
  std::vector<Slice> slices(const std::string& category = "",
                            const std::string& row_ends = "") const;

 private:
  std::string error_;
  std::vector<Slice> slices_;
};

// A file of its own in the test's temporary folder, removed if it is there.
std::string TracePath(const std::string& name);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_SNIPPET_READ_TRACE_H_
