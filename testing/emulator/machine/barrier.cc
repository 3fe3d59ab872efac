// CTA and cluster barriers (PTX ISA 9.7.13.1 bar/barrier, 9.7.13.4
// barrier.cluster).
#include <string>
#include <utility>

#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// Inst::kind of a CTA barrier.
enum class BarrierMode : uint8_t {
  kSync,
  kArrive,
  kReduceAnd,
  kReduceOr,
  kReducePopc
};
// Inst::flags.
constexpr uint32_t kHasCount = 1;
constexpr uint32_t kNegated = 2;
constexpr uint32_t kRelaxed = 4;
constexpr uint32_t kAligned = 8;

uint32_t LiveThreads(const Cta& cta, bool whole_warps) {
  if (!cta.started) return cta.threads;
  uint32_t threads = 0;
  for (const auto& warp : cta.warps) {
    if (warp->live == 0) continue;
    threads += whole_warps
                   ? kWarpSize
                   : static_cast<uint32_t>(__builtin_popcount(warp->live));
  }
  return threads;
}

void Finish(ThreadBarrier* barrier) {
  barrier->arrived = 0;
  barrier->expected = 0;
  ++barrier->generation;
  barrier->published = barrier->gathering;
  barrier->gathering = Knowledge();
  barrier->result_and = barrier->reduction_and;
  barrier->result_or = barrier->reduction_or;
  barrier->result_count = barrier->reduction_count;
  barrier->reduction_and = 1;
  barrier->reduction_or = 0;
  barrier->reduction_count = 0;
}

// True if the barrier is complete now.
bool TryFinish(Warp& warp, ThreadBarrier* barrier, bool aligned) {
  uint32_t needed = barrier->expected != 0 ? barrier->expected
                                           : LiveThreads(*warp.cta, aligned);
  if (barrier->arrived < needed) return false;
  if (barrier->expected == 0) barrier->gathering.Join(warp.cta->exits);
  Finish(barrier);
  warp.machine->Progress();
  warp.machine->Wake(warp.cta);
  return true;
}

Step CtaBarrier(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  Fragment& fragment = warp.Current();
  const int lane = __builtin_ctz(mask);
  const BarrierMode mode = static_cast<BarrierMode>(inst.kind);
  const uint64_t id = warp.Reg(inst.op[1])[lane] & 0xFFFFFFFF;
  const bool aligned = (inst.flags & kAligned) != 0;
  if (id >= 16) {
    machine.Fatal(warp, inst, lane, "bad barrier",
                  "barrier " + std::to_string(id) + " does not exist");
    return Step::kBlocked;
  }
  ThreadBarrier& barrier = warp.cta->barriers[id];
  if (!fragment.waiting) {
    // The lanes have been gathered: those that miss have a false predicate.
    if (aligned && machine.strict() && mask != warp.live) {
      machine.Report(warp, inst, __builtin_ctz(warp.live & ~mask),
                     "diverged warp",
                     "skips an .aligned barrier that other lanes of its warp "
                     "execute");
    }
    uint32_t count = 0;
    if ((inst.flags & kHasCount) != 0) {
      count = static_cast<uint32_t>(warp.Reg(inst.op[2])[lane]);
      if (count == 0 || count % kWarpSize != 0) {
        machine.Report(warp, inst, lane, "bad barrier",
                       "the thread count " + std::to_string(count) +
                           " is not a positive multiple of the warp size");
      }
      if (barrier.arrived != 0 && barrier.expected != count) {
        machine.Report(warp, inst, lane, "bad barrier",
                       "threads meet at barrier " + std::to_string(id) +
                           " with different thread counts");
      }
    }
    barrier.expected = count;
    barrier.arrived +=
        aligned ? kWarpSize : static_cast<uint32_t>(__builtin_popcount(mask));
    if (count != 0 && barrier.arrived > count) {
      machine.Report(warp, inst, lane, "bad barrier",
                     "more threads arrive at barrier " + std::to_string(id) +
                         " than it expects");
    }
    warp.known.ReleaseTo(mask, &barrier.gathering);
    warp.known.NextEpoch();
    if (mode >= BarrierMode::kReduceAnd) {
      uint32_t p = warp.Pred(inst.op[3]);
      if ((inst.flags & kNegated) != 0) p = ~p;
      p &= mask;
      barrier.reduction_and &= p == mask ? 1 : 0;
      barrier.reduction_or |= p != 0 ? 1 : 0;
      barrier.reduction_count += static_cast<uint32_t>(__builtin_popcount(p));
    }
    uint64_t generation = barrier.generation;
    TryFinish(warp, &barrier, aligned);
    if (mode == BarrierMode::kArrive) return Step::kNext;
    fragment.waiting = true;
    fragment.token = generation;
  } else if (barrier.generation == fragment.token) {
    TryFinish(warp, &barrier, aligned);  // a warp may have exited meanwhile
  }
  if (barrier.generation == fragment.token) {
    fragment.WaitFor("waits at a CTA barrier");
    return Step::kBlocked;
  }
  fragment.waiting = false;
  warp.known.Acquire(mask, barrier.published);
  if (mask == warp.live) warp.known.Unite();
  if (mode == BarrierMode::kReducePopc) {
    uint64_t* d = warp.Reg(inst.op[0]);
    ForLanes(mask, [&](int l) { d[l] = barrier.result_count; });
  } else if (mode >= BarrierMode::kReduceAnd) {
    bool result = (mode == BarrierMode::kReduceAnd ? barrier.result_and
                                                   : barrier.result_or) != 0;
    uint32_t& p = warp.Pred(inst.op[0]);
    p = (p & ~mask) | (result ? mask : 0);
  }
  return Step::kNext;
}

