// The line that says how far a tune is: rewritten in place on a terminal, one
// line a problem elsewhere.
//
//   Progress progress(stderr, /*problems=*/8);
//   progress.Begin("16x4096x4096 bf16 TN -> bf16");
//   progress.Update({"screen", 7, 23, 95.2e3});
//   progress.End("95.2 us");
//   // [1/8] 16x4096x4096 ...: screen 7/23, best 95.2 us; 41 s left
#ifndef TILETUNE_AUTOTUNE_COMMANDS_PROGRESS_H_
#define TILETUNE_AUTOTUNE_COMMANDS_PROGRESS_H_

#include <cstdio>
#include <string>

#include "absl/time/time.h"
#include "autotune/search/search.h"

namespace tiletune {

class Progress {
 public:
  Progress(FILE* out, int problems);

  void Begin(const std::string& problem);
  void Update(const SearchProgress& search);
  // The problem is done; `result` is what to remember of it.
  void End(const std::string& result);

 private:
  // The mean time of the finished problems for each of the others.
  std::string TimeLeft() const;

  FILE* const out_;
  const bool terminal_;
  const int problems_;
  const absl::Time start_;
  absl::Time shown_;
  int finished_ = 0;
  int64_t candidates_ = 0;  // seen so far, for the rate
  int last_done_ = 0;
  std::string problem_;
};

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMANDS_PROGRESS_H_
