#include "testing/emulator/machine/options.h"

#include <cinttypes>
#include <cstdio>

#include "testing/emulator/machine/kernel_name.h"

namespace tiletune::emulator {

std::string ToString(const Finding& finding) {
  char where[160];
  std::snprintf(where, sizeof(where),
                "line %d, CTA (%u,%u,%u), thread %d, address 0x%" PRIx64,
                finding.line, finding.cta.x, finding.cta.y, finding.cta.z,
                finding.thread, finding.address);
  std::string text = finding.check + ": " + finding.message + " [" + where;
  if (!finding.instruction.empty()) text += ", " + finding.instruction;
  if (!finding.kernel.empty()) text += ", " + KernelName(finding.kernel);
  return text + "]";
}

}  // namespace tiletune::emulator
