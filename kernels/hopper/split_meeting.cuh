// Where the slices of a split tile meet: who adds them up.
//
// One word in device memory a part of a tile, zero before and after:
//
//   bits 0-15   slices that have arrived
//   bits 16-23  sharers that stopped waiting, a bit each
//   bits 24-31  sharers that know that all have arrived, and left
//
//   slice:   leaves its sum, arrives      early ones go on: nothing to do
//   sharers: the last few to arrive       wait until all have arrived, take a
//                                         share of the units each
//   the last arriver                      takes its own share, and those of
//                                         sharers that stopped waiting
//
// Waiting is bounded, as a slice may not even have started while others hold
// the SMs; the last arriver never waits, so that the sum is always completed.
// A sharer that stops says so by compare-and-swap while some slice is missing:
// the last arriver's own arrival then tells it for certain whose units are
// left. The last sharer to leave clears the word.
//
//   SplitMeeting meeting(word, slices, sharers);   // one thread of the part
//   uint32_t own = meeting.Attend();   // bit i: the units of sharer i
//   if (own != 0) { meeting.Leave(own); ... meeting.Close(); }
#ifndef TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_
#define TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_

#include <cstdint>

namespace tiletune::hopper {

class SplitMeeting {
 public:
  static constexpr uint32_t kMaxSharers = 8;
  static constexpr uint32_t kMaxSlices = (1u << 16) - 1;

  // `sharers`: at most this many, 1 to kMaxSharers; with 1 nobody waits.
  __device__ __forceinline__ SplitMeeting(uint32_t* word, uint32_t slices,
                                          uint32_t sharers)
      : word_(word),
        slices_(slices),
        sharers_(sharers < slices ? sharers : slices) {}

  __device__ __forceinline__ uint32_t sharers() const { return sharers_; }

  // Arrives, for a part whose sum the caller's warpgroup has written, ordered
  // by a barrier. Returns the sharers whose units the caller has to add up, a
  // bit each; if not 0, the sums of all slices are visible after a barrier.
  __device__ __forceinline__ uint32_t Attend() {
    const uint32_t before = AddOne();
    const uint32_t arrived = before & kArrived;
    const uint32_t first = slices_ - sharers_;
    if (arrived < first) return 0;
    const uint32_t own = 1u << (arrived - first);
    if (arrived == slices_ - 1) return own | before >> kStoppedShift & 0xff;
    return WaitForAll(own) ? own : 0;
  }

  // After Attend() gave units: the word may be cleared once all have left.
  __device__ __forceinline__ void Leave(uint32_t own) {
    own_ = own;
    if (sharers_ > 1) before_ = atomicOr(word_, own << kLeftShift);
  }

  // Long after Leave(), whose answer takes a while.
  __device__ __forceinline__ void Close() {
    const uint32_t gone =
        own_ | before_ >> kLeftShift | before_ >> kStoppedShift & 0xff;
    if (sharers_ == 1 || gone == (1u << sharers_) - 1) atomicExch(word_, 0);
  }

 private:
  static constexpr uint32_t kArrived = kMaxSlices;
  static constexpr int kStoppedShift = 16;
  static constexpr int kLeftShift = 24;
  // Some tens of microseconds: slices of one wave end within a few.
  static constexpr int kPolls = 64;

  // False: told the last arriver that it takes the units of `own`.
  __device__ __forceinline__ bool WaitForAll(uint32_t own) {
    uint32_t now = Read();
#pragma unroll 1
    for (int i = 0; i < kPolls && (now & kArrived) != slices_; ++i) {
      now = Read();
    }
    while ((now & kArrived) != slices_) {
      const uint32_t seen = atomicCAS(word_, now, now | own << kStoppedShift);
      if (seen == now) return false;
      now = Read();
    }
    return true;
  }

  // Publishes this slice's sum, and sees those that arrived before.
  __device__ __forceinline__ uint32_t AddOne() {
    uint32_t before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(word_)
                 : "memory");
    return before;
  }

  // Sees the sums of those that have arrived.
  __device__ __forceinline__ uint32_t Read() const {
    uint32_t now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(now)
                 : "l"(word_)
                 : "memory");
    return now;
  }

  uint32_t* word_;
  uint32_t slices_;
  uint32_t sharers_;
  uint32_t own_ = 0;
  uint32_t before_ = 0;  // the word, before leaving
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_SPLIT_MEETING_CUH_
