#include "kernels/benchmark/workload.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "kernels/csv_fields.h"

namespace tiletune {
namespace {

using Columns = std::map<std::string, std::string>;

Columns ColumnsOf(const std::vector<CsvField>& header,
                  const std::vector<CsvField>& fields) {
  Columns columns;
  for (size_t i = 0; i < fields.size() && i < header.size(); ++i) {
    columns[header[i].text] = fields[i].text;
  }
  return columns;
}

absl::Status ReadSize(const Columns& columns, const char* name, int64_t* size) {
  const auto found = columns.find(name);
  if (found == columns.end() || found->second.empty()) {
    return absl::OkStatus();
  }
  if (absl::SimpleAtoi(found->second, size)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", found->second, "\" is not a size for ", name));
}

absl::StatusOr<WorkloadRow> ParseRow(const Columns& columns,
                                     const GemmProblem& plain) {
  const auto text = [&columns](const char* name) {
    const auto found = columns.find(name);
    return found == columns.end() ? std::string() : found->second;
  };
  WorkloadRow row;
  row.group = text("group");
  row.config = text("config");
  if (!text("problem").empty()) {
    const absl::StatusOr<GemmProblem> problem =
        ParseProblemKey(text("problem"));
    if (!problem.ok()) return problem.status();
    row.problem = *problem;
    return row;
  }
  row.problem = plain;
  const std::pair<const char*, int64_t*> sizes[] = {
      {"m", &row.problem.m},
      {"n", &row.problem.n},
      {"k", &row.problem.k},
      {"batch", &row.problem.batch}};
  for (const auto& [name, size] : sizes) {
    const absl::Status status = ReadSize(columns, name, size);
    if (!status.ok()) return status;
  }
  if (row.problem.m < 1 || row.problem.n < 1 || row.problem.batch < 1) {
    return absl::InvalidArgumentError("needs problem, or m, n and k");
  }
  const absl::Status valid = Validate(row.problem);
  if (!valid.ok()) return valid;
  return row;
}

}  // namespace

absl::StatusOr<std::vector<WorkloadRow>> ParseWorkload(
    std::string_view csv, const GemmProblem& plain) {
  std::vector<WorkloadRow> rows;
  std::vector<CsvField> header;
  int number = 0;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(std::string(csv), '\n'))) {
    ++number;
    const absl::string_view text = absl::StripSuffix(line, "\r");
    if (text.empty() || text[0] == '#') continue;
    const absl::StatusOr<std::vector<CsvField>> fields =
        SplitCsvFields({text.data(), text.size()});
    if (fields.ok() && header.empty()) {
      header = *fields;
      continue;
    }
    absl::StatusOr<WorkloadRow> row =
        fields.ok() ? ParseRow(ColumnsOf(header, *fields), plain)
                    : fields.status();
    if (!row.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", number, ": ", std::string(row.status().message())));
    }
    rows.push_back(*std::move(row));
  }
  return rows;
}

GemmConfig AsTimed(GemmConfig config, bool dependent_launch) {
  config.dependent_launch = config.dependent_launch && dependent_launch;
  return config;
}

}  // namespace tiletune
