// Runs one kernel of a PTX file in the emulator; see kRunUsage.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "testing/emulator/run_request.h"
#include "testing/emulator/stop_on_signal.h"

int main(int argc, char** argv) {
  using tiletune::emulator::Finding;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto request = tiletune::emulator::ParseRunRequest(words);
  if (!request.ok()) {
    std::cerr << request.status().message() << "\n"
              << tiletune::emulator::kRunUsage;
    return 2;
  }
  // Under "bazel run", files are relative to where the user is.
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    std::cerr << "cannot change to " << folder << "\n";
    return 2;
  }
  request->options.on_finding = [](const Finding& finding) {
    std::cerr << ToString(finding) << std::endl;
  };
  const tiletune::emulator::StopOnSignal signals;
  request->options.stop = signals.flag();
  auto result = tiletune::emulator::Execute(*request);
  if (!result.ok()) {
    std::cerr << result.status().message() << "\n";
    return 2;
  }
  std::cout << result->printed << std::flush;
  std::cerr << result->warp_instructions << " warp instructions, "
            << result->ctas_run << " CTAs run, " << result->ctas_cancelled
            << " taken over, " << result->findings.size() << " findings\n";
  return result->Clean() ? 0 : 1;
}
