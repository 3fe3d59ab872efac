// What happens on the machine, for a trace: CTAs, tiles, waits and
// asynchronous operations, on a row for each SM, resident CTA and warp.
//
// The machine has one if a trace is wanted; instruction families tell it what
// only they know.
//
//   Timeline timeline(&machine);
//   timeline.OnCtaStart(cta);
//   timeline.OnStep(warp, inst, mask, step);  // after each instruction
//   timeline.OnLoad(warp, {{cta, offset}}, bytes, "(0,128)");
//   timeline.WriteFile("run.json");  // at the end of the run
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_TIMELINE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_TIMELINE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "testing/emulator/machine/cta.h"
#include "testing/emulator/machine/program.h"
#include "testing/emulator/machine/tile_slices.h"
#include "testing/emulator/machine/trace.h"
#include "testing/emulator/machine/wait_slices.h"
#include "testing/emulator/machine/warp.h"

namespace tiletune::emulator {

class Timeline {
 public:
  // `machine` must outlive it.
  explicit Timeline(const Machine* machine);

  void OnCtaStart(const Cta& cta);
  void OnWarpExit(const Warp& warp);
  void OnCtaExit(const Cta& cta);

  // The warp has executed an instruction, or could not yet.
  void OnStep(const Warp& warp, const Inst& inst, uint32_t mask, Step step);
  // mbarrier.try_wait or test_wait: `done` are the lanes whose phase, the
  // number `phase` of the mbarrier, is complete. `operand`: parity or state.
  void OnMbarrierWait(const Warp& warp, const Inst& inst, uint32_t mask,
                      uint32_t done, const Cta* cta, uint32_t offset,
                      uint64_t phase, uint64_t operand);
  // An arrival or completed bytes, by `inst`.
  void OnMbarrierSignal(const Cta* cta, uint32_t offset, const Inst& inst);

  // An asynchronous operation of a thread, from its issue to its completion.
  void OnAsync(const Cta& cta, const std::string& what, int thread,
               uint64_t end);
  // A copy to shared memory is issued; see TileSlices.
  void OnLoad(const Warp& warp,
              const std::vector<TileSlices::SharedAddress>& to, uint32_t bytes,
              const std::string& box);
  void OnTensorMma(const Warp& warp, bool overwrites,
                   const std::vector<TileSlices::SharedAddress>& operands,
                   const std::vector<TileSlices::TensorColumn>& accumulator);
  void OnTensorLoad(const Warp& warp, int column);
  void OnWarpgroupMma(const Warp& warp,
                      const std::vector<TileSlices::SharedAddress>& operands);
  // A response of Cluster Launch Control to this thread of the CTA.
  void OnLaunchControl(const Cta& cta, int thread, bool success, Dim3 first);

  // Ends what is still open, and writes the trace. Once.
  bool WriteFile(const std::string& path);

 private:
  // What matters here about an instruction.
  enum class Kind {
    kOther,
    kWait,
    kIssue,  // an asynchronous operation
    kCommit,
    kGlobalStore,
    kSharedStore,
    kWarpMma,
  };
  struct Row {
    int sm = 0;
    int slot = 0;  // of the CTA among the residents of its SM
    int warp = 0;
    uint64_t start = 0;
    const Warp* running = nullptr;
    std::set<std::string> roles;
  };

  Kind KindOf(const Inst& inst);
  static Kind Classify(const Inst& inst);
  // The name of what a waiting instruction other than mbarrier's waits for.
  static std::string WaitName(const Warp& warp, const Inst& inst);
  int RowOf(const Warp& warp) const { return row_of_warp_.at(&warp); }
  int AsyncRow(const Cta& cta, const std::string& group, int warp);
  void EndWarp(const Warp& warp, int row);

  const Machine* machine_;
  Trace trace_;
  WaitSlices waits_;
  TileSlices tiles_;
  std::map<int, Row> rows_;                          // by row of the trace
  std::map<std::pair<int, int>, int> row_of_place_;  // by SM, and place on it
  std::unordered_map<const Warp*, int> row_of_warp_;
  std::map<const Cta*, int> slot_of_cta_;  // of residents, and of all before
  std::map<int, std::vector<const Cta*>> residents_;  // by SM, then slot
  std::unordered_map<const Inst*, Kind> kinds_;
  std::map<std::pair<const Cta*, uint32_t>, std::set<std::string>> signals_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_TIMELINE_H_
