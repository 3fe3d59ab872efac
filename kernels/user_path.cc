#include "kernels/user_path.h"

#include <cstdlib>

namespace tiletune {

std::string UserPath(std::string_view path) {
  if (path.empty() || path.front() == '/') return std::string(path);
  for (const char* name : {"TILETUNE_STARTED_IN", "BUILD_WORKING_DIRECTORY"}) {
    const char* stood = std::getenv(name);
    if (stood != nullptr && *stood != '\0') {
      return std::string(stood) + "/" + std::string(path);
    }
  }
  return std::string(path);
}

}  // namespace tiletune
