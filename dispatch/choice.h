// A choice: the config that dispatch launches for a problem, and why.
//
//   Choice choice = *gemm->Choose(problem);
//   printf("%s (%s)\n", ConfigKey(choice.config).c_str(), Name(choice.why));
//   if (choice.why == Why::kDefault) puts("nobody tuned this shape");
//   // The trust goes down in the order of the enumerators.
#ifndef TILETUNE_DISPATCH_CHOICE_H_
#define TILETUNE_DISPATCH_CHOICE_H_

#include <cstddef>
#include <cstdint>

#include "kernels/config.h"

namespace tiletune {

enum class Why : uint8_t {
  kPinned,     // the caller said so
  kTuned,      // measured for this problem, in the user's database
  kSystem,     // measured for this problem, in the system's database
  kNearest,    // measured for a problem nearby of the same family
  kPredicted,  // a stored prediction of the cost model
  kDefault,    // DefaultConfig()
};

// "pinned", "tuned", "system", "nearest", "predicted", "default".
const char* Name(Why why);

struct Choice {
  GemmConfig config;
  Why why = Why::kDefault;
  // Device memory that the config needs; 0 on a modelled device, where nothing
  // runs.
  size_t workspace_bytes = 0;
  // What the database says this config takes: measured where `why` is tuned or
  // system, predicted where it is predicted, 0 otherwise. In ns.
  double expected_ns = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_CHOICE_H_
