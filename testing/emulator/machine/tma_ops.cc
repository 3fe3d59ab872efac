// Tensor copies (PTX ISA 9.7.9.25.5): cp.async.bulk.tensor load, multicast and
// store, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/engines/tma.h"
#include "testing/emulator/machine/async_copy.h"
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/lanes.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

// Inst::flags.
constexpr uint32_t kMulticast = 1;
constexpr uint32_t kPair = 2;      // .cta_group::2
constexpr uint32_t kOwnCta = 4;    // .shared::cta destination
constexpr uint32_t kReducing = 8;  // cp.reduce
constexpr uint32_t kGather = 16;   // gather4 or scatter4
constexpr uint32_t kOpShift = 8;   // ReduceOp

// op[0] shared address, op[1] map, op[2] mbarrier, op[3] mask, op[4] constant
// slot of the mbarrier's offset; imm: offset of the shared address; list:
// coordinates.
TmaRequest MakeRequest(Warp& warp, const Inst& inst, int lane,
                       TmaDirection direction) {
  TmaRequest request;
  request.direction = direction;
  if ((inst.flags & kGather) != 0) {
    request.mode =
        direction == TmaDirection::kLoad || direction == TmaDirection::kPrefetch
            ? TmaMode::kGather4
            : TmaMode::kScatter4;
  }
  const int32_t* slots = &warp.machine->program().lists[inst.list];
  for (uint32_t i = 0; i < inst.list_size && i < 5; ++i) {
    request.coordinates[i] =
        static_cast<int32_t>(warp.Reg(slots[i])[lane] & 0xFFFFFFFF);
  }
  return request;
}

bool CheckRequest(Warp& warp, const Inst& inst, int lane, const TensorMap& map,
                  const TmaRequest& request) {
  uint32_t expected =
      (inst.flags & kGather) != 0 ? 5 : static_cast<uint32_t>(map.rank);
  if (inst.list_size != expected ||
      ((inst.flags & kGather) == 0 && inst.kind != map.rank)) {
    warp.machine->Fatal(warp, inst, lane, "bad tensor copy",
                        "the instruction is " + std::to_string(inst.kind) +
                            "-dimensional, the tensor map " +
                            std::to_string(map.rank));
    return false;
  }
  Findings wrong = CheckTma(map, request);
  if (wrong.empty()) return true;
  warp.machine->Fatal(warp, inst, lane, "bad tensor copy", wrong.front(),
                      request.shared_address);
  return false;
}

// True if the rows' bytes form one contiguous range whatever the swizzle does.
bool IsContiguous(const TensorMap& map, const std::vector<TmaRow>& rows) {
  if (IsSubByte(map.type)) return false;
  if (map.swizzle == Swizzle::kNone) return true;
  return !rows.empty() &&
         rows.front().shared_bytes == SwizzleSpanBytes(map.swizzle);
}

void TouchBox(const AsyncOperation& op, Cta* cta, const TensorMap& map,
              const TmaRequest& request, const std::vector<TmaRow>& rows,
              bool write) {
  Access access = op.MakeAccess();
  auto touch = [&](uint32_t begin, uint32_t bytes) {
    if (!write) {
      op.machine->CheckSharedInitialised(cta, begin, bytes, *op.inst, op.cta,
                                         op.thread);
    }
    op.machine->TouchShared(cta, begin, bytes, write, access, *op.inst, op.cta);
  };
  if (IsContiguous(map, rows)) {
    touch(request.shared_address, TmaSharedBytes(map, request.mode));
    return;
  }
  std::vector<TmaRun> runs;
  WalkRuns(map, request, &runs);
  for (const TmaRun& run : runs) touch(run.shared_address, run.shared_bytes);
}

enum class RowAccess { kRead, kWrite, kReduce };

// The global bytes of a row; null after a finding, and for a row that lies
// outside of the tensor.
uint8_t* GlobalRow(const AsyncOperation& op, const TmaRow& row, RowAccess how) {
  if (row.inside_bytes == 0) return nullptr;
  GlobalMemory::Allocation* allocation =
      op.machine->memory().Find(row.global_address, row.global_bytes);
  if (allocation == nullptr) {
    op.machine->ReportAt(op.cta, op.thread, op.inst, "out of bounds",
                         "the tensor map describes memory outside every "
                         "allocation",
                         row.global_address);
    return nullptr;
  }
  uint64_t offset = row.global_address - allocation->begin;
  if (how != RowAccess::kWrite) {
    op.machine->CheckGlobalInitialised(allocation, offset, row.global_bytes,
                                       *op.inst, op.cta, op.thread);
  }
  Access access = op.MakeAccess();
  access.atomic = how == RowAccess::kReduce;
  op.machine->TouchGlobal(allocation, offset, row.global_bytes,
                          how != RowAccess::kRead, access, *op.inst, op.cta);
  return allocation->data + offset;
}

