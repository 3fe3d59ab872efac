// What a linear index from the supply stands for: a whole tile, or one slice
// along K of a tile.
//
// Tiles that fill the GPU wave after wave are computed whole; only those of the
// last, incomplete wave are cut along K, so that all workers share it. With
// fewer tiles than workers that is all of them: plain split-K. (Stream-K,
// arXiv:2301.03598, with every cut at the same k: no slice ever waits.)
//
//   WorkList list = MakeWorkList(order, k_tiles, /*slices=*/4,
//   /*workers=*/132); for (uint64_t i = 0; i < list.size(); ++i)
//   Compute(list.At(i));
#ifndef TILETUNE_KERNELS_HOPPER_WORK_LIST_H_
#define TILETUNE_KERNELS_HOPPER_WORK_LIST_H_

#include <cstdint>

#include "scheduler/host_device.h"
#include "scheduler/order.h"

namespace tiletune::hopper {

struct WorkItem {
  TileCoord tile;  // k_slice: which slice, 0 if the tile is whole
  KTileRange k_tiles;
  uint32_t slices;      // of this tile
  uint32_t split_tile;  // its number among the split tiles; 0 if whole
};

struct WorkList {
  Order order;           // fewer than 2^32 cluster tiles; its k_slices is 1
  uint32_t k_tiles = 0;  // of the whole K
  uint32_t slices = 1;   // of each split tile
  uint64_t whole = 0;    // the first tiles of the order are not split
  // No more slices than workers: each worker has one at most, its last item.
  bool slices_run_at_once = false;

  TILETUNE_HD constexpr uint64_t split_tiles() const {
    return order.size() - whole;
  }

  TILETUNE_HD constexpr uint64_t size() const {
    return whole + split_tiles() * slices;
  }

  // The last item of worker `worker` of `workers`, if each takes every
  // workers-th one, as with a static supply. `worker` is less than size().
  TILETUNE_HD constexpr uint32_t LastOf(uint32_t worker,
                                        uint32_t workers) const {
    const uint32_t further = static_cast<uint32_t>(size()) - 1 - worker;
    return worker + further / workers * workers;
  }

  // `index` is less than size(). As in an Order, tiles run faster than slices.
  TILETUNE_HD constexpr WorkItem At(uint64_t index) const {
    WorkItem item = {{}, {0, k_tiles}, 1, 0};
    uint32_t at = static_cast<uint32_t>(index);
    uint32_t slice = 0;
    if (index >= whole) {
      // Fewer tiles than workers are split, and slices are few: 32 bits do, and
      // divide several times faster on a GPU.
      const uint32_t rest = static_cast<uint32_t>(index - whole);
      const uint32_t tiles = static_cast<uint32_t>(split_tiles());
      slice = rest / tiles;
      item.split_tile = rest - slice * tiles;
      item.slices = slices;
      item.k_tiles = KTilesOfSlice(k_tiles, slices, slice);
      at = static_cast<uint32_t>(whole) + item.split_tile;
    }
    item.tile = order.At32(at);
    item.tile.k_slice = slice;
    return item;
  }
};

// `workers` clusters run at once; `slices` is at least 1.
constexpr WorkList MakeWorkList(Order order, uint32_t k_tiles, uint32_t slices,
                                uint64_t workers) {
  WorkList list;
  order.k_slices = 1;
  list.order = order;
  list.k_tiles = k_tiles;
  list.slices = ClampKSlices(slices, k_tiles);
  list.whole = order.size();
  if (list.slices > 1) list.whole -= order.size() % workers;
  list.slices_run_at_once = list.split_tiles() * list.slices <= workers;
  return list;
}

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_WORK_LIST_H_
