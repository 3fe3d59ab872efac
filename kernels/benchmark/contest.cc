#include "kernels/benchmark/contest.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace tiletune {
namespace {

absl::StatusOr<double> RoughTime(const Contender& contender, int copies,
                                 GpuStream stream) {
  TimerOptions options;
  options.launches = copies;
  absl::StatusOr<std::unique_ptr<LaunchTimer>> timer =
      LaunchTimer::Create(contender.launch, options, stream);
  if (!timer.ok()) return timer.status();
  const absl::StatusOr<double> first = (*timer)->Replay();
  if (!first.ok()) return first.status();
  const absl::StatusOr<double> second = (*timer)->Replay();
  if (!second.ok()) return second.status();
  return std::min(*first, *second);
}

}  // namespace

std::vector<double> RoughTimes(const std::vector<Contender>& contenders,
                               int copies, GpuStream stream) {
  std::vector<double> times;
  for (const Contender& contender : contenders) {
    times.push_back(RoughTime(contender, copies, stream).value_or(0));
  }
  return times;
}

absl::StatusOr<std::vector<Samples>> RunContest(
    const std::vector<Contender>& contenders, const ContestOptions& options,
    GpuStream stream) {
  std::vector<std::unique_ptr<LaunchTimer>> timers;
  std::vector<Samples> samples;
  for (const Contender& contender : contenders) {
    const absl::StatusOr<double> rough =
        RoughTime(contender, options.copies, stream);
    if (!rough.ok()) return rough.status();
    TimerOptions timer_options;
    timer_options.mode = options.mode;
    timer_options.launches = LaunchesPerReplay(options.copies, *rough);
    absl::StatusOr<std::unique_ptr<LaunchTimer>> timer =
        LaunchTimer::Create(contender.launch, timer_options, stream);
    if (!timer.ok()) return timer.status();
    timers.push_back(*std::move(timer));
    samples.push_back({contender.name, {}});
  }
  using Clock = std::chrono::steady_clock;
  const auto warm = Clock::now() +
                    std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(options.warm_up_seconds));
  do {
    for (const auto& timer : timers) {
      const absl::StatusOr<double> ignored = timer->Replay();
      if (!ignored.ok()) return ignored.status();
    }
  } while (Clock::now() < warm);
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = 0; i < timers.size(); ++i) {
      const absl::StatusOr<double> seconds = timers[i]->Replay();
      if (!seconds.ok()) return seconds.status();
      samples[i].seconds.push_back(*seconds);
    }
  }
  return samples;
}

}  // namespace tiletune
