// The state of one mbarrier object (PTX ISA 9.7.13.15) and what its phases
// publish to the threads that wait for them.
//
//   Mbarrier barrier;
//   barrier.Init(1);
//   barrier.ExpectTx(16);
//   barrier.Arrive(1);           // pending 0, but 16 bytes outstanding
//   barrier.CompleteTx(16);      // phase 0 complete
//   bool done = barrier.ParityDone(0);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_MBARRIER_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_MBARRIER_H_

#include <cstdint>

#include "testing/emulator/machine/vector_clock.h"

namespace tiletune::emulator {

class Mbarrier {
 public:
  static constexpr int64_t kMaxCount = (1 << 20) - 1;

  void Init(uint32_t count);
  // When and by whom it was initialised: what uses it must come later.
  void set_birth(const Moment& birth) { birth_ = birth; }
  const Moment& birth() const { return birth_; }
  // Each returns null, or a sentence about the rule that was broken.
  const char* ExpectTx(uint32_t bytes);
  const char* CompleteTx(uint32_t bytes);
  const char* Arrive(uint32_t count);
  const char* ArriveDrop(uint32_t count);
  // cp.async.mbarrier.arrive without .noinc: one more arrival this phase.
  void RaisePending() { ++pending_; }

  // True if the phase with this parity is the one that completed last.
  bool ParityDone(uint32_t parity) const { return (phase_ & 1) != parity; }
  // The opaque state that arrive returns and test_wait takes.
  uint64_t State() const;
  bool StateDone(uint64_t state) const;

  uint64_t phase() const { return phase_; }
  int64_t pending() const { return pending_; }
  int64_t expected() const { return expected_; }
  int64_t transactions() const { return transactions_; }

  // Release: what the arriving thread or operation knows joins the phase.
  Knowledge* gathering() { return &gathering_; }
  // The same for threads of other CTAs that arrive with cluster scope.
  Knowledge* gathering_for_cluster() { return &gathering_for_cluster_; }
  // Acquire: what everyone who completed phases has published; and what only
  // a wait of cluster scope makes visible.
  const Knowledge& published() const { return published_; }
  const Knowledge& published_for_cluster() const {
    return published_for_cluster_;
  }

 private:
  void CompleteIfDone();

  Moment birth_;
  uint64_t phase_ = 0;
  int64_t expected_ = 0;
  int64_t next_expected_ = 0;
  int64_t pending_ = 0;
  int64_t transactions_ = 0;
  Knowledge gathering_;
  Knowledge gathering_for_cluster_;
  Knowledge published_;
  Knowledge published_for_cluster_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_MBARRIER_H_
