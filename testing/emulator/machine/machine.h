// Runs one grid, or a chain of them: places clusters on SMs, interleaves
// warps, completes asynchronous operations at random legal times, and collects
// findings.
//
// Use it through Device::Run; instruction families use the services below.
//
//   Machine machine(options, &memory);
//   machine.AddGrid(program, shape, parameters, "gemm");
//   machine.Run();
//   RunResult result = machine.TakeResult();
//   std::cout << result.findings.size();
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_MACHINE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_MACHINE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/machine/address_space.h"
#include "testing/emulator/machine/cta.h"
#include "testing/emulator/machine/global_memory.h"
#include "testing/emulator/machine/grid.h"
#include "testing/emulator/machine/options.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/random.h"
#include "testing/emulator/machine/scope.h"
#include "testing/emulator/machine/warp.h"

namespace tiletune::emulator {

class Timeline;

// Where an access lands.
struct Location {
  MemorySpace space = MemorySpace::kGlobal;
  Cta* cta = nullptr;                              // shared
  GlobalMemory::Allocation* allocation = nullptr;  // global
  uint64_t offset = 0;      // in the CTA's shared memory, allocation, ...
  uint8_t* data = nullptr;  // null: out of bounds, already reported
};

class Machine {
 public:
  Machine(const RunOptions& options, GlobalMemory* memory);
  ~Machine();

  // The next grid of the chain. The program must outlive the machine.
  Grid& AddGrid(const Program& program, const GridShape& shape,
                const std::vector<uint8_t>& parameters,
                const std::string& name);
  void Run();
  RunResult TakeResult() { return std::move(result_); }

  // ---- services for instructions ----
  // Of the grid whose warp or asynchronous operation is executed now.
  const Program& program() const { return *grid_->program; }
  const GridShape& shape() const { return grid_->shape; }
  const RunOptions& options() const { return options_; }
  GlobalMemory& memory() { return *memory_; }
  Random& random() { return random_; }
  // Null unless a trace is wanted.
  Timeline* timeline() { return timeline_.get(); }
  bool strict() const { return options_.checks == Checks::kStrict; }
  uint64_t now() const { return now_; }
  const std::vector<uint8_t>& parameters() const { return grid_->parameters; }
  std::string& printed() { return result_.printed; }

  // Reports a defect of the program once per check and instruction.
  // `thread` is a lane of `warp`, or -1.
  void Report(Warp& warp, const Inst& inst, int lane, const std::string& check,
              const std::string& message, uint64_t address = 0);
  void ReportAt(const Cta* cta, int thread, const Inst* inst,
                const std::string& check, const std::string& message,
                uint64_t address = 0);
  // Reports and ends the run.
  void Fatal(Warp& warp, const Inst& inst, int lane, const std::string& check,
             const std::string& message, uint64_t address = 0);
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // A random delay, then `complete` runs. Never before `not_before`. Returns
  // the time. `what` names the operation for the check at exit of `cta`.
  uint64_t Schedule(Cta* cta, const std::string& what, const Inst* inst,
                    int thread, uint64_t not_before,
                    std::function<void()> complete);
  // Blocked warps of the CTA (or the cluster) look again.
  void Wake(Cta* cta);
  void WakeCluster(Cluster* cluster);
  void WakeAll();
  // Something observable changed; resets the search for a livelock.
  void Progress() { last_progress_ = now_; }

  // Memory. Each reports what is wrong and returns false / a null data.
  Location Locate(Warp& warp, const Inst& inst, int lane, MemorySpace space,
                  uint64_t address, uint32_t bytes, bool write);
  // A shared::cluster address for an asynchronous operation of `warp`.
  Location LocateShared(Warp& warp, const Inst& inst, int lane,
                        uint32_t address, uint64_t bytes, bool own_cta_only);
  void TouchShared(Cta* cta, uint64_t offset, uint64_t bytes, bool write,
                   const Access& access, const Inst& inst, const Cta* accessor);
  void TouchGlobal(GlobalMemory::Allocation* allocation, uint64_t offset,
                   uint64_t bytes, bool write, const Access& access,
                   const Inst& inst, const Cta* accessor);
  // Names both threads of a race that a shadow found.
  void ReportRace(const RaceReport& report, const char* space, uint64_t address,
                  const Access& access, const Inst& inst, const Cta* accessor);
  // Checks that bytes were written before.
  bool CheckSharedInitialised(Cta* cta, uint64_t offset, uint64_t bytes,
                              const Inst& inst, const Cta* accessor,
                              int thread);
  bool CheckGlobalInitialised(GlobalMemory::Allocation* allocation,
                              uint64_t offset, uint64_t bytes, const Inst& inst,
                              const Cta* accessor, int thread);
  Access WarpAccess(Warp& warp, const Inst& inst, int lane) const;
  // A fresh epoch of an asynchronous strand of the CTA.
  void NewAsyncEpoch(Cta* cta, uint32_t* actor, uint32_t* clock);

