#include "autotune/user_path.h"

#include <cstdlib>

namespace tiletune {

std::string UserPath(std::string_view path) {
  const char* stood = std::getenv("BUILD_WORKING_DIRECTORY");
  if (path.empty() || path.front() == '/' || stood == nullptr ||
      *stood == '\0') {
    return std::string(path);
  }
  return std::string(stood) + "/" + std::string(path);
}

}  // namespace tiletune
