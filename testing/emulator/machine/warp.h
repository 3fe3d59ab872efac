// One warp: its registers, its lanes' program counters, and what it knows.
//
// Lanes that share a program counter form a fragment (independent thread
// scheduling, PTX ISA 3.1): divergent branches split fragments, fragments that
// meet merge.
//
//   const uint64_t* a = warp.Reg(inst.op[1]);
//   uint64_t* d = warp.Reg(inst.op[0]);
//   for (uint32_t m = mask; m != 0; m &= m - 1) {
//     int lane = __builtin_ctz(m);
//     d[lane] = a[lane];
//   }
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_WARP_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_WARP_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/vector_clock.h"
#include "testing/emulator/machine/warp_knowledge.h"
#include "testing/emulator/machine/zero_pages.h"

namespace tiletune::emulator {

class Machine;
class Mbarrier;
struct Cta;

constexpr int kWarpSize = 32;

// A set of lanes at one program counter.
struct Fragment {
  uint32_t pc = 0;
  uint32_t mask = 0;
  std::vector<uint32_t> returns;  // return addresses of calls
  bool blocked = false;
  // A blocking instruction has begun: it must not take effect twice.
  bool waiting = false;
  uint64_t token = 0;  // what it waits for, the instruction's business
  // An mbarrier.try_wait: it may return without its phase, and does so when
  // nothing else happens (PTX ISA 9.7.13.15.16).
  bool may_time_out = false;
  bool timed_out = false;
  // For the deadlock report: what it waits for, and on which mbarrier.
  const char* wait_note = nullptr;
  const Mbarrier* wait_barrier = nullptr;
  uint32_t wait_offset = 0;
  uint32_t wait_parity = 0;

  // Says what it waits for, where that is no mbarrier.
  void WaitFor(const char* note) {
    wait_note = note;
    wait_barrier = nullptr;
  }
};

// A group of asynchronous copies (PTX ISA 9.7.9.25 completion mechanisms).
struct AsyncGroup {
  int pending = 0;            // operations whose writes are not complete
  int unread = 0;             // operations that have not read their source yet
  Knowledge read_knowledge;   // what "the sources were read" makes known
  Knowledge write_knowledge;  // what "the writes are done" makes known
  // Called after each completed operation (cp.async.mbarrier.arrive).
  std::vector<std::function<void()>> arrivals;
};

// The groups of one thread: committed ones, oldest first, and the open one.
struct GroupList {
  std::vector<std::shared_ptr<AsyncGroup>> committed;
  std::shared_ptr<AsyncGroup> open;
};

// wgmma operations of one warp between two commits.
struct WarpgroupGroup {
  int pending = 0;
  uint32_t clock = 0;          // of the last operation
  std::vector<int32_t> slots;  // accumulators
};

class Warp {
 public:
  Warp(Machine* machine, Cta* cta, int index, uint32_t live, int slots,
       int predicates);

  uint64_t* Reg(int slot) { return registers_.words() + slot * kWarpSize; }
  uint32_t& Pred(int slot) { return predicates_[slot]; }

  Fragment& Current() { return fragments[current]; }
  // Moves the lanes `taken` of the current fragment to `target`; the others
  // go on to the next instruction.
  void Branch(uint32_t taken, uint32_t target);
  // The lanes `mask` of the current fragment are done.
  void ExitLanes(uint32_t mask);
  // Makes the fragment with the lowest program counter that is not blocked
  // the current one, after merging fragments that meet. False if all are
  // blocked or gone.
  bool SelectFragment(bool rotate);

  // Accumulators that wgmma will write until its group is waited for.
  void MarkInFlight(const int32_t* slots, uint32_t count, int line);
  void ClearInFlight(const std::vector<int32_t>& slots);
  // The line of the wgmma that owns a register, or 0.
  int InFlightLine(int slot) const {
    return in_flight_.empty() || in_flight_[static_cast<size_t>(slot)] == 0
               ? 0
               : in_flight_line_;
  }
  bool AnyInFlight() const { return in_flight_count_ != 0; }

  Machine* machine;
  Cta* cta;
  int index;      // in the CTA
  uint32_t live;  // lanes that have not exited
  std::vector<Fragment> fragments;
  size_t current = 0;
  uint32_t carry = 0;  // condition code of each lane (PTX ISA 9.7.2)
  bool runnable = true;
  size_t runnable_index = 0;  // in Machine's list

  // Actors of this warp (see vector_clock.h): itself, its tcgen05.ld/st, both
  // followed by those of their lanes, and the tcgen05 operations that its
  // threads issue (mma, cp, shift).
  uint32_t actor = 0;
  uint32_t tensor_actor = 0;
  uint32_t pipe_actor = 0;
  WarpKnowledge known;
  uint32_t tensor_clock = 1;  // epoch of the next tcgen05.ld/st
  uint32_t tensor_done = 0;   // epochs that wait::ld and wait::st cover
  bool tensor_load_pending = false;
  bool tensor_store_pending = false;
  uint32_t pipe_clock = 0;
  uint64_t pipe_due = 0;  // completion time of the last pipe operation
  // One more than the generation of the cluster barrier at which each lane has
  // arrived; 0 once it has waited for it.
  std::array<uint64_t, kWarpSize> cluster_arrivals = {};

  // Registers that tcgen05.ld will write at tcgen05.wait::ld.
  struct Delivery {
    int slot;
    uint32_t mask;
    int line;
    uint64_t values[kWarpSize];
  };
  std::vector<Delivery> deliveries;

  // The last bulk tensor store of an instruction, and the lanes that have
  // issued it; only with hardware checks.
  struct SharedStore {
    std::array<int32_t, 5> coordinates = {};
    uint64_t map = 0;
    uint64_t from = 0;
    uint32_t lanes = 0;
  };
  std::map<const Inst*, SharedStore> shared_stores;

  GroupList bulk_groups[kWarpSize];  // cp.async.bulk with .bulk_group
  GroupList copy_groups[kWarpSize];  // cp.async
  std::vector<std::shared_ptr<WarpgroupGroup>> wgmma_groups;  // oldest first
  std::shared_ptr<WarpgroupGroup> open_wgmma;

  std::vector<uint8_t> local;  // local_bytes * 32, lane-major
  std::vector<uint8_t> local_initialised;

 private:
  int slots_;
  std::vector<uint16_t> in_flight_;  // wgmma operations, by slot
  int in_flight_count_ = 0;
  int in_flight_line_ = 0;
  ZeroPages registers_;
  std::unique_ptr<uint32_t[]> predicates_;
};

// Calls f(lane) for each lane of the mask; the full mask is a plain loop that
// the compiler can vectorise.
template <typename F>
inline void ForLanes(uint32_t mask, F f) {
  if (mask == kFullMask) {
    for (int lane = 0; lane < kWarpSize; ++lane) f(lane);
  } else {
    for (uint32_t m = mask; m != 0; m &= m - 1) f(__builtin_ctz(m));
  }
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_WARP_H_
