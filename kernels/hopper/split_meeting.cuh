// Where the slices of a split tile meet: who adds them up.
//
// Either every slice takes a share: it leaves its sum and adds up some units of
// all of them, as they come, without a fence or an atomic in between. That
// waits for the others, so it is only done once all of them are known to run.
// Or the last to arrive adds up all: nobody waits. Which of the two is decided
// once a tile, in one word of device memory, zero before and after:
//
//   bits 0-14   slices that have opened: they run
//   bit 15      late: somebody stopped waiting for the others to open
//   bits 16-31  slices that know that all have opened, or that have arrived
//
//   slice:   Open()        before it multiplies
//            AllOpen()?    yes: leaves its sum, takes its share     afterwards
//                          no:  leaves its sum, ArriveLast()?  takes all
//
// All open and late exclude each other: who stops waiting says so by compare-
// and-swap while some slice is missing. Such waiting is bounded, as a slice
// may not even have started while others hold the SMs; once all are open, each
// is at work and waits for nobody before it has left its sum.
//
//   SplitMeeting meeting(word, slices);   // one thread of the slice
//   meeting.Open();
//   if (meeting.AllOpen()) { ... meeting.Close(); }
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_

#include <cstdint>

namespace tiletune::hopper {

class SplitMeeting {
 public:
  __device__ __forceinline__ SplitMeeting(uint32_t* word, uint32_t slices)
      : word_(word), slices_(slices) {}

  __device__ __forceinline__ void Open() { atomicAdd(word_, 1); }

  // After Open(), of any thread. True: so have all slices, and Close() must
  // follow. False: so it is for every slice.
  __device__ __forceinline__ bool AllOpen() {
    uint32_t now = Read();
#pragma unroll 1
    for (int i = 0; i < kPolls && IsUndecided(now); ++i) now = Read();
    while (IsUndecided(now)) {
      const uint32_t seen = atomicCAS(word_, now, now | kLate);
      if (seen == now) return false;
      now = Read();
    }
    return (now & kLate) == 0;
  }

  // After AllOpen() gave true: the last one clears the word.
  __device__ __forceinline__ void Close() {
    const uint32_t before = atomicAdd(word_, kOneArrival);
    if (before / kOneArrival == slices_ - 1) atomicExch(word_, 0);
  }

  // Unless AllOpen() gave true. Publishes this slice's sum, ordered by a
  // barrier. True for the last one, which sees all sums.
  __device__ __forceinline__ bool ArriveLast() {
    uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(word_), "r"(kOneArrival)
                 : "memory");
    if (before / kOneArrival != slices_ - 1) return false;
    atomicExch(word_, 0);
    return true;
  }

 private:
  static constexpr uint32_t kOpen = (1u << 15) - 1;
  static constexpr uint32_t kLate = 1u << 15;
  static constexpr uint32_t kOneArrival = 1u << 16;
  // Some tens of microseconds: slices of one wave end within a few.
  static constexpr int kPolls = 64;

  __device__ __forceinline__ bool IsUndecided(uint32_t now) const {
    return (now & kLate) == 0 && (now & kOpen) != slices_;
  }

  __device__ __forceinline__ uint32_t Read() const {
    uint32_t now;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(now)
                 : "l"(word_)
                 : "memory");
    return now;
  }

  uint32_t* word_;
  uint32_t slices_;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_
