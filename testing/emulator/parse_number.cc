#include "testing/emulator/parse_number.h"

#include <cerrno>
#include <cstdlib>
#include <limits>

namespace tiletune::emulator {

bool ParseUnsigned(const std::string& text, uint64_t* value) {
  // strtoull would take signs and leading space.
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  char* end = nullptr;
  errno = 0;
  *value = std::strtoull(text.c_str(), &end, 0);
  return errno == 0 && end == text.c_str() + text.size();
}

bool ParseUnsigned(const std::string& text, uint32_t* value) {
  uint64_t wide = 0;
  if (!ParseUnsigned(text, &wide) ||
      wide > std::numeric_limits<uint32_t>::max()) {
    return false;
  }
  *value = static_cast<uint32_t>(wide);
  return true;
}

}  // namespace tiletune::emulator
