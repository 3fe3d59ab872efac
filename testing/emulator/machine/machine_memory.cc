// Address translation and the memory checks of the machine.
#include <algorithm>
#include <cstring>
#include <string>

#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

std::string Bytes(uint64_t n) {
  return std::to_string(n) + (n == 1 ? " byte" : " bytes");
}

const char* RaceName(const RaceReport& report) {
  switch (report.kind) {
    case RaceReport::Kind::kWriteAfterWrite:
      return "data race";
    case RaceReport::Kind::kReadAfterWrite:
      return "data race";
    case RaceReport::Kind::kWriteAfterRead:
      return "data race";
    case RaceReport::Kind::kMissingProxyFence:
    case RaceReport::Kind::kMissingProxyFenceRead:
      return "missing proxy fence";
    case RaceReport::Kind::kMissingTensorFence:
      return "missing tcgen05 fence";
    case RaceReport::Kind::kNarrowScope:
      return "scope too narrow";
    case RaceReport::Kind::kNone:
      break;
  }
  return "";
}

// `who` names the other access's thread, or is empty.
std::string RaceSentence(const RaceReport& report, const std::string& who,
                         const char* space) {
  std::string other =
      std::string(report.other_async ? "the asynchronous " : "the ");
  std::string line = " at line " + std::to_string(report.other_line) + who;
  switch (report.kind) {
    case RaceReport::Kind::kWriteAfterWrite:
      return std::string("writes ") + space + " memory that " + other +
             "write" + line + " wrote, with nothing ordering the two";
    case RaceReport::Kind::kReadAfterWrite:
      return std::string("reads ") + space + " memory that " + other + "write" +
             line + " wrote, with nothing ordering the two";
    case RaceReport::Kind::kWriteAfterRead:
      return std::string("overwrites ") + space + " memory that " + other +
             "read" + line + " may still be reading";
    case RaceReport::Kind::kMissingProxyFence:
      return std::string(
                 "accesses through the async proxy what the generic "
                 "write") +
             line + " wrote to " + space +
             " memory, without a fence.proxy.async after that write";
    case RaceReport::Kind::kMissingProxyFenceRead:
      return std::string(
                 "overwrites through the async proxy what the generic "
                 "read") +
             line + " read, without a fence.proxy.async after that read";
    case RaceReport::Kind::kMissingTensorFence:
      return std::string("a tcgen05 operation accesses ") + space +
             " memory that " + other + "write" + line +
             " wrote; a barrier orders the two, but no "
             "tcgen05.fence::after_thread_sync follows it";
    case RaceReport::Kind::kNarrowScope:
      return std::string("accesses ") + space + " memory that the write" +
             line +
             " wrote; the two are ordered, but by a release or an acquire "
             "whose scope does not include the other's thread";
    case RaceReport::Kind::kNone:
      break;
  }
  return "";
}

}  // namespace

void Machine::ReportRace(const RaceReport& report, const char* space,
                         uint64_t address, const Access& access,
                         const Inst& inst, const Cta* accessor) {
  std::string who;
  if (report.other_thread >= 0) {
    who = "thread " + std::to_string(report.other_thread);
  }
  const Cta* const cta = FindCta(report.other_actor);
  if (cta != nullptr && cta != accessor) {
    if (!who.empty()) who += " of ";
    who += "CTA (" + std::to_string(cta->id.x) + "," +
           std::to_string(cta->id.y) + "," + std::to_string(cta->id.z) + ")";
    if (accessor != nullptr && cta->grid != accessor->grid) {
      who += " of " + cta->grid->name;
    }
  }
  if (!who.empty()) who = " (" + who + ")";
  int thread = access.thread;
  if (thread >= 0 && report.lane >= 0) {
    thread = thread / kWarpSize * kWarpSize + report.lane;
  }
  ReportAt(accessor, thread, &inst, RaceName(report),
           RaceSentence(report, who, space), address);
}

Access Machine::WarpAccess(Warp& warp, const Inst& inst, int lane) const {
  Access access;
  access.actor = warp.actor;
  access.clock = warp.known.clock();
  access.line = inst.line;
  access.thread = ThreadIndex(warp, lane);
  if (warp.known.by_lane()) access.lanes = LaneSet::Mask(1u << lane);
  access.knowledge = &warp.known.Of(lane);
  return access;
}

