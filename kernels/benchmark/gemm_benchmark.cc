// gemm_benchmark: our GEMMs beside cuBLASLt's, interleaved in one run, cold L2,
// graph-timed.
//
//   bazel run -c opt //kernels:gemm_benchmark -- --csv=$PWD/out.csv
//   bazel run -c opt //kernels:gemm_benchmark -- --shape=4096x4096x4096
//       --config=top:8
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kernels/benchmark/duel.h"
#include "kernels/benchmark/report.h"
#include "kernels/benchmark/workload.h"
#include "kernels/cublaslt/cublaslt.h"
#include "kernels/device.h"
#include "kernels/user_path.h"

ABSL_FLAG(std::string, shapes, "kernels/benchmark/shapes.csv",
          "CSV file: group,m,n,k[,batch], or problem,config as the database's "
          "winners view exports them");
ABSL_FLAG(std::string, shape, "", "MxNxK[xBATCH],... instead of --shapes");
ABSL_FLAG(std::string, group, "", "only rows of this group");
ABSL_FLAG(std::string, dtype, "bf16", "of A and B: bf16, fp16, e4m3, e5m2");
ABSL_FLAG(std::string, out_dtype, "",
          "of D; default: dtype, or bf16 for 8-bit operands");
ABSL_FLAG(std::string, layout, "TN", "TN, NN, NT or TT");
ABSL_FLAG(std::string, scales, "none",
          "of 8-bit A and B: none, tensor, rowcolumn, block128");
ABSL_FLAG(std::string, config, "default",
          "what runs where a row names no config: default, a config, or top:N, "
          "the fastest of the cost model's best N");
ABSL_FLAG(std::string, kernels, "*", "glob over variants, for top:N");
ABSL_FLAG(int, rounds, 15, "interleaved samples of each contender");
ABSL_FLAG(int, device, 0, "CUDA device");
ABSL_FLAG(bool, check, true, "compare ours with the reference first");
ABSL_FLAG(bool, cublaslt, true, "time cuBLASLt too");
ABSL_FLAG(bool, dependent_launch, true,
          "launch ours as programmatic dependents, where the config says so");
ABSL_FLAG(bool, once, false,
          "launch each contender once and time nothing, for a profiler");
ABSL_FLAG(std::string, csv, "", "also write the rows to this file");
ABSL_FLAG(std::string, rough_csv, "",
          "also write the rough times of all top:N to this file");
ABSL_FLAG(int, deadline, 120,
          "seconds a problem may take before the program gives up");

