#include "testing/emulator/machine/machine.h"

#include <algorithm>
#include <utility>

#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

// Never would hang when other threads spin until the starved ones do something.
constexpr double kStarvedChance = 1.0 / 256;
// Warp instructions with nothing in flight and no change that another thread
// could see: after so many, suspended try_waits return; after so many, and so
// many more for each warp that can run, the threads are taken to spin for ever.
// A reference GEMM computes long sums in thousands of warps before any of them
// writes.
constexpr uint64_t kTimeOut = 1000000;
constexpr uint64_t kSpinning = 20000000;
constexpr uint64_t kSpinningOfEach = 100000;

}  // namespace

Machine::Machine(const RunOptions& options, GlobalMemory* memory)
    : options_(options), memory_(memory), random_(options.seed) {
  if (!options.trace_path.empty()) timeline_ = std::make_unique<Timeline>(this);
  sms_.resize(static_cast<size_t>(std::max(1, options.sms)));
  for (size_t i = 0; i < sms_.size(); ++i) {
    sms_[i].index = static_cast<int>(i);
    sms_[i].column_owner.assign(kTensorColumns, nullptr);
  }
}

Machine::~Machine() = default;

void Machine::Run() {
  while (!stopped_) {
    while (OpenGrid()) {
    }
    RunDueEvents();
    if (!retired_.empty()) FreeRetired();
    if (!events_.empty() && (runnable_.empty() || OnlyStarvedRun())) {
      now_ = std::max(now_, events_.front().due);
      RunNextEvent();
      continue;
    }
    if (runnable_.empty()) {
      bool pending = open_grids_ < grids_.size();
      bool live = false;
      for (const auto& grid : grids_) {
        pending = pending || grid->pending_clusters() != 0;
        live = live || grid->live_clusters != 0;
      }
      if (!live) {
        if (!pending) break;
        if (OpenGrid() || LaunchPending()) continue;
        GiveUp("deadlock", "a cluster does not fit on the machine");
        break;
      }
      if (TimeOutWaits()) continue;
      GiveUp("deadlock", "every thread waits and nothing is in flight");
      break;
    }
    Warp* warp = PickWarp();
    const bool starved = warp->index == options_.starved_warp;
    RunSlice(*warp, starved ? 1 : 1u << random_.Below(7));
    if (options_.max_steps != 0 && now_ > options_.max_steps) {
      GiveUp("step limit", "the limit of " +
                               std::to_string(options_.max_steps) +
                               " warp instructions was reached");
      break;
    }
    if (options_.stop != nullptr && options_.stop->load()) {
      GiveUp("stopped", "stopped from outside after " + std::to_string(now_) +
                            " warp instructions");
      break;
    }
    const uint64_t idle = events_.empty() ? now_ - last_progress_ : 0;
    if (idle > kSpinning && idle > kSpinningOfEach * runnable_.size()) {
      GiveUp("deadlock",
             "threads spin, but nothing has changed for a long time");
      break;
    }
    if (idle > kTimeOut && now_ - last_time_out_ > kTimeOut) {
      last_time_out_ = now_;
      TimeOutWaits();
    }
  }
  result_.warp_instructions = now_;
  if (timeline_ != nullptr) {
    result_.trace_failed = !timeline_->WriteFile(options_.trace_path);
  }
}

bool Machine::OnlyStarvedRun() const {
  if (options_.starved_warp < 0) return false;
  for (const Warp* warp : runnable_) {
    if (warp->index != options_.starved_warp) return false;
  }
  return true;
}

Warp* Machine::PickWarp() {
  const uint32_t count = static_cast<uint32_t>(runnable_.size());
  uint32_t pick = random_.Below(count);
  if (options_.starved_warp < 0 || random_.Chance(kStarvedChance)) {
    return runnable_[pick];
  }
  for (uint32_t i = 0; i < count; ++i, pick = (pick + 1) % count) {
    if (runnable_[pick]->index != options_.starved_warp) break;
  }
  return runnable_[pick];
}

void Machine::AddRunnable(Warp* warp) {
  warp->runnable = true;
  warp->runnable_index = runnable_.size();
  runnable_.push_back(warp);
}

