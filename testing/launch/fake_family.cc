#include "testing/launch/fake_family.h"

#include "kernels/launchers.h"

namespace tiletune {
namespace {

struct State {
  const void* a;
};

size_t WorkspaceBytes(const GemmProblem&, const GemmConfig&,
                      const DeviceFacts&) {
  return FakeFamily::workspace_needed;
}

bool IsLinkedHere(const KernelVariant&) { return FakeFamily::linked; }

absl::Status Launch(const GemmProblem& problem, const GemmConfig&,
                    const GemmArguments& arguments, const DeviceFacts&, void*,
                    GpuStream stream) {
  ++FakeFamily::launched;
  FakeFamily::last_problem = problem;
  FakeFamily::last_a = arguments.a;
  FakeFamily::last_stream = stream;
  return FakeFamily::enqueue_status;
}

absl::Status Enqueue(const PreparedLaunch& launch, GpuStream stream) {
  ++FakeFamily::enqueued;
  FakeFamily::last_a = launch.As<State>().a;
  FakeFamily::last_stream = stream;
  return FakeFamily::enqueue_status;
}

absl::Status Prepare(const GemmProblem& problem, const GemmConfig&,
                     const GemmArguments& arguments, const DeviceFacts&, void*,
                     PreparedLaunch* prepared) {
  ++FakeFamily::prepared;
  if (prepared->enqueue != nullptr) ++FakeFamily::reused;
  FakeFamily::last_problem = problem;
  if (!FakeFamily::prepare_status.ok()) return FakeFamily::prepare_status;
  prepared->As<State>().a = arguments.a;
  prepared->enqueue = &Enqueue;
  return absl::OkStatus();
}

}  // namespace

bool FakeFamily::linked = true;
bool FakeFamily::prepares = true;
size_t FakeFamily::workspace_needed = 0;
absl::Status FakeFamily::prepare_status;
absl::Status FakeFamily::enqueue_status;
int FakeFamily::launched = 0;
int FakeFamily::prepared = 0;
int FakeFamily::reused = 0;
int FakeFamily::enqueued = 0;
GemmProblem FakeFamily::last_problem;
const void* FakeFamily::last_a = nullptr;
GpuStream FakeFamily::last_stream = nullptr;

void FakeFamily::Reset() {
  linked = true;
  prepares = true;
  workspace_needed = 0;
  prepare_status = enqueue_status = absl::OkStatus();
  launched = prepared = reused = enqueued = 0;
  last_problem = GemmProblem();
  last_a = nullptr;
  last_stream = nullptr;
}

const FamilyLauncher* LauncherOf(Architecture) {
  static constexpr FamilyLauncher kPreparing = {WorkspaceBytes, Launch,
                                                IsLinkedHere, Prepare};
  static constexpr FamilyLauncher kLaunching = {WorkspaceBytes, Launch,
                                                IsLinkedHere};
  return FakeFamily::prepares ? &kPreparing : &kLaunching;
}

}  // namespace tiletune
