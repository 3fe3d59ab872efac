// griddepcontrol (PTX ISA 9.7.13.13), and when a grid of a chain may start.
#include "testing/emulator/machine/decode_context.h"
#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

Step LaunchDependents(Warp& warp, const Inst&, uint32_t mask) {
  Cta* cta = warp.cta;
  Grid* grid = cta->grid;
  warp.known.ReleaseFenced(mask, &grid->released, Scope::kGpu);
  if (!cta->launched_dependents) {
    cta->launched_dependents = true;
    grid->has_launched_dependents = true;
    --grid->unready_ctas;
    warp.machine->Progress();
  }
  return Step::kYield;
}

Step Wait(Warp& warp, const Inst&, uint32_t mask) {
  const Grid& grid = *warp.cta->grid;
  if (!warp.machine->AreComplete(grid)) {
    warp.Current().WaitFor("waits for the grids before");
    return Step::kBlocked;
  }
  warp.known.Acquire(mask, Knowledge::OfAllBelow(grid.first_actor));
  return Step::kNext;
}

bool DecodeGridDependency(DecodeContext& context, Modifiers& modifiers,
                          Inst* inst) {
  if (modifiers.Take("wait")) {
    inst->handler = &Wait;
  } else if (modifiers.Take("launch_dependents")) {
    inst->handler = &LaunchDependents;
  } else {
    return false;
  }
  return context.Operands(0);
}

}  // namespace

bool Machine::AreComplete(const Grid& before) const {
  for (const auto& grid : grids_) {
    if (grid.get() == &before) break;
    if (!grid->IsComplete()) return false;
  }
  return true;
}

bool Machine::OpenGrid() {
  if (open_grids_ == grids_.size()) return false;
  Grid& grid = *grids_[open_grids_];
  // Without launch_dependents, dependents start after the grid's end.
  const Grid* before =
      open_grids_ == 0 ? nullptr : grids_[open_grids_ - 1].get();
  if (grid.programmatic && before != nullptr &&
      before->has_launched_dependents) {
    if (before->unready_ctas != 0) return false;
    grid.start = before->released;
  } else {
    if (!AreComplete(grid)) return false;
    grid.start = Knowledge::OfAllBelow(next_actor_);
  }
  ++open_grids_;
  grid.is_open = true;
  grid.first_actor = next_actor_;
  Progress();
  LaunchPending();
  return true;
}

void RegisterGridDependency(DecoderTable* table) {
  (*table)["griddepcontrol"] = &DecodeGridDependency;
}

}  // namespace tiletune::emulator
