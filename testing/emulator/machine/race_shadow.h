// Shadow state that finds data races by happens-before over one memory: who
// wrote each cell last and who has read it since, as epochs of actors.
//
//   RaceShadow shadow(bytes, /*cell_bytes=*/4);
//   Access access{actor, clock, /*async=*/false, line, thread, &knowledge};
//   RaceReport report;
//   if (shadow.Touch(offset, 16, /*write=*/true, access, rules, &report))
//     Report(report);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_RACE_SHADOW_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_RACE_SHADOW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "testing/emulator/machine/lane_set.h"
#include "testing/emulator/machine/vector_clock.h"

namespace tiletune::emulator {

// Who accesses memory, and what it knows.
struct Access {
  uint32_t actor = 0;
  uint32_t clock = 0;
  bool async = false;    // through the async proxy
  bool atomic = false;   // atomics and relaxed or stronger loads and stores
  bool repeats = false;  // writes what is there already
  int line = 0;
  int thread = -1;
  // The lanes of the warp `actor`; empty if all its lanes are one thread. The
  // clocks of `knowledge` then have the lanes' own actors (LaneActor), too.
  LaneSet lanes;
  const Knowledge* knowledge = nullptr;
  // What it would know after a tcgen05 fence; null where none is asked for.
  const Knowledge* unfenced = nullptr;
};

// What is required beyond plain happens-before.
struct RaceRules {
  // Generic writes must be fenced before async accesses (fence.proxy.async).
  bool proxy_write = true;
  // Generic reads must be fenced before async writes.
  bool proxy_read = false;
  // Which proxy fences count: those of global memory, or of shared.
  bool is_global = false;
  // What another thread wrote must be visible, not only ordered.
  bool scopes = false;
  // Threads may write one value with one instruction, unordered.
  bool repeated_writes = false;
  // Accesses of one actor are ordered even if its lanes differ.
  bool actor_is_ordered = false;
};

struct RaceReport {
  enum class Kind {
    kNone,
    kWriteAfterWrite,
    kReadAfterWrite,
    kWriteAfterRead,
    kMissingProxyFence,      // ordered, but generic write not fenced
    kMissingProxyFenceRead,  // ordered, but generic read not fenced
    kMissingTensorFence,     // ordered, but not for tcgen05 operations
    kNarrowScope,            // generic both, ordered, but not visible
  };
  Kind kind = Kind::kNone;
  uint64_t offset = 0;
  int lane = -1;  // of `access`; -1 if all lanes of a warp are one thread
  int other_line = 0;
  int other_thread = -1;
  uint32_t other_actor = 0;
  bool other_async = false;
};

class RaceShadow {
 public:
  RaceShadow(uint64_t bytes, uint32_t cell_bytes);

  // Records an access to [offset, offset + bytes) and reports the first
  // conflict; false when there is none. The range lies inside the memory.
  bool Touch(uint64_t offset, uint64_t bytes, bool write, const Access& access,
             const RaceRules& rules, RaceReport* report);
  // Forgets the history of a range (its meaning changes: mbarrier, TMEM
  // columns allocated anew).
  void Forget(uint64_t offset, uint64_t bytes);

 private:
  struct Epoch {
    uint32_t actor = 0;
    uint32_t clock = 0;  // 0: none
    int32_t line = 0;
    int16_t thread = -1;
    bool async = false;
    bool atomic = false;
    uint8_t mask = 0;  // bytes of the cell, of a read
    LaneSet lanes;
  };
  static constexpr int kReaders = 3;
  struct Cell {
    Epoch write;
    Epoch reads[kReaders];
    uint8_t write_mask = 0;  // bytes of the cell that `write` covers
  };

  // Cells are kept in blocks. While all cells of a block have the same
  // history, one stands for all: most operations touch whole blocks.
  static constexpr uint32_t kBlockCells = 8;
  struct Block {
    Cell all;
    std::unique_ptr<Cell[]> cells;  // used while !uniform
    bool uniform = true;
  };

  // Part of the memory: a cell, and which of its bytes; or a block.
  struct Extent {
    uint64_t begin = 0;
    uint32_t bytes = 0;
    uint8_t mask = 0;  // of each cell
  };

  // True if `clock` or program order puts `before` ahead of `access`.
  static bool IsOrdered(const Epoch& before, const Access& access,
                        const VectorClock& clock, const RaceRules& rules,
                        const Extent& extent);
  // Fills in which byte and which lanes are at fault, where accesses have them.
  static void FindLanes(const Epoch& before, const Access& access,
                        const VectorClock& clock, const Extent& extent,
                        RaceReport* report);
  static void Check(const Cell& cell, const Extent& extent, bool write,
                    const Access& access, const RaceRules& rules,
                    RaceReport* report);
  static void Record(Cell* cell, const Extent& extent, bool write,
                     const Access& access, const RaceRules& rules);
  static void Split(Block* block);
  // Touches the cells of one block that lie in [offset, end).
  void TouchCells(uint64_t block_index, uint64_t offset, uint64_t end,
                  bool write, const Access& access, const RaceRules& rules,
                  RaceReport* report);

  // Pages are made when first touched: most of a big memory never is.
  static constexpr uint64_t kPageBlocks = 256;
  Block& BlockAt(uint64_t index) {
    std::unique_ptr<Block[]>& page = pages_[index / kPageBlocks];
    if (page == nullptr) page.reset(new Block[kPageBlocks]);
    return page[index % kPageBlocks];
  }

  uint32_t cell_bytes_;
  uint32_t block_bytes_;
  uint64_t block_count_;
  std::vector<std::unique_ptr<Block[]>> pages_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_RACE_SHADOW_H_
