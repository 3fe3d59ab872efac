#include "autotune/store/uid.h"

#include <random>

#include "absl/strings/str_cat.h"

namespace tiletune {

std::string MakeUid() {
  std::random_device random;  // reads the operating system's generator
  std::string uid;
  for (int word = 0; word < 4; ++word) {
    absl::StrAppend(&uid, absl::Hex(random(), absl::kZeroPad8));
  }
  return uid;
}

}  // namespace tiletune