void Machine::RemoveRunnable(Warp* warp) {
  warp->runnable = false;
  Warp* last = runnable_.back();
  runnable_[warp->runnable_index] = last;
  last->runnable_index = warp->runnable_index;
  runnable_.pop_back();
}

void Machine::Wake(Cta* cta) {
  vain_time_outs_ = 0;
  for (auto& warp : cta->warps) {
    if (warp->live == 0) continue;
    // A warp may have blocked with the last instruction of its slice: it is
    // then still runnable, and must look again all the same.
    for (Fragment& fragment : warp->fragments) fragment.blocked = false;
    if (!warp->runnable) AddRunnable(warp.get());
  }
}

void Machine::WakeCluster(Cluster* cluster) {
  for (auto& cta : cluster->ctas) Wake(cta.get());
}

void Machine::WakeAll() {
  for (auto& cluster : clusters_) {
    if (cluster->live_ctas > 0) WakeCluster(cluster.get());
  }
}

void Machine::RunSlice(Warp& warp, uint32_t budget) {
  grid_ = warp.cta->grid;
  const Inst* code = program().code.data();
  // Lanes that went different ways advance in any order; mostly the hindmost
  // first, so that they meet again.
  const bool wander =
      strict() && warp.fragments.size() > 1 && random_.Below(4) == 0;
  bool rotate = wander;
  while (budget-- > 0 && !stopped_) {
    if (warp.fragments.size() > 1 || warp.Current().blocked) {
      if (!wander || rotate || warp.Current().blocked) {
        if (!warp.SelectFragment(rotate)) {
          RemoveRunnable(&warp);
          return;
        }
      }
      rotate = false;
    }
    Fragment& fragment = warp.Current();
    uint32_t pc = fragment.pc;
    const Inst& inst = code[pc];
    ++now_;
    uint32_t mask = fragment.mask;
    if (inst.guard >= 0) {
      uint32_t predicate = warp.Pred(inst.guard);
      mask &= inst.guard_negated ? ~predicate : predicate;
      if (mask == 0) {
        ++fragment.pc;
        continue;
      }
    }
    if (inst.aligned && fragment.mask != warp.live) {
      // All live lanes execute it together; wait for them to come here.
      fragment.blocked = true;
      fragment.WaitFor("waits for the other lanes of its warp");
      continue;
    }
    if (!warp.deliveries.empty() || warp.AnyInFlight()) {
      CheckDeliveries(warp, inst, mask);
    }
    const Step step = inst.handler(warp, inst, mask);
    if (timeline_ != nullptr) timeline_->OnStep(warp, inst, mask, step);
    switch (step) {
      case Step::kNext:
        ++warp.Current().pc;
        break;
      case Step::kJumped:
        if (warp.live == 0) return;
        // A spin loop must not starve the lanes it waits for.
        rotate = warp.fragments.size() > 1 && warp.Current().pc <= pc &&
                 random_.Below(4) == 0;
        break;
      case Step::kBlocked:
        warp.Current().blocked = true;
        break;
      case Step::kYield:
        ++warp.Current().pc;
        return;
    }
  }
}

void Machine::CheckDeliveries(Warp& warp, const Inst& inst, uint32_t mask) {
  const int32_t* reads = program().lists.data() + inst.reads;
  for (uint32_t i = 0; i < inst.reads_size; ++i) {
    if (int line = warp.InFlightLine(reads[i])) {
      Report(warp, inst, __builtin_ctz(mask), "register read too early",
             "reads an accumulator of the wgmma at line " +
                 std::to_string(line) + ", before wgmma.wait_group");
    }
    for (const Warp::Delivery& delivery : warp.deliveries) {
      if (delivery.slot != reads[i] || (delivery.mask & mask) == 0) continue;
      if (!strict()) {
        // The load may as well have completed. Public compilers emit this and
        // leave it to the assembler to wait for the registers.
        CompleteTensorLoads(warp, delivery.mask);
        return;
      }
      Report(warp, inst, __builtin_ctz(mask & delivery.mask),
             "register read too early",
             "reads a register that the asynchronous instruction at line " +
                 std::to_string(delivery.line) +
                 " writes, before waiting for it");
    }
  }
}

}  // namespace tiletune::emulator
