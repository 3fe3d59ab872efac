#include "autotune/store/text_lines.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tiletune {

absl::StatusOr<bool> ReadLine(std::istream& in, size_t longest,
                              std::string* line) {
  line->clear();
  char part[4096];
  while (true) {
    in.getline(part, sizeof(part));
    if (in.bad()) return absl::DataLossError("cannot be read");
    const size_t count = static_cast<size_t>(in.gcount());
    if (!in.fail()) {  // the end of a line was read, but not of the last one
      line->append(part, in.eof() ? count : count - 1);
      return true;
    }
    if (in.eof()) return !line->empty();
    line->append(part, count);
    if (line->size() > longest) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a line of more than ", longest >> 20, " MiB, as no such text has"));
    }
    in.clear();  // of what says that `part` was full
  }
}

absl::Status Within(const absl::Status& status, const std::string& where) {
  constexpr size_t kLongestMessage = 2000;
  std::string shown;
  for (const unsigned char c : status.message()) {
    if (shown.size() > kLongestMessage) {
      shown += "...";
      break;
    }
    if (absl::ascii_iscntrl(c) && c != '\n') {
      absl::StrAppend(&shown, "\\x", absl::Hex(c, absl::kZeroPad2));
    } else {
      shown.push_back(static_cast<char>(c));
    }
  }
  return absl::Status(status.code(), absl::StrCat(where, ": ", shown));
}

}  // namespace tiletune
