// The GEMM that knows which kernel is fastest: looks the tuned config up and
// launches it. What most programs want of tiletune.
//
//   std::unique_ptr<TunedGemm> gemm = *TunedGemm::Open({});   // once
//   size_t bytes = *gemm->WorkspaceBytes(problem);            // once a shape
//   absl::Status s = gemm->PrepareWorkspace(workspace, bytes, stream);  // once
//   s = gemm->Run(problem, arguments, workspace, bytes, stream);
//   Choice ran;                                // or: which config, and why
//   s = gemm->Run(problem, arguments, workspace, bytes, stream, &ran);
//
// One order of trust: pinned by the caller, the user's database, the system's,
// a measured problem nearby, a stored prediction, the default config. A
// missing, locked, damaged or newer database costs one warning, never a GEMM.
//
// Looking up a tuned problem is a hash-map hit: no SQL, no I/O, no allocation,
// no lock. A problem nobody tuned is worked out on its first call and then
// remembered, in a cache of fixed size.
#ifndef TILETUNE_DISPATCH_TUNED_GEMM_H_
#define TILETUNE_DISPATCH_TUNED_GEMM_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autotune/store/measurement.h"
#include "dispatch/backend.h"
#include "dispatch/choice.h"
#include "dispatch/loader.h"
#include "dispatch/warnings.h"
#include "kernels/device.h"
#include "kernels/gemm.h"
#include "kernels/prepared_gemm.h"
#include "kernels/problem.h"

namespace tiletune {

struct TunedGemmOptions {
  // Unset: DefaultDatabasePath(). Empty: none.
  std::optional<std::string> user_database;
  // Unset: $TILETUNE_SYSTEM_DB. Empty: none. Nobody may write to this file
  // while it is in use.
  std::optional<std::string> system_database;
  // The GPU that Run launches on; CUDA's current device must be this one then.
  int device_ordinal = 0;
  // Instead of that GPU: a modelled device, to see what would be chosen.
  std::optional<DeviceFacts> device;
  // The conditions of this program. Winners of other conditions are used only
  // where these were not measured.
  MeasurementPolicy policy;
  std::vector<Pin> pins;
  // Equal rows of A give equal bits in D, whatever M is: every M of a layer
  // runs configs of one sum order (kernels/batch_invariant.h). Which one, the
  // measurements say, or the cost model where there are none: keep the database
  // as it is for as long as the bits must be. Pins are not checked.
  bool batch_invariant = false;
  // Unset: stderr. May be called from any thread that calls this object.
  WarningSink warn;
  // Where to count the shapes that nobody tuned (autotune/store/shape_log.h).
  // Unset: $TILETUNE_LOG_SHAPES. Empty: nowhere.
  std::optional<std::string> shape_log;
  // How many untuned problems are remembered.
  size_t remembered_problems = 1024;
  // For tests.
  const GemmBackend* backend = &LinkedBackend();
};

// Safe from several threads at once, all of it.
class TunedGemm {
 public:
  // Unavailable when there is no such GPU (kernels/device.h); no database can
  // make this fail.
  static absl::StatusOr<std::unique_ptr<TunedGemm>> Open(
      TunedGemmOptions options);
  ~TunedGemm();
  TunedGemm(const TunedGemm&) = delete;
  TunedGemm& operator=(const TunedGemm&) = delete;

  // Enqueues D = ... on `stream`, as LaunchGemm does and with its errors. A
  // config that fails to launch, or needs more workspace than there is, gives
  // way to the default one, and where that needs more as well, to the one that
  // the cost model likes best of those that need none (unless batch_invariant);
  // if `ran` is not null it says what was launched.
  // Pointers less aligned than the problem says choose another problem's
  // config, not an error. `workspace` must have been prepared, and must not be
  // in use on another stream.
  absl::Status Run(const GemmProblem& problem, const GemmArguments& arguments,
                   void* workspace, size_t workspace_bytes, GpuStream stream,
                   Choice* ran = nullptr);
  // Without workspace: configs that need one are passed over.
  absl::Status Run(const GemmProblem& problem, const GemmArguments& arguments,
                   GpuStream stream);

  // What Run would enqueue, made ready to be launched any number of times, on
  // other operands too (kernels/prepared_gemm.h): the choice is made here,
  // once. `chosen` as `ran` above. Run keeps recent launches by itself; this is
  // for operands that are never quite the same, or errors ahead of time.
  absl::StatusOr<PreparedGemm> Prepare(const GemmProblem& problem,
                                       const GemmArguments& arguments,
                                       void* workspace, size_t workspace_bytes,
                                       Choice* chosen = nullptr);

  // What Run would launch, given workspace enough. InvalidArgument for an
  // invalid problem, FailedPrecondition where no kernel runs on this device.
  absl::StatusOr<Choice> Choose(const GemmProblem& problem);

  // Device memory that is enough for Run to launch its choice, or the default
  // config in its place. In bytes; 0 for most problems, and for all on a
  // modelled device, where nothing runs.
  absl::StatusOr<size_t> WorkspaceBytes(const GemmProblem& problem);

  // To be called once for memory that is to be a workspace, before its first
  // use: a kernel counts on zeros at its beginning, and gives wrong results
  // without a word where there are none. Enqueues their writing on `stream`.
  // From then on the memory serves any sequence of problems, one stream at a
  // time. Alignment and errors: dispatch/workspace.h.
  absl::Status PrepareWorkspace(void* workspace, size_t workspace_bytes,
                                GpuStream stream);

  // Reads the databases again, if they changed; true when they had. Calls that
  // run meanwhile see either the old choices or the new ones. What was read
  // before stays in memory until this object goes.
  bool Reload();

  const DeviceFacts& device() const { return device_; }
  // Problems with a pinned or measured config.
  size_t tuned_problems() const;

 private:
  struct Snapshot;

  TunedGemm(TunedGemmOptions options, DeviceFacts device);
  std::unique_ptr<Snapshot> Load();
  absl::StatusOr<Choice> ChooseIn(Snapshot* snapshot,
                                  const GemmProblem& normalized);
  absl::StatusOr<Choice> WorkOut(Snapshot* snapshot,
                                 const GemmProblem& normalized);
  template <typename Attempt>
  absl::Status TryChoiceThenDefault(const GemmProblem& problem,
                                    const GemmArguments& arguments,
                                    size_t workspace_bytes, Choice* done,
                                    Attempt attempt);
  void CountMiss(const GemmProblem& normalized, int64_t finds);
  void MarkFailed(Snapshot* snapshot, const GemmProblem& normalized,
                  const Choice& failed, const Choice& fallback,
                  const absl::Status& why);

  const TunedGemmOptions options_;
  const DeviceFacts device_;
  std::string shape_log_;
  Warnings warnings_;

  std::atomic<Snapshot*> current_{nullptr};
  std::mutex reloading_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;  // all there ever were
};

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_TUNED_GEMM_H_
