#include "dispatch/choice.h"

namespace tiletune {

const char* Name(Why why) {
  switch (why) {
    case Why::kPinned:
      return "pinned";
    case Why::kTuned:
      return "tuned";
    case Why::kSystem:
      return "system";
    case Why::kNearest:
      return "nearest";
    case Why::kPredicted:
      return "predicted";
    case Why::kDefault:
      return "default";
  }
  return "unknown";
}

}  // namespace tiletune