void CompleteLoad(const AsyncOperation& op, Cta* destination,
                  const TensorMap& map, const TmaRequest& request,
                  Cta* barrier_cta, uint32_t barrier_offset) {
  if (destination->exited) {
    op.machine->ReportAt(op.cta, op.thread, op.inst, "access to an exited CTA",
                         "a TMA load writes to a CTA that has exited",
                         request.shared_address);
    return;
  }
  std::vector<TmaRow> rows;
  WalkRows(map, request, &rows);
  for (const TmaRow& row : rows) {
    const uint8_t* global = GlobalRow(op, row, RowAccess::kRead);
    if (global == nullptr && row.inside_bytes != 0) continue;
    LoadRow(map, row, global, destination->shared.data());
  }
  TouchBox(op, destination, map, request, rows, true);
  op.CompleteTx(barrier_cta, barrier_offset,
                TmaTransactionBytes(map, request.mode));
}

void ShowLoad(Timeline* timeline, const Warp& warp, const Inst& inst,
              const TmaRequest& request, uint32_t bytes, uint32_t targets) {
  std::vector<TileSlices::SharedAddress> to;
  for (uint32_t t = targets; t != 0; t &= t - 1) {
    to.emplace_back(
        warp.cta->cluster->ctas[static_cast<size_t>(__builtin_ctz(t))].get(),
        request.shared_address);
  }
  std::string box;
  for (uint32_t i = 0; i < inst.list_size && i < 5; ++i) {
    box += (i == 0 ? "(" : ",") + std::to_string(request.coordinates[i]);
  }
  timeline->OnLoad(warp, to, bytes, box + ")");
}

Step TensorLoad(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  ForLanes(mask, [&](int lane) {
    const TensorMap* map =
        machine.FindTensorMap(warp, inst, lane, warp.Reg(inst.op[1])[lane]);
    if (map == nullptr) return;
    TmaRequest request = MakeRequest(warp, inst, lane, TmaDirection::kLoad);
    uint32_t address = static_cast<uint32_t>(warp.Reg(inst.op[0])[lane] +
                                             static_cast<uint64_t>(inst.imm));
    request.shared_address = SharedOffset(address);
    if (!CheckRequest(warp, inst, lane, *map, request)) return;
    uint32_t bytes = TmaSharedBytes(*map, request.mode);
    Location to = machine.LocateShared(warp, inst, lane, address, bytes,
                                       (inst.flags & kOwnCta) != 0);
    uint32_t barrier_address = static_cast<uint32_t>(
        warp.Reg(inst.op[2])[lane] + warp.Reg(inst.op[4])[lane]);
    Location barrier = machine.LocateShared(warp, inst, lane, barrier_address,
                                            8, (inst.flags & kOwnCta) != 0);
    if (to.data == nullptr || barrier.data == nullptr) return;
    AsyncOperation op = BeginAsync(warp, inst, lane);
    const auto& ctas = warp.cta->cluster->ctas;
    uint32_t targets = 1u << to.cta->rank;
    if ((inst.flags & kMulticast) != 0) {
      targets = static_cast<uint32_t>(warp.Reg(inst.op[3])[lane] & 0xFFFF);
      if (targets == 0 || (targets >> ctas.size()) != 0) {
        machine.Report(warp, inst, lane, "bad multicast mask",
                       "the mask names no CTA, or one outside the cluster");
        return;
      }
    }
    if (Timeline* timeline = machine.timeline()) {
      ShowLoad(timeline, warp, inst, request, bytes, targets);
    }
    for (uint32_t t = targets; t != 0; t &= t - 1) {
      uint32_t rank = static_cast<uint32_t>(__builtin_ctz(t));
      Cta* destination = ctas[rank].get();
      // Without .cta_group::2 the barrier is in the destination CTA; with it,
      // in the CTA of the destination's pair that has the parity of the
      // barrier address.
      uint32_t barrier_rank = rank;
      if ((inst.flags & kPair) != 0) {
        barrier_rank = (rank & ~1u) | (barrier.cta->rank & 1u);
      } else if ((inst.flags & kMulticast) == 0 && barrier.cta->rank != rank) {
        machine.Report(warp, inst, lane, "bad tensor copy",
                       "the mbarrier must be in the destination's CTA "
                       "(.cta_group::2 is absent)",
                       barrier_address);
        return;
      }
      if (!destination->started) {
        machine.Report(warp, inst, lane, "access to a CTA that has not started",
                       "a multicast reaches a CTA that may not run yet");
      }
      Cta* barrier_cta = ctas[barrier_rank].get();
      uint32_t barrier_offset = static_cast<uint32_t>(barrier.offset);
      TensorMap copy = *map;
      machine.Schedule(
          warp.cta, "TMA load", &inst, op.thread, 0,
          [op, destination, copy, request, barrier_cta, barrier_offset] {
            CompleteLoad(op, destination, copy, request, barrier_cta,
                         barrier_offset);
          });
    }
  });
  return Step::kNext;
}

