// The command line of ptx_run as data, and its execution.
//
//   absl::StatusOr<RunRequest> request = ParseRunRequest(words);
//   if (!request.ok()) return Usage(request.status());
//   absl::StatusOr<RunResult> result = Execute(*request);
//   for (const Finding& f : result->findings) std::cerr << ToString(f) << "\n";
#ifndef TILETUNE_TESTING_EMULATOR_RUN_REQUEST_H_
#define TILETUNE_TESTING_EMULATOR_RUN_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/run_argument.h"

namespace tiletune::emulator {

struct RunRequest {
  std::string path;
  std::string entry;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamic_shared = 0;
  RunOptions options;
  std::vector<RunArgument> arguments;
  std::vector<RunArgument> buffers;  // no parameters of the kernel
};

// `words` are the arguments after the program's name; see kRunUsage.
absl::StatusOr<RunRequest> ParseRunRequest(
    const std::vector<std::string>& words);

// Reads the files, runs the kernel, writes the output files (also after
// findings). An error status means that nothing could be run, or a file could
// not be written.
absl::StatusOr<RunResult> Execute(const RunRequest& request);

extern const char kRunUsage[];

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_RUN_REQUEST_H_
