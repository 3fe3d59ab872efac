// Which tile each warp of a GEMM works on, as slices of a trace, found by
// following data through kernels that nobody has described:
//
// - An accumulation is a tile. With tcgen05 it begins with an MMA that
//   overwrites its accumulator after the thread's last commit; with wgmma or
//   mma.sync, with the first MMA of a warp after the warp stored something.
// - A load belongs to the tile whose MMA reads what it wrote to shared memory.
// - A tcgen05.ld, and the stores after it, belong to the tile whose MMA wrote
//   the columns.
//
// So a kernel that adds up partial accumulations in other registers (FP8 with
// promotion) shows each of them as a tile.
//
//   TileSlices tiles;
//   tiles.OnLoad(tma_row, cta, {{cta, offset}}, bytes, "(0,128)", now);
//   tiles.OnTensorMma(mma_row, cta, /*overwrites=*/true, {{cta, offset}},
//                     {{sm, column}}, now);
//   tiles.OnTensorLoad(epilogue_row, sm, column, now);
//   tiles.Write(&trace);  // "tile 0" on each of the three rows
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TILE_SLICES_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TILE_SLICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "testing/emulator/machine/trace.h"

namespace tiletune::emulator {

struct Cta;
struct Sm;

// Every `now` is the time at which an instruction ended; it took one unit.
class TileSlices {
 public:
  using SharedAddress = std::pair<const Cta*, uint32_t>;
  using TensorColumn = std::pair<const Sm*, int>;

  // Another warp has the row from now on.
  void OnStart(int row);
  // The row's warp, of `cta`, issues a copy of `bytes` to an offset of the
  // shared memory of CTAs. `box` says which part of a tensor, for people.
  void OnLoad(int row, const Cta* cta, const std::vector<SharedAddress>& to,
              uint32_t bytes, const std::string& box, uint64_t now);
  // tcgen05.mma: where its operands lie, and its accumulator.
  void OnTensorMma(int row, const Cta* cta, bool overwrites,
                   const std::vector<SharedAddress>& operands,
                   const std::vector<TensorColumn>& accumulator, uint64_t now);
  void OnTensorCommit(int row, uint64_t now);
  void OnTensorLoad(int row, const Sm* sm, int column, uint64_t now);
  // wgmma and mma.sync; the latter's operands are in registers.
  void OnWarpMma(int row, const Cta* cta,
                 const std::vector<SharedAddress>& operands, uint64_t now);
  // To global memory, or to shared memory on the way there.
  void OnStore(int row, bool is_global, uint64_t now);

  void Write(Trace* trace) const;

 private:
  struct Load {
    uint32_t bytes;
    std::string box;
    const Cta* cta;                   // of the issuer
    std::map<const Cta*, int> tiles;  // by the CTA that it was copied to

    int TileIn(const Cta* reader) const;
    // In the issuer's own CTA, if it copied anything there.
    int OwnTile() const;
  };
  struct Tile {
    const Cta* cta;
    int number;  // in its CTA
    std::vector<std::string> boxes;
  };
  // A moment in which the row's warp worked. Tile and load: -1 for that of the
  // moment before.
  struct Mark {
    uint64_t time;
    int tile;
    int load;
    bool starts;
  };
  struct Row {
    std::vector<Mark> marks;
    int tile = -1;  // of its own MMAs
    int tiles = 0;
    bool committed = false;
    bool stored = false;
    bool has_results = false;
    bool is_warpgroup = false;
  };

  int NewTile(const Cta* cta);
  int FindLoad(const SharedAddress& at) const;
  void MarkLoads(int tile, const std::vector<SharedAddress>& operands);

  std::map<int, Row> rows_;
  std::vector<Load> loads_;
  std::vector<Tile> tiles_;
  std::map<const Cta*, int> tiles_of_cta_;
  std::map<std::pair<const Cta*, int>, int> unloaded_;  // by number in the row
  std::map<SharedAddress, int> load_at_;
  std::map<TensorColumn, int> tile_at_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TILE_SLICES_H_
