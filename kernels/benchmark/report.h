// One line of the benchmark's table and of its CSV.
//
//   std::vector<ReportRow> rows = ...;
//   std::cout << TableOf(rows, roofline) << SummaryOf(rows);
//   csv_file << CsvOf(rows, roofline);
#ifndef TILETUNE_KERNELS_BENCHMARK_REPORT_H_
#define TILETUNE_KERNELS_BENCHMARK_REPORT_H_

#include <string>
#include <vector>

#include "kernels/problem.h"

namespace tiletune {

// What the device reached in this run: the sides of the roof.
struct Roofline {
  double flops_per_second = 0;       // the best GEMM of any contender
  double copy_bytes_per_second = 0;  // device to device, read plus written
};

// Median seconds of one launch and their spread (interquartile range over
// median); 0 seconds: not run.
struct Timing {
  double seconds = 0;
  double spread = 0;
};

struct ReportRow {
  std::string group;
  GemmProblem problem;
  std::string config;        // of ours
  std::string note;          // why something is missing
  Timing ours, first, best;  // `first`, `best`: cuBLASLt's heuristics
  int algorithms = 0;        // that cuBLASLt offered
  bool cold = false;         // whether the operands exceeded L2 twice
};

// The least time the roofline allows: the longer of the FLOP at the measured
// peak and the compulsory bytes at the measured copy bandwidth. 0 if unknown.
double RooflineSeconds(const GemmProblem& problem, const Roofline& roofline);

std::string TableOf(const std::vector<ReportRow>& rows,
                    const Roofline& roofline);
std::string CsvOf(const std::vector<ReportRow>& rows, const Roofline& roofline);
// Geometric means of our speed over cuBLASLt's, by group and together.
std::string SummaryOf(const std::vector<ReportRow>& rows);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_BENCHMARK_REPORT_H_
