// The CTAs of the machine: where clusters are placed, and how they start and
// end.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testing/emulator/machine/machine.h"
#include "testing/emulator/machine/special_registers.h"
#include "testing/emulator/machine/timeline.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kThreadsPerSm = 2048;
// Asynchronous strands of a CTA; see Machine::NewAsyncEpoch.
constexpr uint32_t kAsyncActors = 48;
// The warp and its tcgen05.ld/st, each with 32 lanes, and its pipe.
constexpr uint32_t kActorsPerWarp = 2 * (1 + kWarpSize) + 1;
// A CTA takes the actors of an exited one only after this many others: two
// CTAs with the same actors look ordered, which can only hide a race.
constexpr size_t kRestingActors = 256;
bool HasOpenGroup(const Cta& cta, int thread) {
  const size_t warp = static_cast<size_t>(thread) / kWarpSize;
  if (thread < 0 || warp >= cta.warps.size()) return false;
  return cta.warps[warp]->bulk_groups[thread % kWarpSize].open != nullptr;
}

}  // namespace

Grid& Machine::AddGrid(const Program& program, const GridShape& shape,
                       const std::vector<uint8_t>& parameters,
                       const std::string& name) {
  grids_.push_back(std::make_unique<Grid>());
  Grid& grid = *grids_.back();
  grid.program = &program;
  grid.shape = shape;
  grid.parameters = parameters;
  grid.name = name;
  const uint32_t threads = static_cast<uint32_t>(shape.block.Count());
  grid.warps_per_cta = (threads + kWarpSize - 1) / kWarpSize;
  grid.actors_per_cta = grid.warps_per_cta * kActorsPerWarp + kAsyncActors;
  grid.shared_bytes = program.dynamic_shared_offset + shape.dynamic_shared;
  grid.cluster_count = shape.grid.Count() / shape.cluster.Count();
  grid.unready_ctas = shape.grid.Count();
  return grid;
}

bool Machine::LaunchPending() {
  bool any = false;
  for (size_t i = 0; i < open_grids_; ++i) {
    Grid* grid = grids_[i].get();
    while (grid->pending_clusters() != 0 && Place(grid, grid->next_cluster)) {
      ++grid->next_cluster;
      any = true;
    }
  }
  return any;
}

Sm* Machine::FindSm(const Grid& grid, const std::vector<int>& taken) {
  Sm* best = nullptr;
  int best_load = 0;
  uint32_t threads = grid.warps_per_cta * kWarpSize;
  uint32_t start = random_.Below(static_cast<uint32_t>(sms_.size()));
  for (size_t k = 0; k < sms_.size(); ++k) {
    Sm& sm = sms_[(start + k) % sms_.size()];
    int pending =
        static_cast<int>(std::count(taken.begin(), taken.end(), sm.index));
    if (sm.resident_ctas + pending >= options_.max_ctas_per_sm) continue;
    if (sm.resident_threads + threads * (pending + 1) > kThreadsPerSm) continue;
    uint64_t shared =
        sm.shared_bytes + uint64_t{grid.shared_bytes} * (pending + 1);
    if (shared > options_.shared_bytes_per_sm) continue;
    int load = sm.resident_ctas + 1000 * pending;
    if (best == nullptr || load < best_load) {
      best = &sm;
      best_load = load;
    }
  }
  return best;
}

bool Machine::Place(Grid* grid, uint64_t index) {
  const Dim3& shape = grid->shape.cluster;
  uint32_t size = static_cast<uint32_t>(shape.Count());
  std::vector<int> chosen;
  for (uint32_t i = 0; i < size; ++i) {
    Sm* sm = FindSm(*grid, chosen);
    if (sm == nullptr) return false;
    chosen.push_back(sm->index);
  }
  auto cluster = std::make_unique<Cluster>();
  cluster->index = index;
  cluster->shape = shape;
  cluster->first = grid->FirstCta(index);
  cluster->live_ctas = static_cast<int>(size);
  for (uint32_t rank = 0; rank < size; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->grid = grid;
    cta->cluster = cluster.get();
    cta->sm = &sms_[static_cast<size_t>(chosen[rank])];
    cta->rank = rank;
    cta->id.x = cluster->first.x + rank % shape.x;
    cta->id.y = cluster->first.y + rank / shape.x % shape.y;
    cta->id.z = cluster->first.z + rank / shape.x / shape.y;
    cta->sm->resident_ctas += 1;
    const uint32_t bytes = grid->shared_bytes;
    cta->sm->resident_threads += grid->warps_per_cta * kWarpSize;
    cta->sm->shared_bytes += bytes;
    cta->shared.assign(bytes, 0xCD);
    cta->shared_initialised.assign(bytes, 0);
    cta->is_mbarrier.assign(bytes / 8 + 1, 0);
    cta->shared_shadow = std::make_unique<RaceShadow>(bytes, 4);
    cta->threads = static_cast<uint32_t>(grid->shape.block.Count());
    cta->live_threads = cta->threads;
    Cta* raw = cta.get();
    cluster->ctas.push_back(std::move(cta));
    Schedule(raw, "", nullptr, -1, 0, [this, raw] { StartCta(raw); });
  }
  clusters_.push_back(std::move(cluster));
  ++grid->live_clusters;
  return true;
}