  // mbarrier operations by threads and by asynchronous operations. The offset
  // is in `cta`'s shared memory.
  Mbarrier* FindMbarrier(Cta* cta, uint32_t offset, const Inst& inst,
                         const Cta* accessor, int thread);
  // Strict: what uses an mbarrier is ordered after its mbarrier.init. All
  // instructions access their mbarrier through the generic proxy (PTX ISA
  // 9.7.9.25.5.2, 9.7.13.17, 9.7.16.12.1), so that no proxy fence is needed.
  void CheckVisible(const Mbarrier& barrier, const Knowledge& user,
                    const Inst& inst, const Cta* accessor, int thread,
                    uint64_t offset);
  void CompleteTx(Cta* cta, uint32_t offset, uint32_t bytes,
                  const Knowledge& knowledge, const Inst& inst,
                  const Cta* accessor, int thread);
  void ArriveOn(Cta* cta, uint32_t offset, uint32_t count,
                const Knowledge& knowledge, const Inst& inst,
                const Cta* accessor, int thread);

  // The CTA, perhaps exited, whose threads and asynchronous operations include
  // the actor; null if there is none.
  const Cta* FindCta(uint32_t actor) const;

  // What strong writes to a location have published; null if nothing, and for
  // spaces that only one thread sees. SyncPointAt makes it.
  const SyncPoint* FindSyncPoint(const Location& at) const;
  SyncPoint* SyncPointAt(const Location& at);

  // The tensor map at a generic address, decoded and checked; null after a
  // finding.
  const TensorMap* FindTensorMap(Warp& warp, const Inst& inst, int lane,
                                 uint64_t address);

  // Cluster launch control: takes the next pending cluster away from the
  // launcher. False if there is none (or the request is refused).
  bool CancelNextCluster(Dim3* first);
  // All grids before this one are.
  bool AreComplete(const Grid& before) const;

  // A CTA's Tensor Memory columns became free, or warps exited.
  void OnWarpExit(Warp& warp);
  int ThreadIndex(const Warp& warp, int lane) const {
    return lane < 0 ? -1 : warp.index * kWarpSize + lane;
  }
  // Fills the registers of the warp's tcgen05.ld, which `mask` waited for.
  void CompleteTensorLoads(Warp& warp, uint32_t mask);

 private:
  struct Event {
    uint64_t due;
    uint64_t sequence;
    uint64_t flight;
    Cta* cta;
    std::function<void()> complete;
    bool operator>(const Event& other) const {
      return due != other.due ? due > other.due : sequence > other.sequence;
    }
  };

  bool OnlyStarvedRun() const;
  Warp* PickWarp();
  // Opens the next grid of the chain if it may start.
  bool OpenGrid();
  bool LaunchPending();
  bool Place(Grid* grid, uint64_t index);
  Sm* FindSm(const Grid& grid, const std::vector<int>& taken);
  void StartCta(Cta* cta);
  void FillConstants(Warp& warp);
  void OnCtaExit(Cta* cta);
  void FreeRetired();
  void AddRunnable(Warp* warp);
  void RemoveRunnable(Warp* warp);
  void RunSlice(Warp& warp, uint32_t budget);
  bool GatherAligned(Warp& warp, const Inst& inst);
  void CheckDeliveries(Warp& warp, const Inst& inst, uint32_t mask);
  void RunDueEvents();
  void RunNextEvent();
  // Lets every suspended mbarrier.try_wait return without its phase; false if
  // there is none, or if that has been in vain many times.
  bool TimeOutWaits();
  // Ends the run with a finding of this check that says who waits for what.
  void GiveUp(const std::string& check, const std::string& why);
  uint32_t RandomDelay();

  std::vector<std::unique_ptr<Grid>> grids_;
  size_t open_grids_ = 0;
  Grid* grid_ = nullptr;  // see program()
  RunOptions options_;
  GlobalMemory* memory_;
  Random random_;
  RunResult result_;
  std::unique_ptr<Timeline> timeline_;
  std::set<std::pair<std::string, int>> reported_;
  bool stopped_ = false;
  uint64_t now_ = 0;
  uint64_t last_progress_ = 0;
  int vain_time_outs_ = 0;      // since the last Wake
  uint64_t last_time_out_ = 0;  // of waits beside threads that spin
  uint64_t next_sequence_ = 0;
  uint64_t next_flight_ = 1;
  std::vector<Event> events_;  // a heap, soonest first
  std::vector<Warp*> runnable_;
  std::vector<Sm> sms_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<Cluster*> retired_;  // exited, buffers not freed yet
  uint32_t next_actor_ = 0;
  std::unordered_map<uint32_t, uint32_t> actor_clocks_;  // retired clocks
  struct CachedMap {
    uint8_t bytes[kTensorMapBytes];
    TensorMap map;
  };
  std::unordered_map<uint64_t, CachedMap> tensor_maps_;
  // By address of the byte in the host's copy of the memory.
  std::unordered_map<const uint8_t*, SyncPoint> sync_;
  // Shadow of global memory, by allocation.
  std::unordered_map<uint64_t, std::unique_ptr<RaceShadow>> global_shadow_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_MACHINE_H_
