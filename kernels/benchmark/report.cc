#include "kernels/benchmark/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/benchmark/samples.h"

namespace tiletune {
namespace {

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "-" where there is no number.
std::string OrDash(const char* format, double value) {
  return value > 0 ? Format(format, value) : "-";
}

double Over(double numerator, double denominator) {
  return numerator > 0 && denominator > 0 ? numerator / denominator : 0;
}

std::string Padded(const std::string& text, size_t width, bool left) {
  if (text.size() >= width) return text;
  const std::string space(width - text.size(), ' ');
  return left ? text + space : space + text;
}

// All columns as wide as their widest cell; the first and last flush left.
std::string Align(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  std::string text;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      const bool left = i == 0 || i + 1 == line.size();
      const size_t width = i + 1 == line.size() ? 0 : widths[i];
      absl::StrAppend(&text, i == 0 ? "" : "  ", Padded(line[i], width, left));
    }
    text += '\n';
  }
  return text;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Ratios(const std::string& name, const std::vector<double>& first,
                   const std::vector<double>& best) {
  return absl::StrCat(
      Padded(name, 20, true), Padded(absl::StrCat(first.size()), 4, false),
      "  first ", OrDash("%.3f", GeometricMean(first)), "  best ",
      OrDash("%.3f", GeometricMean(best)), "  worst ",
      first.empty()
          ? "-"
          : Format("%.3f", *std::min_element(first.begin(), first.end())),
      "\n");
}

}  // namespace

double RooflineSeconds(const GemmProblem& problem, const Roofline& roofline) {
  return std::max(
      Over(Flops(problem), roofline.flops_per_second),
      Over(CompulsoryBytes(problem), roofline.copy_bytes_per_second));
}

std::string TableOf(const std::vector<ReportRow>& rows,
                    const Roofline& roofline) {
  std::vector<std::vector<std::string>> lines = {
      {"problem", "us", "+-%", "TFLOP/s", "TB/s", "% of roof", "Lt first us",
       "Lt best us", "x first", "x best", "config"}};
  for (const ReportRow& row : rows) {
    const double seconds = row.ours.seconds;
    lines.push_back(
        {ProblemKey(row.problem), OrDash("%.2f", seconds * 1e6),
         OrDash("%.1f", row.ours.spread * 100),
         OrDash("%.1f", Over(Flops(row.problem), seconds) / 1e12),
         OrDash("%.2f", Over(CompulsoryBytes(row.problem), seconds) / 1e12),
         OrDash("%.1f",
                100 * Over(RooflineSeconds(row.problem, roofline), seconds)),
         OrDash("%.2f", row.first.seconds * 1e6),
         OrDash("%.2f", row.best.seconds * 1e6),
         OrDash("%.3f", Over(row.first.seconds, seconds)),
         OrDash("%.3f", Over(row.best.seconds, seconds)),
         absl::StrCat(row.config, row.cold ? "" : " (warm)",
                      row.note.empty() ? "" : " ! ", row.note)});
  }
  return Align(lines);
}

std::string CsvOf(const std::vector<ReportRow>& rows,
                  const Roofline& roofline) {
  std::string csv =
      "group,problem,config,ours_us,ours_spread,cublaslt_first_us,"
      "cublaslt_first_spread,cublaslt_best_us,cublaslt_best_spread,"
      "cublaslt_algorithms,tflops,tbytes_per_s,roofline_us,peak_tflops,"
      "copy_tbytes_per_s,cold_l2,note\n";
  for (const ReportRow& row : rows) {
    const double seconds = row.ours.seconds;
    std::vector<std::string> cells = {
        row.group, Quoted(ProblemKey(row.problem)), Quoted(row.config)};
    for (const Timing& timing : {row.ours, row.first, row.best}) {
      cells.push_back(Format("%.4f", timing.seconds * 1e6));
      cells.push_back(Format("%.5f", timing.spread));
    }
    cells.push_back(absl::StrCat(row.algorithms));
    cells.push_back(Format("%.2f", Over(Flops(row.problem), seconds) / 1e12));
    cells.push_back(
        Format("%.4f", Over(CompulsoryBytes(row.problem), seconds) / 1e12));
    cells.push_back(
        Format("%.4f", RooflineSeconds(row.problem, roofline) * 1e6));
    cells.push_back(Format("%.1f", roofline.flops_per_second / 1e12));
    cells.push_back(Format("%.3f", roofline.copy_bytes_per_second / 1e12));
    cells.push_back(row.cold ? "1" : "0");
    cells.push_back(Quoted(row.note));
    for (size_t i = 0; i < cells.size(); ++i) {
      absl::StrAppend(&csv, i == 0 ? "" : ",", cells[i]);
    }
    csv += '\n';
  }
  return csv;
}

std::string SummaryOf(const std::vector<ReportRow>& rows) {
  struct Group {
    std::vector<double> first, best;
  };
  std::map<std::string, Group> groups;
  Group all;
  for (const ReportRow& row : rows) {
    const double first = Over(row.first.seconds, row.ours.seconds);
    const double best = Over(row.best.seconds, row.ours.seconds);
    if (first <= 0 || best <= 0) continue;
    for (Group* group : {&groups[row.group], &all}) {
      group->first.push_back(first);
      group->best.push_back(best);
    }
  }
  std::string text =
      "our speed over cuBLASLt's, geometric means (worst: of first)\n";
  for (const auto& [name, group] : groups) {
    text += Ratios(name.empty() ? "(no group)" : name, group.first, group.best);
  }
  return text + Ratios("all", all.first, all.best);
}

}  // namespace tiletune