namespace tiletune {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  // A file of this workspace is found from the runfiles folder.
  for (const std::string& candidate : {UserPath(path), path}) {
    std::ifstream file(candidate);
    if (!file) continue;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  return absl::NotFoundError(absl::StrCat("cannot read ", path));
}

absl::StatusOr<GemmProblem> PlainProblem() {
  GemmProblem plain;
  const absl::StatusOr<DataType> type =
      ParseDataType(absl::GetFlag(FLAGS_dtype));
  if (!type.ok()) return type.status();
  plain.a_type = plain.b_type = *type;
  const std::string out = absl::GetFlag(FLAGS_out_dtype);
  plain.d_type = BitsOf(*type) == 8 ? DataType::kBf16 : *type;
  if (!out.empty()) {
    const absl::StatusOr<DataType> d_type = ParseDataType(out);
    if (!d_type.ok()) return d_type.status();
    plain.d_type = *d_type;
  }
  const absl::StatusOr<Layout> layout =
      ParseLayout(absl::GetFlag(FLAGS_layout));
  if (!layout.ok()) return layout.status();
  plain.layout = *layout;
  const absl::StatusOr<Scaling> scaling =
      ParseScaling(absl::GetFlag(FLAGS_scales));
  if (!scaling.ok()) return scaling.status();
  plain.scaling = *scaling;
  return plain;
}

absl::StatusOr<std::vector<WorkloadRow>> Workload() {
  const absl::StatusOr<GemmProblem> plain = PlainProblem();
  if (!plain.ok()) return plain.status();
  std::string csv;
  if (const std::string shapes = absl::GetFlag(FLAGS_shape); !shapes.empty()) {
    csv = "m,n,k,batch\n";
    for (const std::string& shape :
         std::vector<std::string>(absl::StrSplit(shapes, ','))) {
      std::string line = shape;
      for (char& c : line) c = c == 'x' ? ',' : c;
      absl::StrAppend(&csv, line, "\n");
    }
  } else {
    absl::StatusOr<std::string> file = ReadFile(absl::GetFlag(FLAGS_shapes));
    if (!file.ok()) return file.status();
    csv = *std::move(file);
  }
  absl::StatusOr<std::vector<WorkloadRow>> rows = ParseWorkload(csv, *plain);
  if (!rows.ok()) return rows.status();
  const std::string group = absl::GetFlag(FLAGS_group);
  if (group.empty()) return rows;
  std::vector<WorkloadRow> chosen;
  for (WorkloadRow& row : *rows) {
    if (row.group == group) chosen.push_back(std::move(row));
  }
  return chosen;
}

void PrintHeading(const DeviceFacts& device, const Roofline& roofline) {
  const absl::StatusOr<size_t> version = CublasLtVersion();
  std::cout << device.name << " (" << device.Fingerprint() << "), driver "
            << device.driver << ", cuBLASLt "
            << (version.ok() ? absl::StrCat(*version)
                             : std::string(version.status().message()))
            << "\nmeasured roof: " << roofline.flops_per_second / 1e12
            << " TFLOP/s (bf16), copy " << roofline.copy_bytes_per_second / 1e12
            << " TB/s\n"
            << std::flush;
}

absl::Status Run() {
  const absl::StatusOr<std::vector<WorkloadRow>> workload = Workload();
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<DeviceFacts> device =
      QueryDevice(absl::GetFlag(FLAGS_device));
  if (!device.ok()) return device.status();
  cudaStream_t stream = nullptr;
  if (cudaSetDevice(device->ordinal) != cudaSuccess ||
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) !=
          cudaSuccess) {
    return absl::InternalError("cannot make a CUDA stream");
  }
  DuelOptions options;
  options.check = absl::GetFlag(FLAGS_check);
  options.cublaslt = absl::GetFlag(FLAGS_cublaslt);
  options.rounds = absl::GetFlag(FLAGS_rounds);
  options.once = absl::GetFlag(FLAGS_once);
  options.dependent_launch = absl::GetFlag(FLAGS_dependent_launch);
  // A hung kernel cannot be waited for: SIGALRM ends the program.
  const unsigned deadline =
      static_cast<unsigned>(absl::GetFlag(FLAGS_deadline));
  alarm(2 * deadline);
  const absl::StatusOr<Roofline> roofline =
      options.once ? Roofline() : MeasureRoofline(*device, options, stream);
  if (!roofline.ok()) return roofline.status();
  PrintHeading(*device, *roofline);
  options.config = absl::GetFlag(FLAGS_config);
  options.kernels = absl::GetFlag(FLAGS_kernels);
  std::ofstream rough;
  if (const std::string path = absl::GetFlag(FLAGS_rough_csv); !path.empty()) {
    rough.open(UserPath(path));
    if (!rough) {
      return absl::NotFoundError(absl::StrCat("cannot write ", path));
    }
    rough << "problem,config,us\n";
    options.rough = &rough;
  }
  Duel duel(*device, options, stream);
  std::vector<ReportRow> rows;
  const std::string csv_path = UserPath(absl::GetFlag(FLAGS_csv));
  for (const WorkloadRow& row : *workload) {
    alarm(deadline);
    rows.push_back(duel.Run(row));
    std::cerr << "[" << rows.size() << "/" << workload->size() << "] "
              << ProblemKey(row.problem) << "\n";
    // Written anew each time: a hang loses one row.
    if (!csv_path.empty()) {
      std::ofstream(csv_path) << CsvOf(rows, *roofline);
    }
  }
  alarm(0);
  std::cout << TableOf(rows, *roofline) << "\n" << SummaryOf(rows);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "Times our GEMMs beside cuBLASLt's on this machine's GPU.");
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = tiletune::Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "gemm_benchmark: %s\n",
               std::string(status.message()).c_str());
  return 1;
}
