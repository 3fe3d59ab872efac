// Memory that reads as zero and takes room only where it is written.
//
// For the registers of a warp: PTX names tens of thousands, and a warp of one
// role writes few of them.
//
//   ZeroPages memory(slots * kWarpSize);
//   uint64_t* registers = memory.words();
//   registers[7] = 1;   // one page of room
//   assert(registers[8] == 0);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ZERO_PAGES_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ZERO_PAGES_H_

#include <cstddef>
#include <cstdint>

namespace tiletune::emulator {

class ZeroPages {
 public:
  // Throws std::bad_alloc where the system has no such range to give.
  explicit ZeroPages(size_t words);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;

  // As many as asked for, at one address for the object's life.
  uint64_t* words() const { return words_; }

 private:
  size_t bytes_;
  uint64_t* words_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ZERO_PAGES_H_
