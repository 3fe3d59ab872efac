#include "dispatch/warnings.h"

#include <cstdio>
#include <utility>

namespace tiletune {

Warnings::Warnings(WarningSink sink) : sink_(std::move(sink)) {
  if (sink_ != nullptr) return;
  sink_ = [](const std::string& text) {
    std::fprintf(stderr, "tiletune: %s\n", text.c_str());
  };
}

void Warnings::Say(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (said_.size() > kMost || !said_.insert(text).second) return;
  sink_(said_.size() > kMost ? "further warnings are not shown" : text);
}

}  // namespace tiletune
