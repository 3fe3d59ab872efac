#include "autotune/store/csv.h"

#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "kernels/csv_fields.h"

namespace tiletune {
namespace {

constexpr char kSamples[] = "samples_ns";

// The shortest of these notations that reads back to the same bits. A real
// always has a '.', an 'e' or a name, so that it stays one.
std::string RealText(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  std::string out = text;
  if (out.find_first_of(".enai") == std::string::npos) out += ".0";
  return out;
}

std::string Quoted(const std::string& text) {
  // A text that looks like a number is quoted, and so stays a text.
  double number;
  const bool plain = !text.empty() &&
                     text.find_first_of(",\"\r\n") == std::string::npos &&
                     !absl::SimpleAtod(text, &number);
  if (plain) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

struct FieldWriter {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(double value) const { return RealText(value, 17); }
  std::string operator()(const std::string& value) const {
    return Quoted(value);
  }
  std::string operator()(const std::vector<float>& values) const {
    return absl::StrJoin(values, ";", [](std::string* out, float value) {
      absl::StrAppend(out, RealText(value, 9));
    });
  }
};

Value ParseField(const std::string& column, const CsvField& field) {
  if (column == kSamples) {
    std::vector<float> samples;
    for (const std::string& part :
         std::vector<std::string>(absl::StrSplit(field.text, ';'))) {
      float sample;
      if (absl::SimpleAtof(part, &sample)) samples.push_back(sample);
    }
    return samples;
  }
  int64_t integer;
  double real;
  if (field.quoted) return field.text;
  if (field.text.empty()) return std::monostate();
  if (absl::SimpleAtoi(field.text, &integer)) return integer;
  if (absl::SimpleAtod(field.text, &real)) return real;
  return field.text;
}

}  // namespace

std::string CsvHeader(const Row& row) {
  return absl::StrJoin(row.columns(), ",",
                       [](std::string* out, const auto& column) {
                         absl::StrAppend(out, column.first);
                       });
}

std::string ToCsvLine(const Row& row) {
  return absl::StrJoin(
      row.columns(), ",", [](std::string* out, const auto& column) {
        absl::StrAppend(out, std::visit(FieldWriter(), column.second));
      });
}

absl::StatusOr<std::vector<std::string>> SplitCsvLine(std::string_view line) {
  const absl::StatusOr<std::vector<CsvField>> fields = SplitCsvFields(line);
  if (!fields.ok()) return fields.status();
  std::vector<std::string> texts;
  for (const CsvField& field : *fields) texts.push_back(field.text);
  return texts;
}

absl::StatusOr<Row> ParseCsvLine(const std::vector<std::string>& header,
                                 std::string_view line) {
  const absl::StatusOr<std::vector<CsvField>> fields = SplitCsvFields(line);
  if (!fields.ok()) return fields.status();
  if (fields->size() != header.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        fields->size(), " fields under a header of ", header.size()));
  }
  Row row;
  for (size_t i = 0; i < fields->size(); ++i) {
    row.Set(header[i], ParseField(header[i], (*fields)[i]));
  }
  return row;
}

}  // namespace tiletune
