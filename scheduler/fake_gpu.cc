#include "scheduler/fake_gpu.h"

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace tiletune {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kRankShift = 24;  // As in the shared::cluster window.
constexpr uint32_t kResponseBytes = 16;
constexpr size_t kStackBytes = 64 * 1024;

FakeGpu* running_gpu = nullptr;

}  // namespace

struct FakeGpuContext {
  ucontext_t context;
};

struct FakeGpu::Barrier {
  uint32_t expected = 0;
  uint32_t pending = 0;
  int64_t bytes = 0;  // May be negative for a while.
  uint32_t phase = 0;
};

// A barrier of threads: a warp's or a cluster's.
struct Gathering {
  uint32_t arrived = 0;
  uint64_t generation = 0;
};

struct FakeGpu::Cta {
  alignas(16) unsigned char shared[kSharedBytes] = {};
  std::map<uint32_t, Barrier> barriers;  // By offset.
  std::vector<Gathering> warps;
  std::vector<uint32_t> shuffles;
  uint32_t live = 0;
  bool refused = false;
};

struct FakeGpu::Cluster {
  uint64_t id = 0;
  std::vector<Cta> ctas;
  Gathering gathering;
  uint32_t live = 0;
  uint32_t in_flight = 0;
};

struct FakeGpu::Thread {
  Cluster* cluster = nullptr;
  uint32_t rank = 0;
  uint32_t index = 0;
  std::function<bool()> ready;
  bool done = false;
  ucontext_t context;
  std::unique_ptr<char[]> stack;

  Cta& cta() const { return cluster->ctas[rank]; }
};

struct FakeGpu::Request {
  Cluster* cluster = nullptr;
  uint32_t response = 0;  // Addresses in the requesting CTA.
  uint32_t barrier = 0;
  bool multicast = false;
};

FakeGpu::FakeGpu(const FakeGpuOptions& options)
    : options_(options),
      random_(options.seed),
      scheduler_(std::make_unique<FakeGpuContext>()) {}

FakeGpu::~FakeGpu() = default;

FakeGpu& FakeGpu::Current() { return *running_gpu; }

std::vector<std::string> FakeGpu::Run(const std::function<void()>& kernel) {
  kernel_ = kernel;
  running_gpu = this;
  for (uint64_t id = 0; id < options_.clusters; ++id) pending_.insert(id);
  LaunchPending();
  while (!threads_.empty() && faults_.empty()) {
    if (!RunSomething()) Fault("deadlock: every thread waits");
    LaunchPending();
  }
  threads_.clear();
  running_.clear();
  running_gpu = nullptr;
  return {faults_.begin(), faults_.end()};
}

void FakeGpu::LaunchPending() {
  while (!pending_.empty() && running_.size() < options_.resident) {
    const uint64_t id = *pending_.begin();
    pending_.erase(pending_.begin());
    Launch(id);
  }
}

void FakeGpu::Launch(uint64_t id) {
  auto cluster = std::make_unique<Cluster>();
  cluster->id = id;
  cluster->ctas.resize(options_.cluster_size);
  cluster->live = options_.cluster_size * options_.warps * kLanes;
  for (uint32_t rank = 0; rank < options_.cluster_size; ++rank) {
    Cta& cta = cluster->ctas[rank];
    cta.warps.resize(options_.warps);
    cta.shuffles.resize(options_.warps);
    cta.live = options_.warps * kLanes;
    for (uint32_t index = 0; index < cta.live; ++index) {
      auto thread = std::make_unique<Thread>();
      thread->cluster = cluster.get();
      thread->rank = rank;
      thread->index = index;
      Prepare(*thread);
      threads_.push_back(std::move(thread));
    }
  }
  running_.push_back(std::move(cluster));
}

void FakeGpu::Prepare(Thread& thread) {
  thread.stack = std::make_unique<char[]>(kStackBytes);
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.get();
  thread.context.uc_stack.ss_size = kStackBytes;
  thread.context.uc_link = &scheduler_->context;
  makecontext(&thread.context, &FakeGpu::Trampoline, 0);
}

void FakeGpu::Trampoline() {
  running_gpu->kernel_();
  running_gpu->current_->done = true;
}

// Completes a request or runs a thread to its next stop. Takes the first that
// can go, from a random place on, so that nothing waits for ever.
bool FakeGpu::RunSomething() {
  if (!requests_.empty() && random_() % 16 == 0) {
    const size_t which = random_() % requests_.size();
    const Request request = requests_[which];
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(which));
    Complete(request);
    return true;
  }
  const size_t start = random_() % threads_.size();
  for (size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = *threads_[(start + i) % threads_.size()];
    if (!thread.ready || thread.ready()) {
      Resume(thread);
      return true;
    }
  }
  if (requests_.empty()) return false;
  const Request request = requests_.back();
  requests_.pop_back();
  Complete(request);
  return true;
}

void FakeGpu::Resume(Thread& thread) {
  thread.ready = nullptr;
  current_ = &thread;
  swapcontext(&scheduler_->context, &thread.context);
  current_ = nullptr;
  if (thread.done) Retire(thread);
}

void FakeGpu::Retire(Thread& thread) {
  Cluster* const cluster = thread.cluster;
  --thread.cta().live;
  threads_.erase(std::find_if(
      threads_.begin(), threads_.end(),
      [&](const auto& candidate) { return candidate.get() == &thread; }));
  if (--cluster->live > 0) return;
  if (cluster->in_flight > 0) {
    Fault("a cluster exited with a request in flight");
    return;
  }
  running_.erase(std::find_if(
      running_.begin(), running_.end(),
      [&](const auto& candidate) { return candidate.get() == cluster; }));
}