// Stores and reductions: first the source is read, later the destination is
// written.
struct PendingStore {
  AsyncOperation op;
  AsyncOperation write_op;
  TensorMap map;
  TmaRequest request;
  std::vector<TmaRow> rows;
  std::vector<uint8_t> shared;  // copy of the CTA's shared memory box
  std::shared_ptr<AsyncGroup> group;
};

void WriteStore(const std::shared_ptr<PendingStore>& store) {
  const Inst& inst = *store->op.inst;
  const uint8_t* shared = store->shared.data() - store->request.shared_address;
  ReduceOp reduce = static_cast<ReduceOp>((inst.flags >> kOpShift) & 0xF);
  ReduceType type = ReduceType::kU32;
  std::string why;
  if ((inst.flags & kReducing) != 0 &&
      !ReduceTypeOf(store->map.type, reduce, &type, &why)) {
    store->op.machine->ReportAt(store->op.cta, store->op.thread, &inst,
                                "bad tensor copy", why);
    return;
  }
  // Reductions are atomic with respect to each other.
  const RowAccess how =
      (inst.flags & kReducing) != 0 ? RowAccess::kReduce : RowAccess::kWrite;
  for (const TmaRow& row : store->rows) {
    uint8_t* const global = GlobalRow(store->write_op, row, how);
    if (global == nullptr) continue;
    if ((inst.flags & kReducing) != 0) {
      ReduceRow(store->map, row, reduce, type, shared, global);
    } else {
      StoreRow(store->map, row, shared, global);
    }
  }
  --store->group->pending;
  store->op.machine->Wake(store->op.cta);
}

// The lanes whose store is not that of another lane over again. CUTLASS's
// epilogues let a whole warp issue one store: the same bytes to the same place.
uint32_t WithoutRepeated(Warp& warp, const Inst& inst, uint32_t mask) {
  uint32_t issuing = 0;
  ForLanes(mask, [&](int lane) {
    Warp::SharedStore store;
    const TmaRequest request =
        MakeRequest(warp, inst, lane, TmaDirection::kStore);
    store.coordinates = request.coordinates;
    store.map = warp.Reg(inst.op[1])[lane];
    store.from = warp.Reg(inst.op[0])[lane];
    Warp::SharedStore& last = warp.shared_stores[&inst];
    const bool repeats = last.coordinates == store.coordinates &&
                         last.map == store.map && last.from == store.from &&
                         (last.lanes >> lane & 1) == 0;
    if (!repeats) {
      last = store;
      issuing |= 1u << lane;
    }
    last.lanes |= 1u << lane;
  });
  return issuing;
}

Step TensorStore(Warp& warp, const Inst& inst, uint32_t mask) {
  Machine& machine = *warp.machine;
  if (!machine.strict() && (inst.flags & kReducing) == 0) {
    mask = WithoutRepeated(warp, inst, mask);
  }
  ForLanes(mask, [&](int lane) {
    const TensorMap* map =
        machine.FindTensorMap(warp, inst, lane, warp.Reg(inst.op[1])[lane]);
    if (map == nullptr) return;
    auto store = std::make_shared<PendingStore>();
    store->map = *map;
    store->request =
        MakeRequest(warp, inst, lane,
                    (inst.flags & kReducing) != 0 ? TmaDirection::kReduce
                                                  : TmaDirection::kStore);
    uint32_t address = static_cast<uint32_t>(warp.Reg(inst.op[0])[lane] +
                                             static_cast<uint64_t>(inst.imm));
    store->request.shared_address = SharedOffset(address);
    if (!CheckRequest(warp, inst, lane, *map, store->request)) return;
    uint32_t bytes = TmaSharedBytes(*map, store->request.mode);
    Location from =
        machine.LocateShared(warp, inst, lane, address, bytes, true);
    if (from.data == nullptr) return;
    store->op = BeginAsync(warp, inst, lane);
    store->write_op = store->op.SecondHalf();
    WalkRows(store->map, store->request, &store->rows);
    store->group = JoinBulkGroup(warp, lane, store->op, store->write_op);
    Cta* cta = warp.cta;
    uint64_t read = machine.Schedule(
        cta, kTmaStore, &inst, store->op.thread, 0, [store, cta, bytes] {
          TouchBox(store->op, cta, store->map, store->request, store->rows,
                   false);
          const uint8_t* data =
              cta->shared.data() + store->request.shared_address;
          store->shared.assign(data, data + bytes);
          --store->group->unread;
          store->op.machine->Wake(cta);
        });
    machine.Schedule(cta, "", &inst, store->op.thread, read + 1,
                     [store] { WriteStore(store); });
  });
  return Step::kNext;
}