void Machine::StartCta(Cta* cta) {
  Grid& grid = *cta->grid;
  const Program& program = *grid.program;
  uint32_t first = next_actor_;
  if (grid.free_actors.size() > kRestingActors) {
    first = grid.free_actors.front();
    grid.free_actors.pop_front();
  } else {
    next_actor_ += grid.actors_per_cta;
  }
  cta->started = true;
  cta->live_warps = static_cast<int>(grid.warps_per_cta);
  cta->first_async_actor = first + grid.warps_per_cta * kActorsPerWarp;
  cta->async_clocks.assign(kAsyncActors, 0);
  for (uint32_t i = 0; i < kAsyncActors; ++i) {
    cta->async_clocks[i] = actor_clocks_[cta->first_async_actor + i];
  }
  for (uint32_t w = 0; w < grid.warps_per_cta; ++w) {
    uint32_t lanes = std::min<uint32_t>(kWarpSize, cta->threads - w * 32);
    uint32_t live = lanes == 32 ? kFullMask : (1u << lanes) - 1;
    auto warp = std::make_unique<Warp>(this, cta, static_cast<int>(w), live,
                                       program.slots, program.predicates);
    warp->actor = first + w * kActorsPerWarp;
    warp->tensor_actor = warp->actor + 1 + kWarpSize;
    warp->pipe_actor = warp->tensor_actor + 1 + kWarpSize;
    warp->tensor_clock = actor_clocks_[warp->tensor_actor] + 1;
    warp->tensor_done = warp->tensor_clock - 1;
    warp->pipe_clock = actor_clocks_[warp->pipe_actor];
    warp->known.Start(strict(), warp->actor, warp->tensor_actor,
                      actor_clocks_[warp->actor] + 1, live);
    warp->known.Acquire(kFullMask, grid.start);
    warp->local.assign(size_t{program.local_bytes} * kWarpSize, 0xCD);
    warp->local_initialised.assign(size_t{program.local_bytes} * kWarpSize, 0);
    FillConstants(*warp);
    AddRunnable(warp.get());
    cta->warps.push_back(std::move(warp));
  }
  if (timeline_ != nullptr) timeline_->OnCtaStart(*cta);
  ++result_.ctas_run;
  // A cluster barrier or a remote access may wait for this CTA.
  WakeCluster(cta->cluster);
  Progress();
}

void Machine::FillConstants(Warp& warp) {
  for (const ConstantSlot& constant : program().constants) {
    uint64_t* lanes = warp.Reg(constant.slot);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      switch (constant.kind) {
        case ConstantSlot::Kind::kValue:
          lanes[lane] = constant.value;
          break;
        case ConstantSlot::Kind::kSharedAddress:
          lanes[lane] = SharedAddress(warp.cta->rank,
                                      static_cast<uint32_t>(constant.value));
          break;
        case ConstantSlot::Kind::kSpecial:
          lanes[lane] = SpecialValue(
              static_cast<SpecialRegister>(constant.value), *this, warp, lane);
          break;
      }
    }
  }
}