void FakeGpu::Fault(const std::string& what) { faults_.insert(what); }

void FakeGpu::Yield() { swapcontext(&current_->context, &scheduler_->context); }

void FakeGpu::WaitUntil(std::function<bool()> ready) {
  current_->ready = std::move(ready);
  Yield();
}

uint32_t FakeGpu::thread() const { return current_->index; }
uint32_t FakeGpu::rank() const { return current_->rank; }
uint64_t FakeGpu::cluster() const { return current_->cluster->id; }
void* FakeGpu::shared_memory() const { return current_->cta().shared; }

uint32_t FakeGpu::ToShared(const void* pointer) const {
  const auto offset =
      static_cast<const unsigned char*>(pointer) - current_->cta().shared;
  return (rank() << kRankShift) | static_cast<uint32_t>(offset);
}

FakeGpu::Cta& FakeGpu::CtaAt(uint32_t address) {
  Cta& cta = current_->cluster->ctas[address >> kRankShift];
  if (cta.live == 0) Fault("an access to a CTA that has exited");
  return cta;
}

void* FakeGpu::FromShared(uint32_t address) {
  return CtaAt(address).shared + (address & ((1u << kRankShift) - 1));
}

FakeGpu::Barrier& FakeGpu::BarrierAt(uint32_t address) {
  return CtaAt(address).barriers[address & ((1u << kRankShift) - 1)];
}

void FakeGpu::SyncWarp() {
  Gathering& warp = current_->cta().warps[thread() / kLanes];
  const uint64_t generation = warp.generation;
  if (++warp.arrived == kLanes) {
    warp.arrived = 0;
    ++warp.generation;
    return;
  }
  WaitUntil([&warp, generation] { return warp.generation != generation; });
}

void FakeGpu::SyncCluster() {
  Gathering& all = current_->cluster->gathering;
  const uint64_t generation = all.generation;
  if (++all.arrived == options_.cluster_size * options_.warps * kLanes) {
    all.arrived = 0;
    ++all.generation;
    return;
  }
  WaitUntil([&all, generation] { return all.generation != generation; });
}

uint32_t FakeGpu::Shuffle(uint32_t value, uint32_t source_lane) {
  uint32_t& exchange = current_->cta().shuffles[thread() / kLanes];
  if (thread() % kLanes == source_lane) exchange = value;
  SyncWarp();
  const uint32_t result = exchange;
  SyncWarp();
  return result;
}

void FakeGpu::InitBarrier(uint32_t address, uint32_t count) {
  Barrier& barrier = BarrierAt(address);
  barrier = Barrier();
  barrier.expected = barrier.pending = count;
}

void FakeGpu::Check(Barrier& barrier) {
  if (barrier.pending == 0 && barrier.bytes == 0) {
    ++barrier.phase;
    barrier.pending = barrier.expected;
  }
}

void FakeGpu::Arrive(uint32_t address, uint32_t count, uint32_t bytes) {
  Yield();
  Barrier& barrier = BarrierAt(address);
  if (count > barrier.pending) {
    Fault("more arrivals than a barrier expects");
    return;
  }
  barrier.bytes += bytes;
  barrier.pending -= count;
  Check(barrier);
}

void FakeGpu::Wait(uint32_t address, uint32_t parity) {
  Barrier& barrier = BarrierAt(address);
  WaitUntil([&barrier, parity] { return barrier.phase % 2 != parity; });
}

void FakeGpu::TryCancel(uint32_t response, uint32_t barrier, bool multicast) {
  Yield();
  Cluster* const cluster = current_->cluster;
  if (current_->cta().refused) Fault("a request after a refusal was seen");
  const uint32_t offset = (1u << kRankShift) - 1;
  for (Cta& cta : cluster->ctas) {
    if (!multicast && &cta != &current_->cta()) continue;
    if (cta.live == 0) Fault("a multicast to a CTA that has exited");
    if (cta.barriers[barrier & offset].bytes != kResponseBytes) {
      Fault("a request before every CTA was armed");
    }
  }
  ++cluster->in_flight;
  requests_.push_back({cluster, response, barrier, multicast});
}

void FakeGpu::SawRefusal() { current_->cta().refused = true; }

// Words of a response: 0 is the ctaid, 2 is 1 if the cancel succeeded.
void FakeGpu::Complete(Request request) {
  const double chance = static_cast<double>(random_() >> 11) / (1ull << 53);
  uint32_t words[4] = {0xdeadbeef, 0, 0, 0};  // A refusal; ctaid is garbage.
  if (!pending_.empty() && chance >= options_.refusals) {
    words[0] = static_cast<uint32_t>(*pending_.begin() * options_.cluster_size);
    words[2] = 1;
    pending_.erase(pending_.begin());
  }
  --request.cluster->in_flight;
  const uint32_t mask = (1u << kRankShift) - 1;
  const uint32_t own = request.response >> kRankShift;
  for (uint32_t rank = 0; rank < options_.cluster_size; ++rank) {
    if (!request.multicast && rank != own) continue;
    Cta& cta = request.cluster->ctas[rank];
    if (cta.live == 0) Fault("an answer to a CTA that has exited");
    std::memcpy(cta.shared + (request.response & mask), words, sizeof(words));
    Barrier& barrier = cta.barriers[request.barrier & mask];
    barrier.bytes -= kResponseBytes;
    Check(barrier);
  }
}

}  // namespace tiletune
