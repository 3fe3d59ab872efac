#include "dispatch/tuned_gemm.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autotune/store/path.h"
#include "autotune/store/shape_log.h"
#include "dispatch/choice_table.h"
#include "dispatch/fallback.h"
#include "dispatch/miss_cache.h"
#include "dispatch/nearest.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

// The path that an environment variable names; empty for none.
std::string PathIn(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : UserPath(value);
}

// Changes whenever somebody writes to the file.
std::string FileStamp(const std::string& path) {
  struct stat facts;
  if (path.empty() || stat(path.c_str(), &facts) != 0) return "none";
  return absl::StrCat(facts.st_dev, ":", facts.st_ino, ":", facts.st_size, ":",
                      facts.st_mtim.tv_sec, ".", facts.st_mtim.tv_nsec);
}

// The problem as its pointers allow it: their alignment is part of the key.
GemmProblem AlignedAs(const GemmProblem& problem,
                      const GemmArguments& arguments) {
  const auto address = [](const void* p) {
    return reinterpret_cast<uintptr_t>(p);
  };
  const uintptr_t bits = address(arguments.a) | address(arguments.b) |
                         address(arguments.d) | address(arguments.bias) |
                         (problem.epilogue.reads_c ? address(arguments.c) : 0) |
                         16;
  const int32_t actual = static_cast<int32_t>(bits & (~bits + 1));
  GemmProblem aligned = problem;
  aligned.pointer_alignment = std::min(aligned.pointer_alignment, actual);
  return aligned;
}

}  // namespace

struct TunedGemm::Snapshot {
  Snapshot(Loaded loaded, const DeviceFacts& device,
           const TunedGemmOptions& options)
      : table(loaded.entries),
        predictions(loaded.predictions),
        nearest(table, device),
        misses(options.remembered_problems),
        fallback({device, options.backend, options.batch_invariant,
                  std::move(loaded.sum_orders), options.remembered_problems}),
        failed(new std::atomic<bool>[table.slot_count()]()) {}

  const ChoiceTable table;
  const ChoiceTable predictions;
  const NearestIndex nearest;
  MissCache misses;
  Fallback fallback;
  // By the entry's place in `table`: it did not launch; do not try again.
  const std::unique_ptr<std::atomic<bool>[]> failed;
  std::string stamp;
};

TunedGemm::TunedGemm(TunedGemmOptions options, DeviceFacts device)
    : options_(std::move(options)),
      device_(std::move(device)),
      shape_log_(options_.shape_log.value_or(PathIn("TILETUNE_LOG_SHAPES"))),
      warnings_(options_.warn) {}

TunedGemm::~TunedGemm() {
  if (shape_log_.empty()) return;
  // CountMiss has written all but what came after the last power of two.
  for (const auto& snapshot : snapshots_) {
    snapshot->misses.ForEach([this](const GemmProblem& p, int64_t finds) {
      int64_t written = finds > 0;
      while (2 * written <= finds && written > 0) written *= 2;
      if (finds == written) return;
      AppendShape(shape_log_, p, finds - written).IgnoreError();
    });
  }
}

absl::StatusOr<std::unique_ptr<TunedGemm>> TunedGemm::Open(
    TunedGemmOptions options) {
  absl::StatusOr<DeviceFacts> device =
      options.device.has_value() ? *options.device
                                 : QueryDevice(options.device_ordinal);
  if (!device.ok()) return device.status();
  std::unique_ptr<TunedGemm> gemm(
      new TunedGemm(std::move(options), *std::move(device)));
  gemm->Reload();
  return gemm;
}

std::unique_ptr<TunedGemm::Snapshot> TunedGemm::Load() {
  LoadRequest request;
  request.user_database =
      options_.user_database.value_or(DefaultDatabasePath());
  request.system_database =
      options_.system_database.value_or(PathIn("TILETUNE_SYSTEM_DB"));
  request.device = device_;
  request.policy = options_.policy;
  request.pins = options_.pins;
  request.batch_invariant = options_.batch_invariant;
  request.backend = options_.backend;
  // Before reading: a write that comes meanwhile is then seen next time.
  std::string stamp = FileStamp(request.user_database) + " " +
                      FileStamp(request.system_database);
  const Snapshot* current = current_.load(std::memory_order_relaxed);
  if (current != nullptr && current->stamp == stamp) return nullptr;
  auto snapshot = std::make_unique<Snapshot>(LoadChoices(request, &warnings_),
                                             device_, options_);
  snapshot->stamp = std::move(stamp);
  return snapshot;
}

