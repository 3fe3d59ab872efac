#include "testing/emulator/machine/tile_slices.h"

#include <algorithm>

#include "testing/emulator/machine/cta.h"

namespace tiletune::emulator {
namespace {

constexpr size_t kMaxBoxes = 4;

}  // namespace

int TileSlices::Load::TileIn(const Cta* reader) const {
  const auto it = tiles.find(reader);
  return it == tiles.end() ? -1 : it->second;
}

int TileSlices::Load::OwnTile() const {
  const int own = TileIn(cta);
  return own >= 0 || tiles.empty() ? own : tiles.begin()->second;
}

int TileSlices::NewTile(const Cta* cta) {
  tiles_.push_back({cta, tiles_of_cta_[cta]++, {}});
  return static_cast<int>(tiles_.size()) - 1;
}

int TileSlices::FindLoad(const SharedAddress& at) const {
  auto it = load_at_.upper_bound(at);
  if (it == load_at_.begin()) return -1;
  --it;
  const bool covers = it->first.first == at.first &&
                      at.second - it->first.second <
                          loads_[static_cast<size_t>(it->second)].bytes;
  return covers ? it->second : -1;
}

void TileSlices::MarkLoads(int tile,
                           const std::vector<SharedAddress>& operands) {
  for (const SharedAddress& operand : operands) {
    const int found = FindLoad(operand);
    if (found < 0) continue;
    Load& load = loads_[static_cast<size_t>(found)];
    if (!load.tiles.emplace(operand.first, tile).second) continue;
    std::vector<std::string>& boxes = tiles_[static_cast<size_t>(tile)].boxes;
    if (boxes.size() < kMaxBoxes) boxes.push_back(load.box);
  }
}

void TileSlices::OnStart(int row) {
  Row& state = rows_[row];
  std::vector<Mark> marks = std::move(state.marks);
  state = Row();
  state.marks = std::move(marks);
  state.marks.push_back({0, -1, -1, true});
}

void TileSlices::OnLoad(int row, const Cta* cta,
                        const std::vector<SharedAddress>& to, uint32_t bytes,
                        const std::string& box, uint64_t now) {
  const int load = static_cast<int>(loads_.size());
  loads_.push_back({bytes, box, cta, {}});
  for (const SharedAddress& at : to) load_at_[at] = load;
  rows_[row].marks.push_back({now, -1, load, false});
}

void TileSlices::OnTensorMma(int row, const Cta* cta, bool overwrites,
                             const std::vector<SharedAddress>& operands,
                             const std::vector<TensorColumn>& accumulator,
                             uint64_t now) {
  Row& state = rows_[row];
  if (state.tile < 0 || (overwrites && state.committed)) {
    state.tile = NewTile(cta);
    state.committed = false;
  }
  MarkLoads(state.tile, operands);
  for (const TensorColumn& at : accumulator) tile_at_[at] = state.tile;
  state.marks.push_back({now, state.tile, -1, false});
}

void TileSlices::OnTensorCommit(int row, uint64_t now) {
  Row& state = rows_[row];
  if (state.tile < 0) return;
  state.committed = true;
  state.marks.push_back({now, state.tile, -1, false});
}

void TileSlices::OnTensorLoad(int row, const Sm* sm, int column, uint64_t now) {
  Row& state = rows_[row];
  auto it = tile_at_.upper_bound({sm, column});
  if (it == tile_at_.begin()) return;
  --it;
  if (it->first.first != sm) return;
  state.has_results = true;
  state.marks.push_back({now, it->second, -1, false});
}

void TileSlices::OnWarpMma(int row, const Cta* cta,
                           const std::vector<SharedAddress>& operands,
                           uint64_t now) {
  Row& state = rows_[row];
  state.is_warpgroup = !operands.empty();
  if (state.tile < 0 || state.stored) {
    // Warps that read a common operand work on one tile; those whose operands
    // nothing loaded are taken to count alike.
    int tile = -1;
    int* counted =
        &unloaded_.emplace(std::pair(cta, state.tiles), -1).first->second;
    for (const SharedAddress& operand : operands) {
      const int load = FindLoad(operand);
      if (load < 0) continue;
      counted = nullptr;
      const int other = loads_[static_cast<size_t>(load)].TileIn(cta);
      if (other != state.tile) tile = std::max(tile, other);
    }
    if (counted != nullptr) tile = *counted;
    if (tile < 0) tile = NewTile(cta);
    if (counted != nullptr) *counted = tile;
    state.tile = tile;
    ++state.tiles;
    state.stored = false;
    state.has_results = true;
  }
  MarkLoads(state.tile, operands);
  state.marks.push_back({now, state.tile, -1, false});
}

void TileSlices::OnStore(int row, bool is_global, uint64_t now) {
  Row& state = rows_[row];
  if (!state.has_results) return;
  // Operands on their way to mma.sync are stored to shared memory as well.
  if (!is_global && state.tile >= 0 && !state.is_warpgroup) return;
  state.stored = true;
  state.marks.push_back({now, -1, -1, false});
}

void TileSlices::Write(Trace* trace) const {
  for (const auto& [row, state] : rows_) {
    int tile = -1;
    uint64_t begin = 0;
    uint64_t end = 0;
    auto write = [&, row = row] {
      if (tile < 0) return;
      const Tile& made = tiles_[static_cast<size_t>(tile)];
      Trace::Arguments arguments;
      arguments.emplace_back("cta", std::to_string(made.cta->id.x) + "," +
                                        std::to_string(made.cta->id.y) + "," +
                                        std::to_string(made.cta->id.z));
      std::string boxes;
      for (const std::string& box : made.boxes) {
        boxes += (boxes.empty() ? "" : " ") + box;
      }
      if (!boxes.empty()) arguments.emplace_back("first loads", boxes);
      trace->Slice(row, "tile " + std::to_string(made.number), "tile", begin,
                   end, std::move(arguments));
    };
    for (const Mark& mark : state.marks) {
      int next = mark.tile;
      if (mark.load >= 0) {
        next = loads_[static_cast<size_t>(mark.load)].OwnTile();
      }
      if (next < 0 && !mark.starts) next = tile;
      if (next != tile || mark.starts) {
        write();
        tile = next;
        begin = mark.time - 1;
      }
      end = mark.time;
    }
    write();
  }
}

}  // namespace tiletune::emulator
