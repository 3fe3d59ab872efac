// One kernel launch inside a Machine. Grids of a chain run in stream order;
// one that is launched programmatically may start while the one before it
// still runs (PTX ISA 9.7.13.13 griddepcontrol; CUDA's programmatic dependent
// launch).
//
//   Grid& grid = machine.AddGrid(program, shape, parameters, "gemm");
//   grid.programmatic = true;
//   machine.Run();
//   assert(grid.IsComplete());
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_GRID_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_GRID_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "testing/emulator/machine/options.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/vector_clock.h"

namespace tiletune::emulator {

struct GridShape {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  uint32_t dynamic_shared = 0;
};

struct Grid {
  const Program* program = nullptr;
  GridShape shape;
  std::vector<uint8_t> parameters;
  std::string name;  // the entry's
  bool programmatic = false;

  uint32_t warps_per_cta = 0;
  uint32_t actors_per_cta = 0;
  uint32_t shared_bytes = 0;  // of a CTA
  uint64_t cluster_count = 0;
  uint64_t next_cluster = 0;  // the first that is not placed or cancelled
  uint64_t live_clusters = 0;
  uint64_t events = 0;               // asynchronous work of its CTAs
  std::deque<uint32_t> free_actors;  // first actors of exited CTAs

  // Its clusters may be placed; their threads start with this knowledge.
  bool is_open = false;
  Knowledge start;
  uint32_t first_actor = 0;  // smaller ones belong to grids before this one

  // CTAs that have neither exited nor issued launch_dependents, whether one
  // has issued it, and what fences before it release to dependents.
  uint64_t unready_ctas = 0;
  bool has_launched_dependents = false;
  Knowledge released;

  uint64_t pending_clusters() const { return cluster_count - next_cluster; }
  // All CTAs have exited and all their writes are done.
  bool IsComplete() const {
    return is_open && pending_clusters() == 0 && live_clusters == 0 &&
           events == 0;
  }
  // The first CTA of a cluster.
  Dim3 FirstCta(uint64_t cluster) const {
    const uint64_t across = shape.grid.x / shape.cluster.x;
    const uint64_t down = shape.grid.y / shape.cluster.y;
    return {static_cast<uint32_t>(cluster % across) * shape.cluster.x,
            static_cast<uint32_t>(cluster / across % down) * shape.cluster.y,
            static_cast<uint32_t>(cluster / across / down) * shape.cluster.z};
  }
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_GRID_H_
