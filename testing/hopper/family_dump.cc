// Runs every case of the Hopper family and writes what came out, a line a case:
// VARIANT CASE and what RunFamilyCase says.
//
//   family_dump [--only=TEXT] > h200_family.txt
//
// --only takes the variants whose names contain the text. A kernel that hangs
// ends the program after a minute, with its name. Exit code 1 if a case failed.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "kernels/variant.h"
#include "testing/hopper/family_case.h"
#include "testing/hopper/family_run.h"

namespace tiletune {
namespace {

constexpr unsigned kDeadlineSeconds = 60;

void OnDeadline(int) {
  static const char kMessage[] = "deadline passed in the case after the last\n";
  if (write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1) < 0) _exit(4);
  _exit(3);
}

int Dump(const std::string& only) {
  signal(SIGALRM, &OnDeadline);
  bool failed = false;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kHopper ||
        std::string(v.name).find(only) == std::string::npos) {
      continue;
    }
    for (const FamilyCase& c : FamilyCasesOf(v)) {
      alarm(kDeadlineSeconds);
      const std::string answer = RunFamilyCase(c);
      std::printf("%s %s %s\n", v.name, c.name.c_str(), answer.c_str());
      std::fflush(stdout);
      failed |= answer.rfind("failed", 0) == 0;
    }
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  constexpr char kOnly[] = "--only=";
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], kOnly, std::strlen(kOnly)) != 0) {
      std::fprintf(stderr, "usage: %s [--only=TEXT]\n", argv[0]);
      return 2;
    }
    only = argv[i] + std::strlen(kOnly);
  }
  return tiletune::Dump(only);
}
