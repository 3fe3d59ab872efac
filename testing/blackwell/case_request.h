// The command line of run_case as data: which kernel on which problem.
//
// Use it in run_case.cc.
//
//   absl::StatusOr<CaseRequest> request = ParseCaseRequest(words);
//   if (!request.ok()) return Unusable(request.status());
//   if (request->list.empty()) runner.Run(request->kernel_case);
#ifndef TILETUNE_TESTING_BLACKWELL_CASE_REQUEST_H_
#define TILETUNE_TESTING_BLACKWELL_CASE_REQUEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "testing/blackwell/kernel_case.h"

namespace tiletune {

struct CaseRequest {
  std::vector<std::string> list;  // names that --list asked for; else empty
  KernelCase kernel_case;
  std::string ptx_path;  // --ptx; empty: the kernel as it was compiled
};

// `words` are the arguments after the program's name; see kCaseUsage. The case
// is legal, and small enough for a CPU. InvalidArgument with a sentence that
// says what to do instead.
absl::StatusOr<CaseRequest> ParseCaseRequest(
    const std::vector<std::string>& words);

extern const char kCaseUsage[];

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_CASE_REQUEST_H_
