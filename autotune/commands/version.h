// What this program is: to be stored with what it measures, and to be said.
//
//   run.tool_version = ToolVersion();
//   puts(("autotune " + ToolVersion()).c_str());
//   // autotune 0.1.0 (206 kernels, build 2f0c..., cost model tiletune-8, ...)
#ifndef TILETUNE_AUTOTUNE_COMMANDS_VERSION_H_
#define TILETUNE_AUTOTUNE_COMMANDS_VERSION_H_

#include <string>

namespace tiletune {

// As MODULE.bazel has it.
inline constexpr char kVersion[] = "0.1.0";

// The version, how many kernels there are, one fingerprint of all their builds
// (programs of the same kernels say the same), the cost model and the version
// of the databases that it writes.
std::string ToolVersion();

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_VERSION_H_
