// Runs one kernel of a PTX file in the emulator; see kRunUsage.
#include <iostream>
#include <string>
#include <vector>

#include "testing/emulator/run_request.h"

int main(int argc, char** argv) {
  using tiletune::emulator::Finding;
  std::vector<std::string> words(argv + 1, argv + argc);
  auto request = tiletune::emulator::ParseRunRequest(words);
  if (!request.ok()) {
    std::cerr << request.status().message() << "\n"
              << tiletune::emulator::kRunUsage;
    return 2;
  }
  auto result = tiletune::emulator::Execute(*request);
  if (!result.ok()) {
    std::cerr << result.status().message() << "\n";
    return 2;
  }
  std::cout << result->printed;
  for (const Finding& finding : result->findings) {
    std::cerr << ToString(finding) << "\n";
  }
  std::cerr << result->warp_instructions << " warp instructions, "
            << result->ctas_run << " CTAs run, " << result->ctas_cancelled
            << " taken over, " << result->findings.size() << " findings\n";
  return result->Clean() ? 0 : 1;
}
