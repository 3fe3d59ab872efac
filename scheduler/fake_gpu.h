// FakeGpu: runs device code of the supplies on the host, thread by thread, in
// random order.
//
// For tests. It knows what supplies need and no more: clusters of CTAs, shared
// memory, mbarriers, warp and cluster barriers, and a grid scheduler that
// launches pending clusters or lets running ones cancel them. It is not an
// emulator: the code is compiled by the host compiler (fake_ptx.h gives it the
// names it uses), so it checks the protocol, not the PTX.
//
//   FakeGpu gpu({/*seed=*/1, /*clusters=*/12, /*cluster_size=*/2, ...});
//   std::vector<std::string> errors = gpu.Run([&] { Kernel(...); });
//   EXPECT_THAT(errors, IsEmpty());
#ifndef TILETUNE_SCHEDULER_FAKE_GPU_H_
#define TILETUNE_SCHEDULER_FAKE_GPU_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tiletune {

struct FakeGpuOptions {
  uint64_t seed = 1;
  uint64_t clusters = 1;      // In the grid.
  uint32_t cluster_size = 1;  // CTAs.
  uint32_t warps = 1;         // In a CTA.
  uint32_t resident = 1;      // Clusters that run at once.
  double refusals = 0;        // The chance that a cancel is refused.
};

class FakeGpu {
 public:
  static constexpr uint32_t kSharedBytes = 4096;  // Of a CTA.

  explicit FakeGpu(const FakeGpuOptions& options);
  ~FakeGpu();

  // Runs `kernel` once in every thread of the grid; returns the rules that were
  // broken, in words: a deadlock, a barrier overrun, a request after a refusal,
  // a request in flight at exit, an access to a CTA that has exited.
  std::vector<std::string> Run(const std::function<void()>& kernel);

  // The GPU whose kernel is running, for fake_ptx.h. All that follows is called
  // from inside a kernel and means the calling thread.
  static FakeGpu& Current();

  uint32_t thread() const;
  uint32_t rank() const;
  uint64_t cluster() const;
  const FakeGpuOptions& options() const { return options_; }
  void* shared_memory() const;

  uint32_t ToShared(const void* pointer) const;
  void* FromShared(uint32_t address);

  void SyncWarp();
  void SyncCluster();
  uint32_t Shuffle(uint32_t value, uint32_t source_lane);

  void InitBarrier(uint32_t address, uint32_t count);
  void Arrive(uint32_t address, uint32_t count, uint32_t bytes);
  void Wait(uint32_t address, uint32_t parity);

  void TryCancel(uint32_t response, uint32_t barrier, bool multicast);
  void SawRefusal();

  // Lets other threads run.
  void Yield();

 private:
  struct Barrier;
  struct Cta;
  struct Cluster;
  struct Thread;
  struct Request;

  static void Trampoline();
  void Prepare(Thread& thread);
  void LaunchPending();
  void Launch(uint64_t id);
  bool RunSomething();
  void Resume(Thread& thread);
  void Retire(Thread& thread);
  void Complete(Request request);
  void WaitUntil(std::function<bool()> ready);
  Barrier& BarrierAt(uint32_t address);
  Cta& CtaAt(uint32_t address);
  void Check(Barrier& barrier);
  void Fault(const std::string& what);

  FakeGpuOptions options_;
  std::mt19937_64 random_;
  std::function<void()> kernel_;
  std::set<uint64_t> pending_;
  std::vector<std::unique_ptr<Cluster>> running_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Request> requests_;
  std::set<std::string> faults_;
  Thread* current_ = nullptr;
  std::unique_ptr<struct FakeGpuContext> scheduler_;
};

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_FAKE_GPU_H_