bool DecodeCtaBarrier(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                      bool is_bar) {
  modifiers.Take("cta");
  inst->handler = &CtaBarrier;
  BarrierMode mode;
  size_t first = 0;
  if (modifiers.Take("sync")) {
    mode = BarrierMode::kSync;
  } else if (modifiers.Take("arrive")) {
    mode = BarrierMode::kArrive;
  } else if (modifiers.Take("red")) {
    first = 1;
    Type type = Type::kPred;
    if (modifiers.Take("and")) {
      mode = BarrierMode::kReduceAnd;
    } else if (modifiers.Take("or")) {
      mode = BarrierMode::kReduceOr;
    } else if (modifiers.Take("popc")) {
      mode = BarrierMode::kReducePopc;
      type = Type::kU32;
    } else {
      return false;
    }
    if (modifiers.TakeType() != type) return false;
    bool ok = type == Type::kPred ? context.PredDest(0, &inst->op[0])
                                  : context.Dest(0, &inst->op[0]);
    bool negated = false;
    if (!ok || !context.PredSource(context.OperandCount() - 1, &inst->op[3],
                                   &negated)) {
      return false;
    }
    if (negated) inst->flags |= kNegated;
  } else {
    return false;
  }
  bool aligned = modifiers.Take("aligned") || is_bar;
  inst->kind = static_cast<uint8_t>(mode);
  inst->aligned = aligned;
  if (aligned) inst->flags |= kAligned;
  size_t last = context.OperandCount() - (first != 0 ? 1 : 0);
  if (last <= first || last > first + 2) return context.Fail("bad operands");
  if (!context.Source(first, Type::kU32, &inst->op[1])) return false;
  if (last == first + 2) {
    inst->flags |= kHasCount;
    return context.Source(first + 1, Type::kU32, &inst->op[2]);
  }
  return mode != BarrierMode::kArrive;
}

bool DecodeBar(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (modifiers.Take("warp")) {
    return DecodeWarpBarrier(context, modifiers, inst);
  }
  return DecodeCtaBarrier(context, modifiers, inst, true);
}

// Whether every thread that has not exited has arrived. Those that arrived and
// exited are not missed, and do not stand for others.
bool AllArrived(const Cluster& cluster) {
  uint32_t needed = 0;
  for (const auto& cta : cluster.ctas) needed += LiveThreads(*cta, false);
  if (cluster.barrier.arrived < needed) return false;
  for (const auto& cta : cluster.ctas) {
    for (const auto& warp : cta->warps) {
      for (uint32_t m = warp->live; m != 0; m &= m - 1) {
        const size_t lane = static_cast<size_t>(__builtin_ctz(m));
        if (warp->cluster_arrivals[lane] <= cluster.barrier.generation) {
          return false;
        }
      }
    }
  }
  return true;
}

