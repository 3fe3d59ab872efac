#include "autotune/command_line/problem_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autotune/command_line/problem_flags.h"
#include "autotune/command_line/shape.h"
#include "autotune/store/text_lines.h"
#include "kernels/csv_fields.h"

namespace tiletune {
namespace {

// Overrides the fields of `options` that the line has a value for.
absl::Status SetColumn(const std::string& column, const std::string& value,
                       Shape* shape, Options* options) {
  const std::pair<const char*, int64_t*> sizes[] = {{"m", &shape->m},
                                                    {"n", &shape->n},
                                                    {"k", &shape->k},
                                                    {"batch", &shape->batch}};
  for (const auto& [name, size] : sizes) {
    if (column == name && !absl::SimpleAtoi(value, size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", value, "' is no number for ", column));
    }
  }
  const std::pair<const char*, std::string*> texts[] = {
      {"dtype", &options->dtype},   {"out_dtype", &options->out_dtype},
      {"layout", &options->layout}, {"epilogue", &options->epilogue},
      {"ld", &options->ld},         {"batch_stride", &options->batch_stride}};
  for (const auto& [name, text] : texts) {
    if (column == name) *text = value;
  }
  return absl::OkStatus();
}

constexpr const char* kColumns[] = {
    "m",         "n",      "k",        "batch", "dtype",
    "out_dtype", "layout", "epilogue", "ld",    "batch_stride"};

// Whose fields are for people.
bool IsComment(const std::string& column) {
  return column.empty() || column[0] == '#' || column == "name" ||
         column == "group";
}

absl::Status CheckColumns(const std::vector<std::string>& columns) {
  const std::string known = absl::StrJoin(kColumns, ", ");
  for (const std::string& column : columns) {
    if (IsComment(column)) continue;
    const bool is_known = std::find(std::begin(kColumns), std::end(kColumns),
                                    column) != std::end(kColumns);
    if (is_known && std::count(columns.begin(), columns.end(), column) == 1) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the first line names the columns, and ",
                     is_known ? "names this one twice" : "this is none", ": '",
                     column, "'; there are ", known,
                     ", and, for people, name, group and what starts with #"));
  }
  for (const char* required : {"m", "n", "k"}) {
    if (std::count(columns.begin(), columns.end(), required) == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the first line names the columns, and '", required,
                     "' is not among them; there are ", known));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Fields(const std::string& line) {
  const absl::StatusOr<std::vector<CsvField>> fields = SplitCsvFields(line);
  if (!fields.ok()) return fields.status();
  std::vector<std::string> texts;
  for (const CsvField& field : *fields) {
    texts.emplace_back(absl::StripAsciiWhitespace(field.text));
  }
  return texts;
}

}  // namespace

absl::StatusOr<std::vector<GemmProblem>> ReadProblems(std::istream& csv,
                                                      const Options& options) {
  std::vector<GemmProblem> problems;
  std::vector<std::string> columns;
  std::string line;
  for (int number = 1;; ++number) {
    const std::string where = absl::StrCat("line ", number);
    const absl::StatusOr<bool> more = ReadLine(csv, kLongestShape, &line);
    if (!more.ok()) return Within(more.status(), where);
    if (!*more) return problems;
    // The byte order mark that spreadsheets put before UTF-8.
    if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
    absl::StripAsciiWhitespace(&line);
    if (line.empty() || line[0] == '#') continue;
    const absl::StatusOr<std::vector<std::string>> fields = Fields(line);
    if (!fields.ok()) return Within(fields.status(), where);
    if (columns.empty()) {
      columns = *fields;
      const absl::Status status = CheckColumns(columns);
      if (!status.ok()) return Within(status, where);
      continue;
    }
    if (fields->size() != columns.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": ", fields->size(), " fields under ",
                       columns.size(), " columns"));
    }
    Shape shape;
    Options own = options;
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& field = (*fields)[i];
      if (field.empty() || IsComment(columns[i])) continue;
      const absl::Status status = SetColumn(columns[i], field, &shape, &own);
      if (!status.ok()) return Within(status, where);
    }
    const absl::StatusOr<Shape> checked = ParseShape(ToString(shape));
    if (!checked.ok()) return Within(checked.status(), where);
    const absl::StatusOr<GemmProblem> problem = ProblemOf(*checked, own);
    if (!problem.ok()) return Within(problem.status(), where);
    problems.push_back(*problem);
  }
}

absl::StatusOr<std::vector<GemmProblem>> ReadProblemFile(
    const std::string& path, const Options& options) {
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot be read: ", strerror(errno)));
  }
  absl::StatusOr<std::vector<GemmProblem>> problems =
      ReadProblems(file, options);
  if (!problems.ok()) return Within(problems.status(), path);
  return problems;
}

}  // namespace tiletune
