// Glob patterns over names: `*` stands for any run of characters, `?` for one.
//
// For the --kernels flag and CandidateOptions; nothing to do with files.
//
//   GlobMatches("sm90_*_static", "sm90_16b_128x128x64_c1x1_s6_coop_static")
#ifndef TILETUNE_KERNELS_GLOB_H_
#define TILETUNE_KERNELS_GLOB_H_

#include <cstddef>
#include <string_view>

namespace tiletune {

// Whether `pattern` matches all of `name`.
inline bool GlobMatches(std::string_view pattern, std::string_view name) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0;
  size_t n = 0;
  size_t star = kNone;    // the last * seen, and
  size_t star_match = 0;  // how far into `name` it has been stretched
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_match = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++star_match;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_GLOB_H_
