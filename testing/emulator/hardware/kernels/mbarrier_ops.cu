// mbarrier objects: counts, transactions, parities, states, and arrivals from
// other CTAs. Every kernel writes a log of what thread 0 saw; the opaque state
// itself is never shown.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

// An arrival of `count` that returns the state.
#define ARRIVAL(name, instruction)                             \
  __device__ uint64_t name(uint32_t barrier, uint32_t count) { \
    uint64_t state;                                            \
    asm volatile(instruction ".shared::cta.b64 %0, [%1], %2;"  \
                 : "=l"(state)                                 \
                 : "r"(barrier), "r"(count)                    \
                 : "memory");                                  \
    return state;                                              \
  }

ARRIVAL(Arrive, "mbarrier.arrive")
ARRIVAL(ArriveDrop, "mbarrier.arrive_drop")
ARRIVAL(ArriveNoComplete, "mbarrier.arrive.noComplete")
ARRIVAL(ArriveDropNoComplete, "mbarrier.arrive_drop.noComplete")

#define TRANSACTION(name, instruction)                                    \
  __device__ void name(uint32_t barrier, uint32_t bytes) {                \
    asm volatile("mbarrier." instruction                                  \
                 ".relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), \
                 "r"(bytes)                                               \
                 : "memory");                                             \
  }

TRANSACTION(ExpectTx, "expect_tx")
TRANSACTION(CompleteTx, "complete_tx")

__device__ uint32_t PendingCount(uint64_t state) {
  uint32_t count;
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}

__device__ uint32_t TestState(uint32_t barrier, uint64_t state) {
  uint32_t done;
  asm volatile(
      "{\n.reg .pred q;\n"
      "mbarrier.test_wait.shared::cta.b64 q, [%1], %2;\n"
      "selp.u32 %0, 1, 0, q;\n}"
      : "=r"(done)
      : "r"(barrier), "l"(state)
      : "memory");
  return done;
}

// Both parities in the low bits.
__device__ uint32_t Parities(uint32_t barrier) {
  return TestParity(barrier, 0) | TestParity(barrier, 1) << 1;
}

}  // namespace

MICRO_KERNEL(mbarrier_counts) {
  __shared__ uint64_t object;
  const uint32_t barrier = Shared(&object);
  uint32_t* log = Words(out);
  BarrierInit(barrier, 5);
  *log++ = Parities(barrier);
  for (int phase = 0; phase < 4; ++phase) {
    const uint64_t first = Arrive(barrier, 2);
    *log++ = PendingCount(first);
    *log++ = TestState(barrier, first);
    const uint64_t second = Arrive(barrier, 1);
    *log++ = PendingCount(second);
    *log++ = Parities(barrier);
    const uint64_t last = Arrive(barrier, 2);
    *log++ = PendingCount(last);
    *log++ = TestState(barrier, first) | TestState(barrier, last) << 1;
    *log++ = Parities(barrier);
  }
}

MICRO_KERNEL(mbarrier_transactions) {
  __shared__ uint64_t object;
  const uint32_t barrier = Shared(&object);
  uint32_t* log = Words(out);
  BarrierInit(barrier, 1);
  // Bytes first, arrival last.
  ExpectTx(barrier, 96);
  CompleteTx(barrier, 96);
  *log++ = Parities(barrier);
  Arrive(barrier, 1);
  *log++ = Parities(barrier);
  // Arrival first; the bytes complete the phase.
  ArriveExpect(barrier, 64);
  *log++ = Parities(barrier);
  CompleteTx(barrier, 16);
  *log++ = Parities(barrier);
  CompleteTx(barrier, 48);
  *log++ = Parities(barrier);
  // Completion before expectation: the count goes below zero and back.
  CompleteTx(barrier, 32);
  *log++ = Parities(barrier);
  ArriveExpect(barrier, 32);
  *log++ = Parities(barrier);
  // The largest count.
  ExpectTx(barrier, (1 << 20) - 1);
  Arrive(barrier, 1);
  *log++ = Parities(barrier);
  CompleteTx(barrier, (1 << 20) - 1);
  *log++ = Parities(barrier);
}

MICRO_KERNEL(mbarrier_drop) {
  __shared__ uint64_t object;
  const uint32_t barrier = Shared(&object);
  uint32_t* log = Words(out);
  BarrierInit(barrier, 6);
  *log++ = PendingCount(ArriveDrop(barrier, 2));
  *log++ = PendingCount(Arrive(barrier, 3));
  *log++ = PendingCount(ArriveDrop(barrier, 1));
  *log++ = Parities(barrier);
  // Three are expected from now on.
  *log++ = PendingCount(Arrive(barrier, 2));
  *log++ = Parities(barrier);
  *log++ = PendingCount(Arrive(barrier, 1));
  *log++ = Parities(barrier);
}

MICRO_KERNEL(mbarrier_no_complete) {
  __shared__ uint64_t object;
  const uint32_t barrier = Shared(&object);
  uint32_t* log = Words(out);
  BarrierInit(barrier, 10);
  *log++ = PendingCount(ArriveNoComplete(barrier, 4));
  *log++ = PendingCount(ArriveNoComplete(barrier, 5));
  *log++ = Parities(barrier);
  *log++ = PendingCount(Arrive(barrier, 1));
  *log++ = Parities(barrier);
  *log++ = PendingCount(ArriveDropNoComplete(barrier, 3));
  *log++ = PendingCount(Arrive(barrier, 7));
  *log++ = PendingCount(ArriveNoComplete(barrier, 6));
  *log++ = PendingCount(Arrive(barrier, 1));
  *log++ = Parities(barrier);
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier)
               : "memory");
  BarrierInit(barrier, (1 << 20) - 1);
  *log++ = PendingCount(Arrive(barrier, 1));
  *log++ = PendingCount(Arrive(barrier, (1 << 20) - 3));
  *log++ = Parities(barrier);
  *log++ = PendingCount(Arrive(barrier, 1));
  *log++ = Parities(barrier);
}

