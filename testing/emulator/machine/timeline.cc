#include "testing/emulator/machine/timeline.h"

#include <algorithm>
#include <cstdio>

#include "testing/emulator/machine/kernel_name.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

// Places on an SM: of a resident CTA, its warps, then its asynchronous
// operations by kind and warp.
constexpr int kPlacesPerCta = 1024;
constexpr int kAsyncPlace = 64;
constexpr int kPlacesPerGroup = 64;

bool StartsWith(const std::string& text, const char* prefix) {
  return text.compare(0, std::string(prefix).size(), prefix) == 0;
}

bool Has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string Hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string Text(const Dim3& id) {
  return std::to_string(id.x) + "," + std::to_string(id.y) + "," +
         std::to_string(id.z);
}

std::string Joined(const std::set<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : between) + word;
  }
  return out;
}

// Who signals an mbarrier, in a word for its waiters.
std::string Signaller(const std::string& opcode) {
  if (StartsWith(opcode, "cp.async.bulk")) return "TMA";
  if (StartsWith(opcode, "tcgen05.commit")) return "MMA";
  if (StartsWith(opcode, "clusterlaunchcontrol")) return "launch control";
  if (StartsWith(opcode, "cp.async")) return "cp.async";
  return "threads";
}

}  // namespace

Timeline::Timeline(const Machine* machine)
    : machine_(machine), waits_(&trace_) {}

void Timeline::OnCtaStart(const Cta& cta) {
  std::vector<const Cta*>& slots = residents_[cta.sm->index];
  auto free = std::find(slots.begin(), slots.end(), nullptr);
  const int slot = static_cast<int>(free - slots.begin());
  if (free == slots.end()) {
    slots.push_back(&cta);
  } else {
    *free = &cta;
  }
  slot_of_cta_[&cta] = slot;
  for (const auto& warp : cta.warps) {
    const std::pair place(cta.sm->index, slot * kPlacesPerCta + warp->index);
    auto [it, is_new] = row_of_place_.emplace(place, 0);
    if (is_new) {
      it->second =
          trace_.AddRow(place.first, place.second, Trace::RowKind::kNested);
      rows_[it->second] = {place.first, slot, warp->index, 0, nullptr, {}};
    }
    Row& row = rows_[it->second];
    row.start = machine_->now();
    row.running = warp.get();
    row_of_warp_[warp.get()] = it->second;
    tiles_.OnStart(it->second);
  }
}

void Timeline::EndWarp(const Warp& warp, int row) {
  trace_.Slice(row, "CTA " + Text(warp.cta->id), "cta", rows_[row].start,
               machine_->now(), {{"kernel", KernelName(warp.cta->grid->name)}});
  rows_[row].running = nullptr;
}

void Timeline::OnWarpExit(const Warp& warp) {
  auto it = row_of_warp_.find(&warp);
  EndWarp(warp, it->second);
  row_of_warp_.erase(it);
}

void Timeline::OnCtaExit(const Cta& cta) {
  residents_[cta.sm->index][static_cast<size_t>(slot_of_cta_[&cta])] = nullptr;
}

