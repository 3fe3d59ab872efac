#include "autotune/commands/progress.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/commands/text_table.h"
#include "autotune/measure/steady_now.h"

namespace tiletune {

Progress::Progress(FILE* out, int problems)
    : out_(out),
      terminal_(isatty(fileno(out)) != 0),
      problems_(problems),
      start_(SteadyNow()),
      shown_(absl::InfinitePast()) {}

void Progress::Begin(const std::string& problem) {
  problem_ = problem;
  last_done_ = 0;
}

std::string Progress::TimeLeft() const {
  if (finished_ == 0) return "time left unknown";
  const absl::Duration each = (SteadyNow() - start_) / finished_;
  const absl::Duration left = each * (problems_ - finished_);
  return absl::StrFormat("%.0f s left", absl::ToDoubleSeconds(left));
}

void Progress::Update(const SearchProgress& search) {
  if (search.done > last_done_) candidates_ += search.done - last_done_;
  last_done_ = search.done;
  const absl::Time now = SteadyNow();
  if (!terminal_ || now - shown_ < absl::Milliseconds(100)) return;
  shown_ = now;
  const double seconds = absl::ToDoubleSeconds(now - start_);
  std::fprintf(
      out_, "\r\033[K[%d/%d] %s: %s %d/%d, best %s; %.1f candidates/s, %s",
      finished_ + 1, problems_, problem_.c_str(), search.stage, search.done,
      search.of, search.best_ns > 0 ? FormatTime(search.best_ns).c_str() : "-",
      candidates_ / std::max(seconds, 1e-3), TimeLeft().c_str());
  std::fflush(out_);
}

void Progress::End(const std::string& result) {
  ++finished_;
  const double seconds = absl::ToDoubleSeconds(SteadyNow() - start_);
  std::fprintf(out_, "%s[%d/%d] %s: %s; %.1f candidates/s, %s\n",
               terminal_ ? "\r\033[K" : "", finished_, problems_,
               problem_.c_str(), result.c_str(),
               candidates_ / std::max(seconds, 1e-3), TimeLeft().c_str());
  std::fflush(out_);
}

}  // namespace tiletune
