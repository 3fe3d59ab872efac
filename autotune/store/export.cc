#include "autotune/store/export.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/store/csv.h"
#include "autotune/store/json_lines.h"
#include "autotune/store/text_lines.h"
#include "autotune/store/transfer.h"

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

absl::Status ImportJsonLine(const std::string& line, Store* store,
                            TakenRows* taken) {
  absl::StatusOr<std::pair<std::string, Row>> parsed = ParseJsonLine(line);
  if (!parsed.ok()) return parsed.status();
  for (const Transfer* transfer : kShared) {
    if (parsed->first == transfer->kind) {
      return store->TakeOver(*transfer, parsed->second, taken);
    }
  }
  ++taken->skipped;
  return absl::OkStatus();
}

absl::Status CheckHeader(const std::vector<std::string>& header) {
  if (std::count(header.begin(), header.end(), "problem") == 0) {
    return absl::InvalidArgumentError(
        "not the names of the columns that export writes");
  }
  for (const std::string& column : header) {
    if (std::count(header.begin(), header.end(), column) == 1) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the column ", column, " is there twice"));
  }
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

absl::StatusOr<TakenRows> Import(std::istream& in, TextFormat format,
                                 Store* store) {
  TakenRows all;
  int64_t first_impossible = 0;  // its line
  absl::Status bad_line;         // of the text, whatever the database is called
  absl::Status status = store->Transaction([&]() -> absl::Status {
    std::vector<std::string> header;
    std::string line;
    for (int64_t number = 1;; ++number) {
      const absl::StatusOr<bool> more = ReadLine(in, kLongestRow, &line);
      if (!more.ok()) {
        bad_line = Within(more.status(), absl::StrCat("line ", number));
        return bad_line;
      }
      if (!*more) return absl::OkStatus();
      if (!line.empty() && line.back() == '\r') line.pop_back();
      // The byte order mark that spreadsheets put before UTF-8.
      if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
      absl::Status taken;
      if (line.empty()) continue;
      if (format == TextFormat::kJsonl) {
        taken = ImportJsonLine(line, store, &all);
      } else if (header.empty()) {
        const absl::StatusOr<std::vector<std::string>> columns =
            SplitCsvLine(line);
        if (columns.ok()) header = *columns;
        taken = columns.ok() ? CheckHeader(header) : columns.status();
      } else {
        absl::StatusOr<Row> row = ParseCsvLine(header, line);
        taken = row.ok() ? store->TakeOver(kMeasurements, *row, &all)
                         : row.status();
      }
      if (all.impossible == 1 && first_impossible == 0) {
        first_impossible = number;
      }
      if (!taken.ok()) {
        bad_line = Within(taken, absl::StrCat("line ", number));
        return bad_line;
      }
    }
  });
  if (!bad_line.ok()) return bad_line;
  if (!status.ok()) return status;
  if (first_impossible != 0) {
    all.first_impossible =
        absl::StrCat("line ", first_impossible, ": ", all.first_impossible);
  }
  return all;
}

}  // namespace tiletune