Location Machine::LocateShared(Warp& warp, const Inst& inst, int lane,
                               uint32_t address, uint64_t bytes,
                               bool own_cta_only) {
  Location location;
  location.space = MemorySpace::kShared;
  uint32_t rank = SharedRank(address);
  uint32_t offset = SharedOffset(address);
  if (own_cta_only && rank != warp.cta->rank && rank != 0) {
    Report(warp, inst, lane, "wrong state space",
           "a shared::cta access uses the address of CTA rank " +
               std::to_string(rank) + " of the cluster",
           address);
    return location;
  }
  if (own_cta_only) rank = warp.cta->rank;
  if (rank >= warp.cta->cluster->ctas.size()) {
    Report(warp, inst, lane, "out of bounds",
           "the shared address names CTA rank " + std::to_string(rank) +
               ", which the cluster does not have",
           address);
    return location;
  }
  Cta* cta = warp.cta->cluster->ctas[rank].get();
  if (offset < kSharedBase || offset + bytes > cta->shared.size()) {
    if (cta->exited && cta->shared.empty()) {
      Report(warp, inst, lane, "access to an exited CTA",
             "the shared memory belongs to a CTA that has exited", address);
      return location;
    }
    Report(warp, inst, lane, "out of bounds",
           Bytes(bytes) + " at shared offset " + std::to_string(offset) +
               " leave the CTA's shared memory [" +
               std::to_string(kSharedBase) + ", " +
               std::to_string(cta->shared.size()) + ")",
           address);
    return location;
  }
  if (cta->exited) {
    Report(warp, inst, lane, "access to an exited CTA",
           "the shared memory belongs to a CTA that has exited", address);
  } else if (!cta->started) {
    Report(warp, inst, lane, "access to a CTA that has not started",
           "nothing makes sure that CTA rank " + std::to_string(rank) +
               " of the cluster runs already",
           address);
  }
  location.cta = cta;
  location.offset = offset;
  location.data = cta->shared.data() + offset;
  return location;
}

Location Machine::Locate(Warp& warp, const Inst& inst, int lane,
                         MemorySpace space, uint64_t address, uint32_t bytes,
                         bool write) {
  Location location;
  if (bytes > 1 && address % bytes != 0) {
    Report(warp, inst, lane, "misaligned access",
           "the address is not a multiple of " + std::to_string(bytes),
           address);
    return location;
  }
  if (space == MemorySpace::kGeneric) {
    if (IsShared(address)) {
      space = MemorySpace::kSharedCluster;
    } else if (IsLocal(address)) {
      space = MemorySpace::kLocal;
    } else if (IsParameter(address)) {
      space = MemorySpace::kParameter;
    } else {
      space = MemorySpace::kGlobal;
    }
    if (space != MemorySpace::kGlobal) address &= ~kWindowMask;
  }
  switch (space) {
    case MemorySpace::kShared:
    case MemorySpace::kSharedCluster:
      location = LocateShared(warp, inst, lane, static_cast<uint32_t>(address),
                              bytes, space == MemorySpace::kShared);
      if (location.data != nullptr &&
          location.cta->is_mbarrier[location.offset / 8] != 0) {
        Report(warp, inst, lane, "plain access to an mbarrier",
               "a load or store touches an mbarrier object", address);
      }
      return location;
    case MemorySpace::kLocal: {
      location.space = space;
      uint64_t base =
          uint64_t{program().local_bytes} * static_cast<uint64_t>(lane);
      if (address + bytes > program().local_bytes) {
        Report(warp, inst, lane, "out of bounds",
               Bytes(bytes) + " outside the thread's local memory", address);
        return location;
      }
      location.offset = base + address;
      location.data = warp.local.data() + location.offset;
      return location;
    }
    case MemorySpace::kParameter:
      location.space = space;
      if (write || address + bytes > parameters().size()) {
        Report(warp, inst, lane, "out of bounds",
               write ? "kernel parameters are read-only"
                     : Bytes(bytes) + " outside the kernel's parameters",
               address);
        return location;
      }
      location.offset = address;
      location.data = grid_->parameters.data() + address;
      return location;
    default:
      break;
  }
  location.space = MemorySpace::kGlobal;
  location.allocation = memory_->Find(address, bytes);
  if (location.allocation == nullptr) {
    std::string message = Bytes(bytes) + " outside every allocation";
    const GlobalMemory::Allocation* near = memory_->Nearest(address);
    if (near != nullptr) {
      message += "; the nearest below is '" + near->name + "' of " +
                 Bytes(near->bytes) + ", whose end lies " +
                 std::to_string(static_cast<int64_t>(address - near->begin -
                                                     near->bytes)) +
                 " bytes before the address";
    }
    Report(warp, inst, lane, "out of bounds", message, address);
    return location;
  }
  if (write && location.allocation->constant) {
    Report(warp, inst, lane, "out of bounds", "writes constant memory",
           address);
    return location;
  }
  location.offset = address - location.allocation->begin;
  location.data = location.allocation->data + location.offset;
  return location;
}

