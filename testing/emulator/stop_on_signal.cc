#include "testing/emulator/stop_on_signal.h"

namespace tiletune::emulator {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> which{0};

void OnSignal(int signal) {
  which = signal;
  stop = true;
}

}  // namespace

StopOnSignal::StopOnSignal() {
  stop = false;
  for (int i = 0; i < 2; ++i) {
    struct sigaction old = {};
    sigaction(kSignals[i], nullptr, &old);
    if ((old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction action = {};
    action.sa_handler = &OnSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    taken_[i] = sigaction(kSignals[i], &action, nullptr) == 0;
  }
}

StopOnSignal::~StopOnSignal() {
  for (int i = 0; i < 2; ++i) {
    if (taken_[i]) ::signal(kSignals[i], SIG_DFL);
  }
  if (stop) raise(which);
}

const std::atomic<bool>* StopOnSignal::flag() const { return &stop; }

}  // namespace tiletune::emulator
