#include "testing/emulator/machine/race_shadow.h"

#include <algorithm>
#include <cstring>

namespace tiletune::emulator {

RaceShadow::RaceShadow(uint64_t bytes, uint32_t cell_bytes)
    : cell_bytes_(cell_bytes),
      block_bytes_(cell_bytes * kBlockCells),
      blocks_((bytes + block_bytes_ - 1) / block_bytes_) {}

void RaceShadow::Check(const Cell& cell, uint8_t mask, bool write,
                       const Access& access, const RaceRules& rules,
                       RaceReport* report) {
  auto fill = [report](RaceReport::Kind kind, const Epoch& other) {
    report->kind = kind;
    report->other_line = other.line;
    report->other_thread = other.thread;
    report->other_actor = other.actor;
    report->other_async = other.async;
  };
  const Epoch& last = cell.write;
  if (last.clock != 0 && (cell.write_mask & mask) != 0 &&
      last.actor != access.actor && !(last.atomic && access.atomic)) {
    if (!access.knowledge->order.Covers(last.actor, last.clock)) {
      fill(write ? RaceReport::Kind::kWriteAfterWrite
                 : RaceReport::Kind::kReadAfterWrite,
           last);
      return;
    }
    if (access.async && !last.async && rules.proxy_write &&
        !access.knowledge->proxy.Covers(last.actor, last.clock)) {
      fill(RaceReport::Kind::kMissingProxyFence, last);
      return;
    }
  }
  if (!write) return;
  for (const Epoch& read : cell.reads) {
    if (read.clock == 0 || read.actor == access.actor) continue;
    if ((read.mask & mask) == 0) continue;
    if (read.atomic && access.atomic) continue;
    if (!access.knowledge->order.Covers(read.actor, read.clock)) {
      fill(RaceReport::Kind::kWriteAfterRead, read);
      return;
    }
    if (access.async && !read.async && rules.proxy_read &&
        !access.knowledge->proxy.Covers(read.actor, read.clock)) {
      fill(RaceReport::Kind::kMissingProxyFenceRead, read);
      return;
    }
  }
}

void RaceShadow::Record(Cell* cell, uint8_t mask, bool write,
                        const Access& access) {
  Epoch epoch;
  epoch.actor = access.actor;
  epoch.clock = access.clock;
  epoch.line = access.line;
  epoch.thread = static_cast<int16_t>(access.thread);
  epoch.async = access.async;
  epoch.atomic = access.atomic;
  if (write) {
    cell->write = epoch;
    cell->write_mask = mask;
    for (Epoch& read : cell->reads) read.clock = 0;
    return;
  }
  // Replace the same actor's read, else one that is already ordered before
  // this access, else the oldest: losing a reader can only hide a race.
  Epoch* victim = nullptr;
  for (Epoch& read : cell->reads) {
    if (read.clock == 0 || read.actor == access.actor) {
      victim = &read;
      if (read.clock != 0) break;
    }
  }
  if (victim == nullptr) {
    for (Epoch& read : cell->reads) {
      if (access.knowledge->order.Covers(read.actor, read.clock)) {
        victim = &read;
        break;
      }
    }
  }
  if (victim == nullptr) victim = &cell->reads[0];
  const bool same_epoch =
      victim->actor == epoch.actor && victim->clock == epoch.clock;
  epoch.mask = same_epoch ? victim->mask | mask : mask;
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
  Block& block = blocks_[block_index];
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
    Cell& cell = block.cells[i];
    if (report->kind == RaceReport::Kind::kNone) {
      Check(cell, mask, write, access, rules, report);
      if (report->kind != RaceReport::Kind::kNone) report->offset = begin;
    }
    Record(&cell, mask, write, access);
  }
}

bool RaceShadow::Touch(uint64_t offset, uint64_t bytes, bool write,
                       const Access& access, const RaceRules& rules,
                       RaceReport* report) {
  report->kind = RaceReport::Kind::kNone;
  if (bytes == 0) return false;
  const uint64_t end = offset + bytes;
  const uint8_t full = static_cast<uint8_t>((1u << cell_bytes_) - 1);
  for (uint64_t i = offset / block_bytes_; i * block_bytes_ < end; ++i) {
    const uint64_t base = i * block_bytes_;
    Block& block = blocks_[i];
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
    if (report->kind == RaceReport::Kind::kNone) {
      Check(block.all, full, write, access, rules, report);
      if (report->kind != RaceReport::Kind::kNone) report->offset = base;
    }
    Record(&block.all, full, write, access);
  }
  return report->kind != RaceReport::Kind::kNone;
}

void RaceShadow::Forget(uint64_t offset, uint64_t bytes) {
  const uint64_t cells = blocks_.size() * kBlockCells;
  for (uint64_t i = offset / cell_bytes_;
       i * cell_bytes_ < offset + bytes && i < cells; ++i) {
    Block& block = blocks_[i / kBlockCells];
    Split(&block);
    block.cells[i % kBlockCells] = Cell();
  }
}

}  // namespace tiletune::emulator
