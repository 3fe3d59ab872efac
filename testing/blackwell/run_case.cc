// Runs one Blackwell kernel on one problem in the emulator, on any machine,
// and holds D against the fp64 reference; see kCaseUsage. Start it with
//
//   bazel run //testing/blackwell:run_case -- VARIANT --m=300 --n=424 --k=136
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/user_path.h"
#include "testing/blackwell/case_request.h"
#include "testing/blackwell/kernel_runner.h"

namespace tiletune {
namespace {

constexpr int kUnusable = 2;

int Unusable(const std::string& sentence) {
  std::cerr << "run_case: " << sentence << "\n";
  return kUnusable;
}

// Paths are relative to the runfiles, where Bazel starts a program.
bool ReadFile(const std::string& path, std::string* text) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  *text = stream.str();
  return file.good() && !text->empty();
}

void PrintCase(const KernelCase& c) {
  std::cout << "kernel    " << ConfigKey(ConfigOf(c))
            << (c.variant->proven ? "" : " (not proven)") << "\n"
            << "problem   " << ProblemKey(c.problem) << ", alpha " << c.alpha
            << ", beta " << c.beta << "\n"
            << "emulator  " << (c.strict ? "strict" : "hardware")
            << " checks, seed " << c.seed << ", " << c.interleavings
            << (c.interleavings == 1 ? " run" : " runs");
  if (c.variant->supply == SupplyKind::kClc) {
    std::cout << ", refusals " << c.refusal_rate;
  }
  std::cout << std::endl;
}

void PrintReport(const KernelCase& c, const CaseReport& r) {
  std::cout << "launch    " << r.cluster_tiles << " cluster tiles of "
            << c.variant->tile_m * c.variant->cluster_m << " x "
            << c.variant->tile_n * c.variant->cluster_n
            << (c.variant->swaps_operands ? " of D transposed, " : ", ")
            << r.grid << " CTAs in clusters of " << r.cluster << ", " << r.sms
            << " SMs, " << r.repacks << " repacks, " << r.workspace_bytes
            << " bytes of workspace\n"
            << "ran       " << r.warp_instructions << " warp instructions, "
            << r.ctas_run << " CTAs, " << r.ctas_taken_over
            << " taken over by try_cancel\n"
            << "findings  " << r.findings << "\n";
}

int Run(const KernelCase& c, std::string ptx_path) {
  std::string kernel, repack;
  if (ptx_path.empty()) {
    ptx_path = absl::StrCat("kernels/blackwell/", c.variant->name, "_ptx.ptx");
  } else if (!ReadFile(ptx_path, &kernel)) {
    return Unusable("cannot read " + ptx_path);
  }
  if (!ReadFile(ptx_path, &kernel) ||
      !ReadFile("kernels/repack/repack_ptx.ptx", &repack)) {
    return Unusable(
        "cannot find the PTX; start it with bazel run "
        "//testing/blackwell:run_case");
  }
  if (!c.trace_path.empty() && !std::ofstream(c.trace_path)) {
    return Unusable("cannot write " + c.trace_path);
  }
  const absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
      KernelRunner::Create(*c.variant, kernel, repack);
  if (!runner.ok()) return Unusable(std::string(runner.status().message()));
  PrintCase(c);
  CaseReport report;
  const testing::AssertionResult result = (*runner)->Run(c, &report);
  PrintReport(c, report);
  if (!result) {
    std::cout << (report.findings == 0 ? "D         wrong: " : "")
              << result.message() << "\n";
    return 1;
  }
  std::cout << "D         every element is "
            << (c.has_random_inputs ? "within the error bound of"
                                    : "exactly that of")
            << " the fp64 reference\n";
  return 0;
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  auto request = tiletune::ParseCaseRequest(
      std::vector<std::string>(argv + 1, argv + argc));
  if (!request.ok()) {
    return tiletune::Unusable(std::string(request.status().message()));
  }
  for (const std::string& name : request->list) std::cout << name << "\n";
  if (!request->list.empty()) return 0;
  tiletune::KernelCase& c = request->kernel_case;
  c.trace_path = tiletune::UserPath(c.trace_path);
  return tiletune::Run(c, tiletune::UserPath(request->ptx_path));
}