bool TryFinishCluster(Warp& warp) {
  Cluster* cluster = warp.cta->cluster;
  if (!AllArrived(*cluster)) return false;
  for (const auto& cta : cluster->ctas) {
    cluster->barrier.gathering.Join(cta->exits);
    cta->relaxed_published = std::move(cta->relaxed_gathering);
    cta->relaxed_gathering = Knowledge();
  }
  Finish(&cluster->barrier);
  warp.machine->Progress();
  warp.machine->WakeCluster(cluster);
  return true;
}

// By the PTX ISA a relaxed arrival orders nothing. DeepGEMM's kernels publish
// shared memory to their own CTA with it, and free Tensor Memory behind loads
// that each warp has waited for; GPUs run them.
void ReleaseRelaxed(Warp& warp, uint32_t mask) {
  warp.known.ReleaseTo(mask, &warp.cta->relaxed_gathering);
  warp.known.NextEpoch();
  warp.cta->cluster->barrier.gathering.order.Set(warp.tensor_actor,
                                                 warp.tensor_done);
}

Step ClusterArrive(Warp& warp, const Inst& inst, uint32_t mask) {
  ThreadBarrier& barrier = warp.cta->cluster->barrier;
  ForLanes(mask, [&](int lane) {
    warp.cluster_arrivals[static_cast<size_t>(lane)] = barrier.generation + 1;
  });
  barrier.arrived += static_cast<uint32_t>(__builtin_popcount(mask));
  if ((inst.flags & kRelaxed) == 0) {
    warp.known.ReleaseTo(mask, &barrier.gathering);
    warp.known.NextEpoch();
  } else {
    warp.known.ReleaseFenced(mask, &barrier.gathering, Scope::kCluster);
    if (!warp.machine->strict()) ReleaseRelaxed(warp, mask);
  }
  TryFinishCluster(warp);
  return Step::kYield;
}

Step ClusterWait(Warp& warp, const Inst& inst, uint32_t mask) {
  ThreadBarrier& barrier = warp.cta->cluster->barrier;
  ForLanes(mask, [&](int lane) {
    if (warp.cluster_arrivals[static_cast<size_t>(lane)] != 0) return;
    warp.machine->Report(warp, inst, lane, "bad barrier",
                         "waits at the cluster barrier without having arrived");
  });
  const auto waits = [&] {
    bool any = false;
    ForLanes(mask, [&](int lane) {
      any |=
          warp.cluster_arrivals[static_cast<size_t>(lane)] > barrier.generation;
    });
    return any;
  };
  if (waits() && !TryFinishCluster(warp)) {
    warp.Current().WaitFor("waits at the cluster barrier");
    return Step::kBlocked;
  }
  ForLanes(mask, [&](int lane) {
    warp.cluster_arrivals[static_cast<size_t>(lane)] = 0;
  });
  warp.known.Acquire(mask, barrier.published);
  warp.known.Acquire(mask, warp.cta->relaxed_published);
  if (mask == warp.live) warp.known.Unite();
  return Step::kNext;
}

bool DecodeBarrier(DecodeContext& context, Modifiers& modifiers, Inst* inst) {
  if (!modifiers.Take("cluster")) {
    return DecodeCtaBarrier(context, modifiers, inst, false);
  }
  if (modifiers.Take("arrive")) {
    inst->handler = &ClusterArrive;
    if (modifiers.Take("relaxed")) inst->flags |= kRelaxed;
    modifiers.Take("release");
  } else if (modifiers.Take("wait")) {
    inst->handler = &ClusterWait;
    modifiers.Take("acquire");
  } else {
    return false;
  }
  inst->aligned = modifiers.Take("aligned");
  return context.Operands(0);
}

}  // namespace

void RegisterBarrier(DecoderTable* table) {
  (*table)["bar"] = &DecodeBar;
  (*table)["barrier"] = &DecodeBarrier;
}

}  // namespace tiletune::emulator
