// Lets Ctrl-C and kill(1) end an emulated kernel with a report, and only then
// the program.
//
// Use it around a run that may not end.
//
//   StopOnSignal signals;
//   options.stop = signals.flag();
//   auto result = device.Run(launch, options);  // a finding says who did what
//   Print(result);
//   // The program ends here if a signal came.
#ifndef TILETUNE_TESTING_EMULATOR_STOP_ON_SIGNAL_H_
#define TILETUNE_TESTING_EMULATOR_STOP_ON_SIGNAL_H_

#include <signal.h>

#include <atomic>

namespace tiletune::emulator {

// One at a time. A second signal ends the program at once.
class StopOnSignal {
 public:
  // Takes SIGINT and SIGTERM, unless the program handles or ignores them.
  StopOnSignal();
  // Gives them back, and raises the one that came.
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // For RunOptions::stop.
  const std::atomic<bool>* flag() const;
  bool came() const { return flag()->load(); }

 private:
  static constexpr int kSignals[2] = {SIGINT, SIGTERM};
  bool taken_[2] = {false, false};
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_STOP_ON_SIGNAL_H_