bool TunedGemm::Reload() {
  const std::lock_guard<std::mutex> lock(reloading_);
  std::unique_ptr<Snapshot> snapshot = Load();
  if (snapshot == nullptr) return false;
  // The old one stays: some thread may be reading it, and counting the readers
  // would cost every one of them.
  snapshots_.push_back(std::move(snapshot));
  current_.store(snapshots_.back().get(), std::memory_order_release);
  return true;
}

size_t TunedGemm::tuned_problems() const {
  return current_.load(std::memory_order_acquire)->table.size();
}

absl::StatusOr<Choice> TunedGemm::Choose(const GemmProblem& problem) {
  return ChooseIn(current_.load(std::memory_order_acquire),
                  Normalized(problem));
}

absl::StatusOr<Choice> TunedGemm::ChooseIn(Snapshot* snapshot,
                                           const GemmProblem& normalized) {
  const TableEntry* entry = snapshot->table.Find(normalized);
  if (entry != nullptr &&
      !snapshot->failed[snapshot->table.IndexOf(entry)].load(
          std::memory_order_relaxed)) {
    return entry->choice;
  }
  Choice choice;
  int64_t finds = 0;
  if (snapshot->misses.Find(normalized, &choice, &finds)) {
    if (entry == nullptr) CountMiss(normalized, finds);
    return choice;
  }
  absl::StatusOr<Choice> worked_out = WorkOut(snapshot, normalized);
  if (!worked_out.ok()) return worked_out;
  snapshot->misses.Store(normalized, *worked_out);
  if (entry == nullptr) CountMiss(normalized, 0);
  return worked_out;
}

absl::StatusOr<Choice> TunedGemm::WorkOut(Snapshot* snapshot,
                                          const GemmProblem& normalized) {
  absl::Status valid = Validate(normalized);
  if (!valid.ok()) return valid;
  absl::StatusOr<Choice> fallback = snapshot->fallback.Default(normalized);
  // Neighbours and predictions may be of another sum order.
  if (!fallback.ok() || options_.batch_invariant) return fallback;
  // A config that failed for this very problem is no reason to ask the
  // neighbours, whose configs may be the same.
  if (snapshot->table.Find(normalized) != nullptr) return fallback;
  std::optional<GemmConfig> guess =
      snapshot->nearest.Guess(normalized, fallback->config);
  if (guess.has_value()) {
    Choice choice = {*guess, Why::kNearest, 0, 0};
    if (device_.modelled) return choice;
    absl::StatusOr<size_t> bytes =
        options_.backend->workspace_bytes(normalized, *guess, device_);
    if (bytes.ok()) {
      choice.workspace_bytes = *bytes;
      return choice;
    }
  }
  const TableEntry* predicted = snapshot->predictions.Find(normalized);
  return predicted != nullptr ? predicted->choice : *fallback;
}

// Writes at each power of two, so that a killed program loses at most half of
// a count and a busy one hardly writes.
void TunedGemm::CountMiss(const GemmProblem& normalized, int64_t finds) {
  if (shape_log_.empty() || (finds & (finds - 1)) != 0) return;
  const int64_t new_launches = finds <= 1 ? 1 : finds / 2;
  absl::Status logged = AppendShape(shape_log_, normalized, new_launches);
  if (!logged.ok()) {
    warnings_.Say(
        std::string(logged.message().data(), logged.message().size()));
  }
}

absl::StatusOr<size_t> TunedGemm::WorkspaceBytes(const GemmProblem& problem) {
  const GemmProblem normalized = Normalized(problem);
  absl::StatusOr<Choice> choice = Choose(normalized);
  if (!choice.ok()) return choice.status();
  absl::StatusOr<Choice> fallback =
      current_.load(std::memory_order_acquire)->fallback.Default(normalized);
  if (!fallback.ok()) return fallback.status();
  return std::max(choice->workspace_bytes, fallback->workspace_bytes);
}

