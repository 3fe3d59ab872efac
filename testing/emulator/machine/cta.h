// A thread block, its cluster, and the SM it runs on: shared memory, Tensor
// Memory, barriers, and what must be finished before it may exit.
//
//   Cta* peer = cta->cluster->ctas[rank].get();
//   uint8_t* bytes = peer->shared.data() + offset;
//   Mbarrier* barrier = peer->FindMbarrier(offset);
//   if (barrier == nullptr) machine.Report(...);
//   cta->barriers[0].arrived += 32;
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_CTA_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_CTA_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testing/emulator/machine/grid.h"
#include "testing/emulator/machine/mbarrier.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/machine/race_shadow.h"
#include "testing/emulator/machine/warp.h"

namespace tiletune::emulator {

// What a flight is called that the CTA need not wait for on real GPUs.
inline constexpr char kTmaStore[] = "TMA store";

constexpr int kTensorLanes = 128;
constexpr int kTensorColumns = 512;

struct Cta;
struct Cluster;

// A streaming multiprocessor: what limits residency, and its Tensor Memory.
struct Sm {
  int index = 0;
  int resident_ctas = 0;
  uint32_t resident_threads = 0;
  uint32_t shared_bytes = 0;
  std::vector<uint32_t> tensor;               // [lane][column], lazily
  std::vector<uint8_t> tensor_written;        // per (16-lane group, column)
  std::vector<Cta*> column_owner;             // [column]
  std::unique_ptr<RaceShadow> tensor_shadow;  // per (16-lane group, column)
};

// One named barrier of a CTA (bar / barrier, 16 of them), or a cluster's.
struct ThreadBarrier {
  uint32_t arrived = 0;
  uint32_t expected = 0;  // 0: all live threads
  uint64_t generation = 0;
  Knowledge gathering;
  Knowledge published;
  // bar.red operands.
  uint32_t reduction_and = 1;
  uint32_t reduction_or = 0;
  uint32_t reduction_count = 0;
  uint32_t result_and = 0;
  uint32_t result_or = 0;
  uint32_t result_count = 0;
};

// What is in flight on behalf of a CTA, for the check at exit.
struct InFlight {
  std::string what;
  const Inst* inst = nullptr;
  int thread = -1;
  int line() const { return inst != nullptr ? inst->line : 0; }
};

struct Cta {
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;
  Sm* sm = nullptr;
  uint32_t rank = 0;  // in the cluster
  Dim3 id;
  uint32_t threads = 0;
  uint32_t live_threads = 0;
  int live_warps = 0;
  bool started = false;
  bool exited = false;
  bool launched_dependents = false;
  std::vector<std::unique_ptr<Warp>> warps;

  std::vector<uint8_t> shared;              // indexed by shared offset
  std::vector<uint8_t> shared_initialised;  // 1 for written bytes
  std::unique_ptr<RaceShadow> shared_shadow;
  std::map<uint32_t, Mbarrier> mbarriers;  // by shared offset
  std::vector<uint8_t> is_mbarrier;        // per 8 bytes

  ThreadBarrier barriers[16];
  // Only with hardware checks: what warps that have exited knew, and what
  // relaxed arrivals at the cluster barrier release to their own CTA.
  Knowledge exits;
  Knowledge relaxed_gathering;
  Knowledge relaxed_published;

  // Tensor Memory.
  struct TensorAllocation {
    int column = 0;
    int columns = 0;
    int line = 0;
  };
  std::vector<TensorAllocation> tensor_allocations;
  bool tensor_permit_relinquished = false;
  int tensor_cta_group = 0;  // 0: none used yet
  int last_allocation_columns = 0;
  int allocation_request = 0;  // columns a warp waits for, 0 if none
  int allocation_result = -1;  // first column, once granted

  // clusterlaunchcontrol: a refused response has been observed.
  bool refusal_observed = false;

  std::map<uint64_t, InFlight> in_flight;
  uint32_t first_async_actor = 0;
  std::vector<uint32_t> async_clocks;
  size_t next_async = 0;

  Mbarrier* FindMbarrier(uint32_t offset) {
    auto it = mbarriers.find(offset);
    return it == mbarriers.end() ? nullptr : &it->second;
  }
};

struct Cluster {
  uint64_t index = 0;  // in launch order
  Dim3 first;          // ctaid of rank 0
  Dim3 shape;          // in CTAs
  std::vector<std::unique_ptr<Cta>> ctas;
  int live_ctas = 0;
  ThreadBarrier barrier;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_CTA_H_
