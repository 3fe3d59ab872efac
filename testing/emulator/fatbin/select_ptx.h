// Which PTX of a fat binary a GPU would be given, as the driver chooses.
//
// Use it when a program with code for several GPUs is to run as one of them.
//
//   absl::StatusOr<std::string> ptx = SelectPtx(bytes, 100);  // a B200
//   if (!ptx.ok()) std::cerr << ptx.status().message();
//   // "the fat binary has no PTX that sm_100 can run; it has PTX for sm_90a
//   //  and machine code for sm_90"
//   auto module = device.Load(*ptx);
#ifndef TILETUNE_TESTING_EMULATOR_FATBIN_SELECT_PTX_H_
#define TILETUNE_TESTING_EMULATOR_FATBIN_SELECT_PTX_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tiletune::emulator {

// Whether PTX whose .target is `target` ("sm_90", "sm_100f", "sm_103a") can be
// compiled for compute capability `capability` (90, 100, 103): PTX ISA 11.1.2.
// "sm_90" runs on it and everything later; "sm_100f" within its family from
// 10.0 on; "sm_103a" on 10.3 alone.
bool TargetRunsOn(std::string_view target, int capability);

// The .target of a PTX text, without its options ("sm_90a" of
// ".target sm_90a, debug"); empty when there is none.
std::string_view TargetOf(std::string_view ptx);

// The PTX with the latest target that the GPU can run; of equally late ones
// the most specific. NotFound, naming what there is, when there is none.
absl::StatusOr<std::string> SelectPtx(std::string_view fatbin, int capability);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FATBIN_SELECT_PTX_H_