// A ring of two stages between two warps, three rounds.
MICRO_KERNEL(mbarrier_ring) {
  __shared__ uint64_t full[2];
  __shared__ uint64_t empty[2];
  __shared__ uint32_t slots[2][32];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      BarrierInit(Shared(&full[i]), 32);
      BarrierInit(Shared(&empty[i]), 32);
    }
  }
  __syncthreads();
  const uint32_t lane = threadIdx.x % 32;
  for (int i = 0; i < 6; ++i) {
    const int stage = i % 2;
    const uint32_t parity = i / 2 % 2;
    if (threadIdx.x < 32) {
      WaitParity(Shared(&empty[stage]), parity ^ 1);
      slots[stage][lane] = Words(in)[i * 32 + lane];
      Arrive(Shared(&full[stage]), 1);
    } else {
      WaitParity(Shared(&full[stage]), parity);
      Words(out)[i * 32 + lane] = slots[stage][31 - lane] + i;
      Arrive(Shared(&empty[stage]), 1);
    }
  }
}

// All CTAs of a cluster arrive on the barrier of CTA 0, with transactions.
MICRO_KERNEL(mbarrier_remote) {
  __shared__ uint64_t object;
  const uint32_t barrier = Shared(&object);
  if (threadIdx.x == 0) {
    BarrierInit(barrier, 4 * 32 * 3);
    FenceBarrierInit();
  }
  ClusterSync();
  const uint32_t first = MapToRank(barrier, 0);
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
          first)
      : "memory");
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 2;" ::"r"(
          first)
      : "memory");
  uint32_t done = 0;
  while (ClusterRank() == 0 && done == 0) {
    asm volatile(
        "{\n.reg .pred q;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [%1], 0;\n"
        "selp.u32 %0, 1, 0, q;\n}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
  ClusterSync();
  if (threadIdx.x == 0 && ClusterRank() != 0) {
    asm volatile(
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64"
        " _, [%0], 16;" ::"r"(first)
        : "memory");
    asm volatile(
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64"
        " [%0], 16;" ::"r"(first)
        : "memory");
  }
  ClusterSync();
  if (threadIdx.x != 0) return;
  uint32_t* log = Words(out + blockIdx.x * 16);
  log[0] = Parities(barrier);
  log[1] = ClusterRank() == 0 ? PendingCount(Arrive(barrier, 1)) : 0;
}

}  // namespace tiletune::micro
