// Which lanes of its warp made an access, byte by byte, in eight bytes.
//
//   LaneSet one = LaneSet::Mask(1u << lane);
//   // Lane 4 touched the 16 bytes from offset 64 on, lane 5 the next 16, ...
//   LaneSet run = LaneSet::Strided(/*lane=*/4, /*offset=*/64, /*shift=*/4);
//   uint32_t mask = run.At(96);   // 1 << 6
//   bool whole = LaneSet().empty();  // the actor has no lanes
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_LANE_SET_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_LANE_SET_H_

#include <cstdint>

namespace tiletune::emulator {

class LaneSet {
 public:
  LaneSet() = default;
  static LaneSet Mask(uint32_t mask) { return LaneSet(mask, kMask); }
  // `offset` must be a multiple of 1 << shift, the bytes of one lane.
  static LaneSet Strided(int lane, uint64_t offset, int shift) {
    return LaneSet(
        static_cast<uint32_t>(lane) - static_cast<uint32_t>(offset >> shift),
        static_cast<uint8_t>(shift));
  }

  bool empty() const { return shift_ == kNone; }
  // The lanes that touched the byte at `offset`.
  uint32_t At(uint64_t offset) const {
    if (shift_ >= kMask) return bits_;
    return 1u << ((bits_ + static_cast<uint32_t>(offset >> shift_)) & 31);
  }
  // Every byte was touched by one lane.
  bool IsSingle() const { return shift_ < kMask || (bits_ & (bits_ - 1)) == 0; }
  // Bytes that are sure to have the same lanes: a power of two.
  uint32_t Step() const { return shift_ < kMask ? 1u << shift_ : 32; }
  // Adds lanes of another mask; false if one of the two is not a mask.
  bool Add(const LaneSet& other) {
    if (shift_ != kMask || other.shift_ != kMask) return false;
    bits_ |= other.bits_;
    return true;
  }
  bool operator==(const LaneSet& other) const {
    return bits_ == other.bits_ && shift_ == other.shift_;
  }

 private:
  static constexpr uint8_t kMask = 254;
  static constexpr uint8_t kNone = 255;
  LaneSet(uint32_t bits, uint8_t shift) : bits_(bits), shift_(shift) {}

  uint32_t bits_ = 0;  // a mask, or what to add to offset >> shift_
  uint8_t shift_ = kNone;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_LANE_SET_H_
