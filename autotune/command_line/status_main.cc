#include "autotune/command_line/status_main.h"

#include <cstdio>
#include <filesystem>
#include <string>

#include "absl/flags/parse.h"

namespace tiletune {

int StatusMain(int argc, char** argv, absl::Status (*run)()) {
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s: %s\n",
               std::filesystem::path(argv[0]).filename().c_str(),
               std::string(status.message()).c_str());
  return 1;
}

}  // namespace tiletune