absl::Status TunedGemm::PrepareWorkspace(void* workspace,
                                         size_t workspace_bytes,
                                         GpuStream stream) {
  return options_.backend->prepare_workspace(workspace, workspace_bytes,
                                             stream);
}

absl::Status TunedGemm::Run(const GemmProblem& problem,
                            const GemmArguments& arguments, GpuStream stream) {
  return Run(problem, arguments, nullptr, 0, stream);
}

// `attempt` gets the problem and a config: first the chosen one, and if that
// does not do, the default.
template <typename Attempt>
absl::Status TunedGemm::TryChoiceThenDefault(const GemmProblem& problem,
                                             const GemmArguments& arguments,
                                             size_t workspace_bytes,
                                             Choice* done, Attempt attempt) {
  Snapshot* snapshot = current_.load(std::memory_order_acquire);
  const GemmProblem normalized = Normalized(AlignedAs(problem, arguments));
  absl::StatusOr<Choice> choice = ChooseIn(snapshot, normalized);
  if (!choice.ok()) return choice.status();

  absl::Status status = absl::OkStatus();
  const bool fits = choice->workspace_bytes <= workspace_bytes;
  if (fits) {
    status = attempt(normalized, choice->config);
    if (status.ok()) {
      if (done != nullptr) *done = *choice;
      return status;
    }
  }

  absl::StatusOr<Choice> fallback = snapshot->fallback.Default(normalized);
  if (fallback.ok() && fallback->workspace_bytes > workspace_bytes &&
      !options_.batch_invariant) {
    fallback = snapshot->fallback.WithoutWorkspace(normalized);
  }
  if (!fallback.ok()) return fits ? status : fallback.status();
  if (fits && fallback->config == choice->config) return status;
  const absl::Status again = attempt(normalized, fallback->config);
  // Where both fail it is the arguments' fault, and the first error says why.
  if (!again.ok()) return fits ? status : again;
  if (fits) MarkFailed(snapshot, normalized, *choice, *fallback, status);
  if (done != nullptr) *done = *fallback;
  return again;
}

absl::Status TunedGemm::Run(const GemmProblem& problem,
                            const GemmArguments& arguments, void* workspace,
                            size_t workspace_bytes, GpuStream stream,
                            Choice* ran) {
  return TryChoiceThenDefault(
      problem, arguments, workspace_bytes, ran,
      [&](const GemmProblem& normalized, const GemmConfig& config) {
        return options_.backend->launch(normalized, config, arguments, device_,
                                        workspace, workspace_bytes, stream);
      });
}

absl::StatusOr<PreparedGemm> TunedGemm::Prepare(const GemmProblem& problem,
                                                const GemmArguments& arguments,
                                                void* workspace,
                                                size_t workspace_bytes,
                                                Choice* chosen) {
  PreparedGemm gemm;
  const absl::Status status = TryChoiceThenDefault(
      problem, arguments, workspace_bytes, chosen,
      [&](const GemmProblem& normalized, const GemmConfig& config) {
        absl::StatusOr<PreparedGemm> prepared = options_.backend->prepare(
            normalized, config, arguments, device_, workspace, workspace_bytes);
        if (prepared.ok()) gemm = *prepared;
        return prepared.status();
      });
  if (!status.ok()) return status;
  return gemm;
}

void TunedGemm::MarkFailed(Snapshot* snapshot, const GemmProblem& normalized,
                           const Choice& failed, const Choice& fallback,
                           const absl::Status& why) {
  const TableEntry* entry = snapshot->table.Find(normalized);
  if (entry != nullptr) {
    snapshot->failed[snapshot->table.IndexOf(entry)].store(
        true, std::memory_order_relaxed);
  }
  snapshot->misses.Store(normalized, fallback);
  warnings_.Say(absl::StrCat(
      ConfigKey(failed.config), " did not launch for ", ProblemKey(normalized),
      " (", std::string(why.message().data(), why.message().size()),
      "); the default config runs instead"));
}

}  // namespace tiletune
