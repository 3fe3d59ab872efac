#include "autotune/store/text_lines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tiletune {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  std::string line;
  while (*ReadLine(in, kLongestShape, &line)) lines.push_back(line);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ReadLine, EndsAtLineBreaksAndAtTheEnd) {
  EXPECT_EQ(LinesOf(""), Lines());
  EXPECT_EQ(LinesOf("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(LinesOf("a\nb\n"), (Lines{"a", "b"}));
}

TEST(ReadLine, TakesLinesOfAnyLengthWhole) {
  for (const size_t length : {4094, 4095, 4096, 4097, 8190, 8191, 100000}) {
    const std::string line(length, 'x');
    EXPECT_EQ(LinesOf(line), Lines{line}) << length;
    EXPECT_EQ(LinesOf(line + "\n" + line), (Lines{line, line})) << length;
    EXPECT_EQ(LinesOf(line + "\n"), Lines{line}) << length;
  }
}

TEST(ReadLine, StopsInADeviceThatHasNone) {
  std::ifstream zeros("/dev/zero");
  std::string line;
  const absl::StatusOr<bool> read = ReadLine(zeros, kLongestShape, &line);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_LT(line.size(), 2 * kLongestShape);
}

TEST(ReadLine, AFolderCannotBeRead) {
  std::ifstream folder("/");
  std::string line;
  EXPECT_EQ(ReadLine(folder, kLongestShape, &line).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(Within, KeepsTheErrorAndSaysWhere) {
  const absl::Status there =
      Within(absl::NotFoundError("cannot be read"), "a.csv");
  EXPECT_EQ(there.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(there.message(), "a.csv: cannot be read");
}

TEST(Within, QuotesNothingThatATerminalObeys) {
  const std::string red("\x1b[31m\x7f\0\t", 8);
  const absl::Status in_a =
      Within(absl::NotFoundError(red + "caf\xc3\xa9"), "a");
  EXPECT_EQ(in_a.message(), "a: \\x1b[31m\\x7f\\x00\\x09caf\xc3\xa9");
  EXPECT_EQ(Within(in_a, "b").message(),
            "b: " + std::string(in_a.message().data(), in_a.message().size()));
}

TEST(Within, CutsOffWhatIsNoSentence) {
  const absl::Status in_a =
      Within(absl::NotFoundError(std::string(1 << 20, 'x')), "a");
  EXPECT_LT(in_a.message().size(), 2100u);
  EXPECT_EQ(in_a.message().substr(in_a.message().size() - 4), "x...");
}

}  // namespace
}  // namespace tiletune