Timeline::Kind Timeline::Classify(const Inst& inst) {
  if (inst.source == nullptr) return Kind::kOther;
  const std::string& opcode = inst.source->opcode;
  if (StartsWith(opcode, "bar.sync") || StartsWith(opcode, "bar.red") ||
      StartsWith(opcode, "bar.cta") || StartsWith(opcode, "barrier.")) {
    return Has(opcode, ".arrive") ? Kind::kOther : Kind::kWait;
  }
  if (StartsWith(opcode, "griddepcontrol.wait") ||
      StartsWith(opcode, "cp.async.wait") ||
      StartsWith(opcode, "cp.async.bulk.wait") ||
      StartsWith(opcode, "wgmma.wait_group") ||
      StartsWith(opcode, "tcgen05.alloc")) {
    return Kind::kWait;
  }
  if (StartsWith(opcode, "tcgen05.commit")) return Kind::kCommit;
  if (StartsWith(opcode, "tcgen05.mma") || StartsWith(opcode, "tcgen05.cp") ||
      StartsWith(opcode, "wgmma.mma_async") ||
      StartsWith(opcode, "clusterlaunchcontrol.try_cancel")) {
    return Kind::kIssue;
  }
  if (StartsWith(opcode, "mma.sync")) return Kind::kWarpMma;
  if (StartsWith(opcode, "stmatrix")) return Kind::kSharedStore;
  if (StartsWith(opcode, "st.")) {
    if (Has(opcode, ".shared")) return Kind::kSharedStore;
    const bool is_private = Has(opcode, ".local") || Has(opcode, ".param");
    return is_private ? Kind::kOther : Kind::kGlobalStore;
  }
  const bool is_bulk = StartsWith(opcode, "cp.async.bulk") ||
                       StartsWith(opcode, "cp.reduce.async.bulk");
  if ((is_bulk && Has(opcode, ".bulk_group")) || StartsWith(opcode, "red.")) {
    return Kind::kGlobalStore;
  }
  return is_bulk ? Kind::kIssue : Kind::kOther;
}

Timeline::Kind Timeline::KindOf(const Inst& inst) {
  auto [it, is_new] = kinds_.emplace(&inst, Kind::kOther);
  if (is_new) it->second = Classify(inst);
  return it->second;
}

std::string Timeline::WaitName(const Warp& warp, const Inst& inst) {
  const std::string& opcode = inst.source->opcode;
  if (StartsWith(opcode, "barrier.cluster")) return "cluster barrier";
  if (StartsWith(opcode, "bar")) {
    // The number is operand 1 of every form (barrier.cc).
    const int lane = __builtin_ctz(warp.live);
    auto* registers = const_cast<Warp&>(warp).Reg(inst.op[1]);
    return "CTA barrier " + std::to_string(registers[lane] & 0xFFFFFFFF);
  }
  if (StartsWith(opcode, "griddepcontrol")) return "grids before";
  if (StartsWith(opcode, "tcgen05.alloc")) return "Tensor Memory allocation";
  return StartsWith(opcode, "wgmma") ? "wgmma groups" : "copy groups";
}

void Timeline::OnStep(const Warp& warp, const Inst& inst, uint32_t mask,
                      Step step) {
  const Kind kind = KindOf(inst);
  if (kind == Kind::kOther || warp.live == 0) return;
  const int row = RowOf(warp);
  const uint64_t now = machine_->now();
  if (kind == Kind::kWait) {
    waits_.Poll(row, mask, step == Step::kBlocked ? 0 : mask, {&inst, 0},
                {WaitName(warp, inst), {{"line", std::to_string(inst.line)}}},
                now);
    return;
  }
  waits_.Leave(row, mask);
  switch (kind) {
    case Kind::kIssue:
      break;
    case Kind::kCommit:
      tiles_.OnTensorCommit(row, now);
      break;
    case Kind::kWarpMma:
      tiles_.OnWarpMma(row, warp.cta, {}, now);
      rows_[row].roles.insert("MMA");
      break;
    default:
      tiles_.OnStore(row, kind == Kind::kGlobalStore, now);
      break;
  }
}

void Timeline::OnMbarrierWait(const Warp& warp, const Inst& inst, uint32_t mask,
                              uint32_t done, const Cta* cta, uint32_t offset,
                              uint64_t phase, uint64_t operand) {
  std::set<std::string> signallers = signals_[{cta, offset}];
  // Producers announce their bytes by an arrival; the bytes are what counts.
  if (signallers.size() > 1) signallers.erase("threads");
  WaitSlices::Label label;
  label.name =
      "mbarrier " + Hex(offset) + " (" + Joined(signallers, ", ") + ")";
  label.arguments = {{"phase", std::to_string(phase)},
                     {"line", std::to_string(inst.line)}};
  waits_.Poll(RowOf(warp), mask, done, {cta->shared.data() + offset, operand},
              label, machine_->now());
}

void Timeline::OnMbarrierSignal(const Cta* cta, uint32_t offset,
                                const Inst& inst) {
  if (inst.source == nullptr) return;
  signals_[{cta, offset}].insert(Signaller(inst.source->opcode));
}