Step TensorPrefetch(Warp& warp, const Inst& inst, uint32_t mask) {
  ForLanes(mask, [&](int lane) {
    const TensorMap* map = warp.machine->FindTensorMap(
        warp, inst, lane, warp.Reg(inst.op[1])[lane]);
    if (map == nullptr) return;
    TmaRequest request = MakeRequest(warp, inst, lane, TmaDirection::kPrefetch);
    CheckRequest(warp, inst, lane, *map, request);
  });
  return Step::kNext;
}

// [map, {coordinates}] into op[1] and the list.
bool DecodeMapOperand(DecodeContext& context, size_t i, Inst* inst) {
  if (i >= context.OperandCount()) return context.Fail("missing operand");
  const ptx::Operand& operand = context.Operand(i);
  if (operand.kind != ptx::Operand::Kind::kAddress ||
      operand.elements.size() != 2 || operand.imm != 0) {
    return context.Fail("expected [tensor map, {coordinates}]");
  }
  return context.SourceOf(operand.elements[0], Type::kB64, &inst->op[1]) &&
         context.SourceList(operand.elements[1], Type::kS32, inst);
}

}  // namespace

bool DecodeTensorCopy(DecodeContext& context, Modifiers& modifiers, Inst* inst,
                      bool reduce) {
  bool prefetch = modifiers.Take("prefetch");
  for (uint8_t rank = 1; rank <= 5; ++rank) {
    if (modifiers.Take(std::to_string(rank) + "d")) inst->kind = rank;
  }
  if (inst->kind == 0) return false;
  bool gather = modifiers.Take("tile::gather4");
  bool scatter = modifiers.Take("tile::scatter4");
  if (gather || scatter) inst->flags |= kGather;
  modifiers.Take("tile");
  if (!modifiers.TakePrefix("im2col").empty()) {
    return context.Fail("im2col tensor copies are not modelled");
  }
  if (!modifiers.TakePrefix("L2::cache_hint").empty()) {
    // The policy is the last operand; it changes nothing here.
  }
  bool pair = modifiers.Take("cta_group::2");
  modifiers.Take("cta_group::1");
  if (pair) inst->flags |= kPair;
  if (prefetch) {
    inst->handler = &TensorPrefetch;
    return modifiers.Take("L2") && modifiers.Take("global") &&
           DecodeMapOperand(context, 0, inst);
  }
  bool cluster = modifiers.Take("shared::cluster");
  bool cta = modifiers.Take("shared::cta");
  if (!modifiers.Take("global") || cluster == cta) return false;
  if (modifiers.Take("bulk_group")) {
    if (!cta) return false;
    if (reduce) {
      inst->flags |= kReducing;
      const int op = TakeReduceOp(modifiers);
      if (op < 0) return false;
      inst->flags |= static_cast<uint32_t>(op) << kOpShift;
    }
    inst->handler = &TensorStore;
    return context.Operands(2, 3) && DecodeMapOperand(context, 0, inst) &&
           context.Address(1, &inst->op[0], &inst->imm);
  }
  if (reduce || !modifiers.Take("mbarrier::complete_tx::bytes")) return false;
  inst->handler = &TensorLoad;
  if (cta) inst->flags |= kOwnCta;
  int64_t barrier_offset = 0;
  if (!context.Operands(3, 5) ||
      !context.Address(0, &inst->op[0], &inst->imm) ||
      !DecodeMapOperand(context, 1, inst) ||
      !context.Address(2, &inst->op[2], &barrier_offset)) {
    return false;
  }
  inst->op[4] = context.ConstantSlotFor(ConstantSlot::Kind::kValue,
                                        static_cast<uint64_t>(barrier_offset));
  if (modifiers.Take("multicast::cluster")) {
    inst->flags |= kMulticast;
    return context.Source(3, Type::kB16, &inst->op[3]);
  }
  return true;
}

}  // namespace tiletune::emulator
