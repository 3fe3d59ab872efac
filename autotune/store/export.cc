#include "autotune/store/export.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/store/csv.h"
#include "autotune/store/json_lines.h"
#include "autotune/store/transfer.h"
#include "kernels/problem.h"

namespace tiletune {
namespace {

absl::Status ExportJsonl(const Store& store, std::ostream& out) {
  for (const Transfer* transfer : kShared) {
    absl::Status status =
        ReadRows(store.connection(), *transfer, Filter(), [&](const Row& row) {
          out << ToJsonLine(transfer->kind, row) << '\n';
          return absl::OkStatus();
        });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ExportCsv(const Store& store, std::ostream& out) {
  bool headed = false;
  return ReadRows(store.connection(), kMeasurements, Filter(),
                  [&](const Row& row) {
                    if (!headed) out << CsvHeader(row) << '\n';
                    headed = true;
                    out << ToCsvLine(row) << '\n';
                    return absl::OkStatus();
                  });
}

// A newer build's problems, and measurements of what cannot be measured, are
// left out.
bool IsUsable(const Transfer& transfer, const Row& row) {
  if (!transfer.has_device_problem_config) return true;
  if (&transfer == &kMeasurements && row.Integer("modelled") != 0) return false;
  // A row without a problem is no row: writing it says so.
  if (row.Find("problem") == nullptr) return true;
  return ParseProblemKey(row.Text("problem")).ok();
}

// Times that nothing can take: what Record calls refuse too.
absl::Status CheckTimes(const Transfer& transfer, const Row& row) {
  const bool is_prediction = &transfer == &kPredictions;
  const bool is_measured = &transfer == &kMeasurements &&
                           row.Find("outcome") != nullptr &&
                           row.Text("outcome") == Name(Outcome::kOk);
  if (!is_prediction && !is_measured) return absl::OkStatus();
  const char* const column = is_prediction ? "predicted_ns" : "median_ns";
  const double ns = row.Find(column) == nullptr ? 1 : row.Real(column);
  if (std::isfinite(ns) && ns > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(column, " of ", ns, " is no time"));
}

absl::Status Take(const Transfer& transfer, const Row& row, Store* store,
                  ImportCounts* counts) {
  if (!IsUsable(transfer, row)) {
    ++counts->skipped;
    return absl::OkStatus();
  }
  const absl::Status times = CheckTimes(transfer, row);
  if (!times.ok()) return times;
  ++counts->read;
  return WriteRow(store->connection(), transfer, row);
}

absl::Status ImportJsonLine(const std::string& line, Store* store,
                            ImportCounts* counts) {
  absl::StatusOr<std::pair<std::string, Row>> parsed = ParseJsonLine(line);
  if (!parsed.ok()) return parsed.status();
  for (const Transfer* transfer : kShared) {
    if (parsed->first == transfer->kind) {
      return Take(*transfer, parsed->second, store, counts);
    }
  }
  ++counts->skipped;
  return absl::OkStatus();
}

}  // namespace

absl::Status Export(const Store& store, TextFormat format, std::ostream& out) {
  absl::Status status = format == TextFormat::kCsv ? ExportCsv(store, out)
                                                   : ExportJsonl(store, out);
  if (status.ok() && !out.flush()) {
    return absl::DataLossError("cannot write the export");
  }
  return status;
}

absl::StatusOr<ImportCounts> Import(std::istream& in, TextFormat format,
                                    Store* store) {
  ImportCounts counts;
  absl::Status bad_line;  // of the text, whatever the database is called
  absl::Status status = store->Transaction([&]() -> absl::Status {
    std::vector<std::string> header;
    std::string line;
    for (int64_t number = 1; std::getline(in, line); ++number) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      // The byte order mark that spreadsheets put before UTF-8.
      if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
      absl::Status taken;
      if (line.empty()) continue;
      if (format == TextFormat::kJsonl) {
        taken = ImportJsonLine(line, store, &counts);
      } else if (header.empty()) {
        header = SplitCsvLine(line);
        if (std::count(header.begin(), header.end(), "problem") != 1) {
          taken = absl::InvalidArgumentError(
              "not the names of the columns that export writes");
        }
      } else {
        absl::StatusOr<Row> row = ParseCsvLine(header, line);
        taken =
            row.ok() ? Take(kMeasurements, *row, store, &counts) : row.status();
      }
      if (!taken.ok()) {
        bad_line = absl::Status(
            taken.code(), absl::StrCat("line ", number, ": ", taken.message()));
        return bad_line;
      }
    }
    if (in.bad()) return absl::DataLossError("cannot be read");
    return absl::OkStatus();
  });
  if (!bad_line.ok()) return bad_line;
  if (!status.ok()) return status;
  return counts;
}

}  // namespace tiletune
