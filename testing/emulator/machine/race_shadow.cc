#include "testing/emulator/machine/race_shadow.h"

#include <algorithm>
#include <cstring>

namespace tiletune::emulator {
namespace {

constexpr int kLanes = 32;  // of a warp

}  // namespace

RaceShadow::RaceShadow(uint64_t bytes, uint32_t cell_bytes)
    : cell_bytes_(cell_bytes),
      block_bytes_(cell_bytes * kBlockCells),
      block_count_((bytes + block_bytes_ - 1) / block_bytes_),
      pages_((block_count_ + kPageBlocks - 1) / kPageBlocks) {}

bool RaceShadow::IsOrdered(const Epoch& before, const Access& access,
                           const VectorClock& clock, const RaceRules& rules,
                           const Extent& extent) {
  const bool same_actor = before.actor == access.actor;
  if (same_actor &&
      (rules.actor_is_ordered || before.lanes.empty() || access.lanes.empty() ||
       (before.lanes == access.lanes && before.lanes.IsSingle()))) {
    return true;
  }
  if (clock.Covers(before.actor, before.clock)) return true;
  if (before.lanes.empty()) return false;
  // Lane by lane: the same lane is in program order, others must be known.
  uint32_t step = before.lanes.Step();
  if (same_actor) step = std::min(step, access.lanes.Step());
  const bool is_cell = extent.bytes <= 4;
  if (step < 4 && is_cell) step = 1;
  for (uint32_t i = 0; i < extent.bytes; i += step) {
    if (step == 1 && is_cell && (extent.mask & before.mask & (1u << i)) == 0) {
      continue;
    }
    uint32_t theirs = before.lanes.At(extent.begin + i);
    if (same_actor) {
      const uint32_t mine = access.lanes.At(extent.begin + i);
      if ((mine & (mine - 1)) == 0) theirs &= ~mine;
    }
    for (; theirs != 0; theirs &= theirs - 1) {
      if (!clock.Covers(LaneActor(before.actor, __builtin_ctz(theirs)),
                        before.clock)) {
        return false;
      }
    }
  }
  return true;
}

void RaceShadow::FindLanes(const Epoch& before, const Access& access,
                           const VectorClock& clock, const Extent& extent,
                           RaceReport* report) {
  const bool is_cell = extent.bytes <= 4;
  for (uint32_t i = 0; i < extent.bytes; ++i) {
    if (is_cell && (extent.mask & (1u << i)) == 0) continue;
    const uint64_t at = extent.begin + i;
    const uint32_t mine = access.lanes.empty() ? 0 : access.lanes.At(at);
    uint32_t theirs = before.lanes.empty() ? 0 : before.lanes.At(at);
    const bool same_actor = before.actor == access.actor;
    if (same_actor && (mine & (mine - 1)) == 0) theirs &= ~mine;
    uint32_t unordered = 0;
    for (uint32_t m = theirs; m != 0; m &= m - 1) {
      const int lane = __builtin_ctz(m);
      if (!clock.Covers(LaneActor(before.actor, lane), before.clock)) {
        unordered |= 1u << lane;
      }
    }
    if (!before.lanes.empty() && unordered == 0) continue;
    report->offset = at;
    uint32_t others = mine;
    if (unordered != 0 && before.thread >= 0) {
      const int lane = __builtin_ctz(unordered);
      report->other_thread = before.thread / kLanes * kLanes + lane;
      if (same_actor) others &= ~(1u << lane);
    }
    if (others != 0) report->lane = __builtin_ctz(others);
    return;
  }
}

void RaceShadow::Check(const Cell& cell, const Extent& extent, bool write,
                       const Access& access, const RaceRules& rules,
                       RaceReport* report) {
  auto fill = [&](RaceReport::Kind kind, const Epoch& other,
                  const VectorClock& clock) {
    report->kind = kind;
    report->offset = extent.begin;
    report->other_line = other.line;
    report->other_thread = other.thread;
    report->other_actor = other.actor;
    report->other_async = other.async;
    FindLanes(other, access, clock, extent, report);
  };
  const Knowledge& known = *access.knowledge;
  const VectorClock& proxy =
      rules.is_global ? known.global_proxy : known.shared_proxy;
  const Epoch& last = cell.write;
  if (last.clock != 0 && (cell.write_mask & extent.mask) != 0 &&
      !(last.atomic && access.atomic)) {
    const bool repeats = rules.repeated_writes && access.repeats &&
                         !last.async && last.line == access.line;
    if (!repeats && !IsOrdered(last, access, known.order, rules, extent)) {
      const bool fence_lacks =
          access.unfenced != nullptr &&
          IsOrdered(last, access, access.unfenced->order, rules, extent);
      fill(fence_lacks ? RaceReport::Kind::kMissingTensorFence
           : write     ? RaceReport::Kind::kWriteAfterWrite
                       : RaceReport::Kind::kReadAfterWrite,
           last, known.order);
      return;
    }
    if (rules.scopes && known.visible.has_value() && !access.async &&
        !last.async &&
        !IsOrdered(last, access, *known.visible, rules, extent)) {
      fill(RaceReport::Kind::kNarrowScope, last, *known.visible);
      return;
    }
    if (access.async && !last.async && rules.proxy_write &&
        !IsOrdered(last, access, proxy, rules, extent)) {
      fill(RaceReport::Kind::kMissingProxyFence, last, proxy);
      return;
    }
  }
  if (!write) return;
  for (const Epoch& read : cell.reads) {
    if (read.clock == 0 || (read.mask & extent.mask) == 0) continue;
    if (read.atomic && access.atomic) continue;
    if (!IsOrdered(read, access, known.order, rules, extent)) {
      fill(RaceReport::Kind::kWriteAfterRead, read, known.order);
      return;
    }
    if (access.async && !read.async && rules.proxy_read &&
        !IsOrdered(read, access, proxy, rules, extent)) {
      fill(RaceReport::Kind::kMissingProxyFenceRead, read, proxy);
      return;
    }
  }
}

void RaceShadow::Record(Cell* cell, const Extent& extent, bool write,
                        const Access& access, const RaceRules& rules) {
  Epoch epoch;
  epoch.actor = access.actor;
  epoch.clock = access.clock;
  epoch.line = access.line;
  epoch.thread = static_cast<int16_t>(access.thread);
  epoch.async = access.async;
  epoch.atomic = access.atomic;
  epoch.mask = extent.mask;
  epoch.lanes = access.lanes;
  if (write) {
    cell->write = epoch;
    cell->write_mask = extent.mask;
    for (Epoch& read : cell->reads) read.clock = 0;
    return;
  }
  // Join a read of the same epoch; else replace one that is ordered before
  // this one, else take a free place, else the first: losing a reader can
  // only hide a race.
  Epoch* victim = nullptr;
  for (Epoch& read : cell->reads) {
    if (read.clock == 0) {
      if (victim == nullptr) victim = &read;
      continue;
    }
    if (read.actor == epoch.actor && read.clock == epoch.clock) {
      LaneSet lanes = read.lanes;
      const bool same_bytes = read.mask == epoch.mask;
      if (lanes == epoch.lanes || (same_bytes && lanes.Add(epoch.lanes))) {
        epoch.mask |= read.mask;
        epoch.lanes = lanes;
        victim = &read;
        break;
      }
    }
    if (read.actor == epoch.actor &&
        IsOrdered(read, access, access.knowledge->order, rules, extent)) {
      victim = &read;
      break;
    }
  }
  if (victim == nullptr) {
    for (Epoch& read : cell->reads) {
      if (IsOrdered(read, access, access.knowledge->order, rules, extent)) {
        victim = &read;
        break;
      }
    }
  }
  if (victim == nullptr) victim = &cell->reads[0];
  *victim = epoch;
}

void RaceShadow::Split(Block* block) {
  if (!block->uniform) return;
  if (block->cells == nullptr) block->cells.reset(new Cell[kBlockCells]);
  std::fill_n(block->cells.get(), kBlockCells, block->all);
  block->uniform = false;
}

void RaceShadow::TouchCells(uint64_t block_index, uint64_t offset, uint64_t end,
                            bool write, const Access& access,
                            const RaceRules& rules, RaceReport* report) {
  Block& block = BlockAt(block_index);
  Split(&block);
  const uint64_t base = block_index * block_bytes_;
  for (uint64_t i = (offset - base) / cell_bytes_;
       i < kBlockCells && base + i * cell_bytes_ < end; ++i) {
    const uint64_t begin = base + i * cell_bytes_;
    uint8_t mask = 0;
    for (uint32_t b = 0; b < cell_bytes_; ++b) {
      if (begin + b >= offset && begin + b < end) {
        mask |= static_cast<uint8_t>(1u << b);
      }
    }
    const Extent extent = {begin, cell_bytes_, mask};
    Cell& cell = block.cells[i];
    if (report->kind == RaceReport::Kind::kNone) {
      Check(cell, extent, write, access, rules, report);
    }
    Record(&cell, extent, write, access, rules);
  }
}

bool RaceShadow::Touch(uint64_t offset, uint64_t bytes, bool write,
                       const Access& access, const RaceRules& rules,
                       RaceReport* report) {
  *report = RaceReport();
  if (bytes == 0) return false;
  const uint64_t end = offset + bytes;
  const uint8_t full = static_cast<uint8_t>((1u << cell_bytes_) - 1);
  for (uint64_t i = offset / block_bytes_; i * block_bytes_ < end; ++i) {
    const uint64_t base = i * block_bytes_;
    Block& block = BlockAt(i);
    const uint64_t from = std::max(offset, base);
    const uint64_t to = std::min(end, base + block_bytes_);
    if (from != base || to != base + block_bytes_) {
      TouchCells(i, from, to, write, access, rules, report);
      continue;
    }
    if (!block.uniform) {
      TouchCells(i, from, to, write, access, rules, report);
      if (write) {  // all cells now have this write and no reader
        block.all = block.cells[0];
        block.uniform = true;
      }
      continue;
    }
    const Extent extent = {base, block_bytes_, full};
    if (report->kind == RaceReport::Kind::kNone) {
      Check(block.all, extent, write, access, rules, report);
    }
    Record(&block.all, extent, write, access, rules);
  }
  return report->kind != RaceReport::Kind::kNone;
}

void RaceShadow::Forget(uint64_t offset, uint64_t bytes) {
  const uint64_t cells = block_count_ * kBlockCells;
  for (uint64_t i = offset / cell_bytes_;
       i * cell_bytes_ < offset + bytes && i < cells; ++i) {
    if (pages_[i / kBlockCells / kPageBlocks] == nullptr) continue;
    Block& block = BlockAt(i / kBlockCells);
    Split(&block);
    block.cells[i % kBlockCells] = Cell();
  }
}

}  // namespace tiletune::emulator