int Timeline::AsyncRow(const Cta& cta, const std::string& group, int warp) {
  static const char* const kGroups[] = {"TMA", "MMA", "commit",
                                        "launch control", "copy"};
  const auto at = std::find(std::begin(kGroups), std::end(kGroups), group);
  const int slot = slot_of_cta_.at(&cta);
  const int order =
      slot * kPlacesPerCta + kAsyncPlace +
      static_cast<int>(at - std::begin(kGroups)) * kPlacesPerGroup + warp;
  const std::pair place(cta.sm->index, order);
  auto [it, is_new] = row_of_place_.emplace(place, 0);
  if (is_new) {
    it->second = trace_.AddRow(place.first, order, Trace::RowKind::kFlat);
    trace_.NameRow(it->second, "slot " + std::to_string(slot) + " " + group +
                                   " of warp " + std::to_string(warp) +
                                   " in flight");
  }
  return it->second;
}

void Timeline::OnAsync(const Cta& cta, const std::string& what, int thread,
                       uint64_t end) {
  std::string group = "copy";
  if (StartsWith(what, "TMA") || StartsWith(what, "bulk")) group = "TMA";
  if (StartsWith(what, "tcgen05.mma") || StartsWith(what, "tcgen05.cp") ||
      StartsWith(what, "wgmma")) {
    group = "MMA";
  }
  if (StartsWith(what, "tcgen05.commit")) group = "commit";
  if (StartsWith(what, "clusterlaunchcontrol")) group = "launch control";
  trace_.Slice(AsyncRow(cta, group, std::max(thread, 0) / kWarpSize), what,
               "async", machine_->now(), end);
}

void Timeline::OnLoad(const Warp& warp,
                      const std::vector<TileSlices::SharedAddress>& to,
                      uint32_t bytes, const std::string& box) {
  const int row = RowOf(warp);
  tiles_.OnLoad(row, warp.cta, to, bytes, box, machine_->now());
  rows_[row].roles.insert("TMA");
}

void Timeline::OnTensorMma(
    const Warp& warp, bool overwrites,
    const std::vector<TileSlices::SharedAddress>& operands,
    const std::vector<TileSlices::TensorColumn>& accumulator) {
  const int row = RowOf(warp);
  tiles_.OnTensorMma(row, warp.cta, overwrites, operands, accumulator,
                     machine_->now());
  rows_[row].roles.insert("MMA");
}

void Timeline::OnTensorLoad(const Warp& warp, int column) {
  const int row = RowOf(warp);
  tiles_.OnTensorLoad(row, warp.cta->sm, column, machine_->now());
  rows_[row].roles.insert("epilogue");
}

void Timeline::OnWarpgroupMma(
    const Warp& warp, const std::vector<TileSlices::SharedAddress>& operands) {
  const int row = RowOf(warp);
  tiles_.OnWarpMma(row, warp.cta, operands, machine_->now());
  rows_[row].roles.insert("MMA");
}

void Timeline::OnLaunchControl(const Cta& cta, int thread, bool success,
                               Dim3 first) {
  const int warp = std::max(thread, 0) / kWarpSize;
  const auto at = row_of_place_.find(
      {cta.sm->index, slot_of_cta_.at(&cta) * kPlacesPerCta + warp});
  if (at == row_of_place_.end()) return;
  rows_[at->second].roles.insert("tile supply");
  trace_.Instant(at->second,
                 success ? "next CTA " + Text(first) : "no more CTAs",
                 "launch control", machine_->now());
}

bool Timeline::WriteFile(const std::string& path) {
  waits_.Close(machine_->now());
  tiles_.Write(&trace_);
  for (auto& [id, row] : rows_) {
    if (row.running != nullptr) EndWarp(*row.running, id);
    std::string name = "slot " + std::to_string(row.slot) + " warp " +
                       std::to_string(row.warp);
    if (!row.roles.empty()) name += ": " + Joined(row.roles, ", ");
    trace_.NameRow(id, name);
  }
  return trace_.WriteFile(path);
}

}  // namespace tiletune::emulator