void Machine::OnWarpExit(Warp& warp) {
  if (warp.live != 0) {
    WakeCluster(warp.cta->cluster);  // barriers need the exited lanes no more
    return;
  }
  Cta* cta = warp.cta;
  if (timeline_ != nullptr) timeline_->OnWarpExit(warp);
  // A barrier that does not wait for exited threads is complete only after
  // they have. The PTX ISA gives that no order of memory; ThunderKittens'
  // kernels count on it.
  if (!strict()) warp.known.ReleaseTo(kFullMask, &cta->exits);
  if (warp.runnable) RemoveRunnable(&warp);
  --cta->live_warps;
  Progress();
  if (cta->live_warps == 0) {
    OnCtaExit(cta);
  } else {
    Wake(cta);
  }
}

bool Machine::CancelNextCluster(Dim3* first) {
  if (grid_->pending_clusters() == 0) return false;
  *first = grid_->FirstCta(grid_->next_cluster++);
  grid_->unready_ctas -= grid_->shape.cluster.Count();
  result_.ctas_cancelled += grid_->shape.cluster.Count();
  return true;
}

void Machine::FreeRetired() {
  // A run has many clusters: give the big buffers back. Not at the exit
  // itself, where the last warp is still executing.
  for (Cluster* cluster : retired_) {
    for (auto& cta : cluster->ctas) {
      if (!cta->in_flight.empty()) continue;
      cta->shared_shadow.reset();
      std::vector<uint8_t>().swap(cta->shared_initialised);
      std::vector<uint8_t>().swap(cta->shared);
      std::vector<uint8_t>().swap(cta->is_mbarrier);
      cta->warps.clear();
      cta->mbarriers.clear();
    }
  }
  retired_.clear();
}

const Cta* Machine::FindCta(uint32_t actor) const {
  for (auto cluster = clusters_.rbegin(); cluster != clusters_.rend();
       ++cluster) {
    for (const auto& cta : (*cluster)->ctas) {
      if (!cta->started) continue;
      const uint32_t end = cta->first_async_actor + kAsyncActors;
      if (actor < end && actor >= end - cta->grid->actors_per_cta) {
        return cta.get();
      }
    }
  }
  return nullptr;
}

void Machine::OnCtaExit(Cta* cta) {
  cta->exited = true;
  if (timeline_ != nullptr) timeline_->OnCtaExit(*cta);
  for (const auto& [id, flight] : cta->in_flight) {
    // CUTLASS's epilogues leave their last stores to the hardware.
    if (!strict() && flight.what == kTmaStore) continue;
    std::string message = flight.what + " issued at line " +
                          std::to_string(flight.line()) +
                          " has not completed when the CTA exits";
    if (HasOpenGroup(*cta, flight.thread)) {
      message +=
          "; the thread has copies in a bulk group that it never "
          "committed, and no wait_group waits for those";
    }
    ReportAt(cta, flight.thread, flight.inst, "exit with work in flight",
             message);
  }
  if (!cta->tensor_allocations.empty()) {
    const auto& leak = cta->tensor_allocations.front();
    ReportAt(cta, -1, nullptr, "tensor memory leak",
             std::to_string(leak.columns) + " columns allocated at line " +
                 std::to_string(leak.line) +
                 " are not deallocated when the CTA exits");
    for (Cta*& owner : cta->sm->column_owner) {
      if (owner == cta) owner = nullptr;
    }
  }
  cta->sm->resident_ctas -= 1;
  Grid& grid = *cta->grid;
  if (!cta->launched_dependents) --grid.unready_ctas;
  cta->sm->resident_threads -= grid.warps_per_cta * kWarpSize;
  cta->sm->shared_bytes -= grid.shared_bytes;
  for (auto& warp : cta->warps) {
    actor_clocks_[warp->actor] = warp->known.clock();
    actor_clocks_[warp->tensor_actor] = warp->tensor_clock;
    actor_clocks_[warp->pipe_actor] = warp->pipe_clock;
  }
  for (uint32_t i = 0; i < kAsyncActors; ++i) {
    actor_clocks_[cta->first_async_actor + i] = cta->async_clocks[i];
  }
  bool quiet = cta->in_flight.empty();
  if (quiet) {
    grid.free_actors.push_back(cta->warps.front()->actor);
  }
  Cluster* cluster = cta->cluster;
  WakeCluster(cluster);
  if (--cluster->live_ctas == 0) {
    --grid.live_clusters;
    retired_.push_back(cluster);
  }
  LaunchPending();
  WakeAll();  // Tensor Memory columns may have become free
}

}  // namespace tiletune::emulator