const SyncPoint* Machine::FindSyncPoint(const Location& at) const {
  auto it = sync_.find(at.data);
  return it == sync_.end() ? nullptr : &it->second;
}

SyncPoint* Machine::SyncPointAt(const Location& at) {
  if (at.data == nullptr || (at.cta == nullptr && at.allocation == nullptr)) {
    return nullptr;
  }
  return &sync_[at.data];
}

void Machine::TouchShared(Cta* cta, uint64_t offset, uint64_t bytes, bool write,
                          const Access& access, const Inst& inst,
                          const Cta* accessor) {
  if (cta->shared_shadow == nullptr) return;
  RaceRules rules;
  // What an asynchronous write overwrites has long been written on a GPU.
  rules.proxy_write = strict() || !write;
  rules.proxy_read = strict();
  rules.scopes = strict();
  rules.repeated_writes = !strict();  // Triton's warp-specialised kernels
  RaceReport report;
  if (cta->shared_shadow->Touch(offset, bytes, write, access, rules, &report)) {
    ReportRace(report, "shared", report.offset, access, inst, accessor);
  }
  if (write) {
    std::fill_n(
        cta->shared_initialised.begin() + static_cast<std::ptrdiff_t>(offset),
        bytes, uint8_t{1});
  }
}

void Machine::TouchGlobal(GlobalMemory::Allocation* allocation, uint64_t offset,
                          uint64_t bytes, bool write, const Access& access,
                          const Inst& inst, const Cta* accessor) {
  if (write && !allocation->initialised.empty()) {
    std::fill_n(
        allocation->initialised.begin() + static_cast<std::ptrdiff_t>(offset),
        bytes, uint8_t{1});
  }
  std::unique_ptr<RaceShadow>& shadow = global_shadow_[allocation->begin];
  if (shadow == nullptr) {
    // In hardware checks, reads of memory that the grid has not written have no
    // history: most operands are only read. (A later write to them is then not
    // seen as a race with those reads.) In a chain another grid may write them.
    if (!write && !strict() && grids_.size() == 1) return;
    shadow = std::make_unique<RaceShadow>(allocation->bytes, 4);
  }
  RaceRules rules;
  rules.is_global = true;
  rules.proxy_write = strict();
  rules.proxy_read = strict();
  rules.scopes = strict();
  RaceReport report;
  if (shadow->Touch(offset, bytes, write, access, rules, &report)) {
    ReportRace(report, "global", allocation->begin + report.offset, access,
               inst, accessor);
  }
}

bool Machine::CheckSharedInitialised(Cta* cta, uint64_t offset, uint64_t bytes,
                                     const Inst& inst, const Cta* accessor,
                                     int thread) {
  const uint8_t* state = cta->shared_initialised.data() + offset;
  const void* zero = std::memchr(state, 0, bytes);
  if (zero == nullptr) return true;
  uint64_t bad =
      static_cast<uint64_t>(static_cast<const uint8_t*>(zero) - state);
  ReportAt(accessor, thread, &inst, "uninitialised memory",
           "reads shared memory that nothing has written", offset + bad);
  return false;
}

bool Machine::CheckGlobalInitialised(GlobalMemory::Allocation* allocation,
                                     uint64_t offset, uint64_t bytes,
                                     const Inst& inst, const Cta* accessor,
                                     int thread) {
  if (allocation->initialised.empty()) return true;
  const uint8_t* state = allocation->initialised.data() + offset;
  const void* zero = std::memchr(state, 0, bytes);
  if (zero == nullptr) return true;
  uint64_t bad =
      static_cast<uint64_t>(static_cast<const uint8_t*>(zero) - state);
  ReportAt(accessor, thread, &inst, "uninitialised memory",
           "reads global memory of '" + allocation->name +
               "' that nothing has written",
           allocation->begin + offset + bad);
  return false;
}

}  // namespace tiletune::emulator
