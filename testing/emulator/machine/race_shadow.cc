#include "testing/emulator/machine/race_shadow.h"

#include <algorithm>
#include <cstring>

namespace tiletune::emulator {

RaceShadow::RaceShadow(uint64_t bytes, uint32_t cell_bytes)
    : cell_bytes_(cell_bytes), cells_((bytes + cell_bytes - 1) / cell_bytes) {}

bool RaceShadow::Same(const Cell& a, const Cell& b) {
  auto same = [](const Epoch& x, const Epoch& y) {
    return x.actor == y.actor && x.clock == y.clock && x.line == y.line &&
           x.async == y.async && x.atomic == y.atomic && x.mask == y.mask;
  };
  return a.write_mask == b.write_mask && same(a.write, b.write) &&
         same(a.reads[0], b.reads[0]) && same(a.reads[1], b.reads[1]) &&
         same(a.reads[2], b.reads[2]);
}

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

bool RaceShadow::Touch(uint64_t offset, uint64_t bytes, bool write,
                       const Access& access, const RaceRules& rules,
                       RaceReport* report) {
  report->kind = RaceReport::Kind::kNone;
  if (bytes == 0) return false;
  uint64_t first = offset / cell_bytes_;
  uint64_t last = (offset + bytes - 1) / cell_bytes_;
  const uint8_t full = static_cast<uint8_t>((1u << cell_bytes_) - 1);
  Cell before;
  Cell after;
  bool cached = false;
  for (uint64_t i = first; i <= last; ++i) {
    Cell& cell = cells_[i];
    uint8_t mask = full;
    if (i == first || i == last) {
      uint64_t begin = i * cell_bytes_;
      for (uint32_t b = 0; b < cell_bytes_; ++b) {
        if (begin + b < offset || begin + b >= offset + bytes) {
          mask &= static_cast<uint8_t>(~(1u << b));
        }
      }
    }
    if (cached && mask == full && Same(cell, before)) {
      cell = after;
      continue;
    }
    before = cell;
    if (report->kind == RaceReport::Kind::kNone) {
      Check(cell, mask, write, access, rules, report);
      if (report->kind != RaceReport::Kind::kNone) {
        report->offset = i * cell_bytes_;
      }
    }
    Record(&cell, mask, write, access);
    after = cell;
    cached = mask == full;
  }
  return report->kind != RaceReport::Kind::kNone;
}

void RaceShadow::Forget(uint64_t offset, uint64_t bytes) {
  if (bytes == 0) return;
  uint64_t first = offset / cell_bytes_;
  uint64_t last = (offset + bytes - 1) / cell_bytes_;
  for (uint64_t i = first; i <= last && i < cells_.size(); ++i) {
    cells_[i] = Cell();
  }
}

}  // namespace tiletune::emulator
