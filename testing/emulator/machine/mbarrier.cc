#include "testing/emulator/machine/mbarrier.h"

namespace tiletune::emulator {

void Mbarrier::Init(uint32_t count) {
  *this = Mbarrier();
  expected_ = next_expected_ = pending_ = count;
}

void Mbarrier::CompleteIfDone() {
  if (pending_ != 0 || transactions_ != 0) return;
  ++phase_;
  expected_ = next_expected_;
  pending_ = expected_;
  published_.Join(gathering_);
  published_for_cluster_.Join(gathering_for_cluster_);
}

const char* Mbarrier::ExpectTx(uint32_t bytes) {
  transactions_ += bytes;
  if (transactions_ > kMaxCount) {
    return "the pending transaction bytes exceed 2^20-1";
  }
  return nullptr;
}

const char* Mbarrier::CompleteTx(uint32_t bytes) {
  transactions_ -= bytes;
  if (transactions_ < -kMaxCount) {
    return "the transaction count fell below -(2^20-1)";
  }
  CompleteIfDone();
  return nullptr;
}

const char* Mbarrier::Arrive(uint32_t count) {
  if (count > pending_) {
    return "more arrivals than the phase expects: the phase is overrun";
  }
  pending_ -= count;
  CompleteIfDone();
  return nullptr;
}

const char* Mbarrier::ArriveDrop(uint32_t count) {
  if (count > next_expected_) {
    return "arrive_drop would make the expected count negative";
  }
  next_expected_ -= count;
  return Arrive(count);
}

uint64_t Mbarrier::State() const {
  return ((phase_ & 0xFFFFF) << 40) |
         (static_cast<uint64_t>(pending_ & 0xFFFFF) << 20) |
         static_cast<uint64_t>(expected_ & 0xFFFFF);
}

bool Mbarrier::StateDone(uint64_t state) const {
  return ((state >> 40) & 0xFFFFF) != (phase_ & 0xFFFFF);
}

}  // namespace tiletune::emulator
