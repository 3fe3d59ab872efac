// Findings of the machine.
#include <cinttypes>
#include <cstdio>

#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

void Machine::ReportAt(const Cta* cta, int thread, const Inst* inst,
                       const std::string& check, const std::string& message,
                       uint64_t address) {
  int line = inst != nullptr ? inst->line : 0;
  const Grid* grid = cta != nullptr ? cta->grid : grid_;
  const bool in_chain = grids_.size() > 1 && grid != nullptr;
  if (!reported_.emplace(in_chain ? check + grid->name : check, line).second) {
    return;
  }
  Finding finding;
  if (in_chain) finding.kernel = grid->name;
  finding.check = check;
  finding.message = message;
  finding.line = line;
  if (inst != nullptr && inst->source != nullptr) {
    finding.instruction = inst->source->opcode;
  }
  if (cta != nullptr) finding.cta = cta->id;
  finding.thread = thread;
  finding.address = address;
  if (options_.on_finding) options_.on_finding(finding);
  result_.findings.push_back(std::move(finding));
  if (static_cast<int>(result_.findings.size()) >= options_.max_findings) {
    stopped_ = true;
  }
}

void Machine::Report(Warp& warp, const Inst& inst, int lane,
                     const std::string& check, const std::string& message,
                     uint64_t address) {
  ReportAt(warp.cta, ThreadIndex(warp, lane), &inst, check, message, address);
}

void Machine::Fatal(Warp& warp, const Inst& inst, int lane,
                    const std::string& check, const std::string& message,
                    uint64_t address) {
  Report(warp, inst, lane, check, message, address);
  stopped_ = true;
}

void Machine::GiveUp(const std::string& check, const std::string& why) {
  stopped_ = true;
  std::string text = why;
  int named = 0;
  const Warp* first = nullptr;
  const Inst* first_inst = nullptr;
  int first_lane = -1;
  for (const auto& cluster : clusters_) {
    if (cluster->live_ctas == 0) continue;
    for (const auto& cta : cluster->ctas) {
      for (const auto& warp : cta->warps) {
        for (const Fragment& fragment : warp->fragments) {
          if (fragment.mask == 0) continue;
          const Inst& inst = cta->grid->program->code[fragment.pc];
          int lane = __builtin_ctz(fragment.mask);
          if (first == nullptr) {
            first = warp.get();
            first_inst = &inst;
            first_lane = lane;
          }
          if (++named > 24) continue;
          char where[160];
          std::snprintf(where, sizeof(where),
                        "; CTA (%u,%u,%u) warp %d lanes %08" PRIx32
                        " line %d: ",
                        cta->id.x, cta->id.y, cta->id.z, warp->index,
                        fragment.mask, inst.line);
          text += where;
          if (fragment.wait_note != nullptr) {
            text += fragment.wait_note;
          } else {
            text += inst.source != nullptr ? inst.source->opcode : "exit";
          }
          if (fragment.wait_barrier != nullptr) {
            const Mbarrier& barrier = *fragment.wait_barrier;
            text += " of parity " + std::to_string(fragment.wait_parity) +
                    " on the mbarrier at shared offset " +
                    std::to_string(fragment.wait_offset) + " (phase " +
                    std::to_string(barrier.phase()) + " lacks " +
                    std::to_string(barrier.pending()) + " of " +
                    std::to_string(barrier.expected()) + " arrivals and " +
                    std::to_string(barrier.transactions()) +
                    " transaction bytes)";
          }
        }
      }
    }
  }
  if (named > 24) {
    text += "; and " + std::to_string(named - 24) + " more";
  }
  if (first != nullptr) {
    ReportAt(first->cta, ThreadIndex(*first, first_lane), first_inst, check,
             text);
  } else {
    ReportAt(nullptr, -1, nullptr, check, text);
  }
}

}  // namespace tiletune::emulator
