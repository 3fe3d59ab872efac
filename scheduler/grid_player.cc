#include "scheduler/grid_player.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <random>
#include <set>
#include <utility>

namespace tiletune {
namespace {

constexpr uint32_t kAnswerBytes = 16;
constexpr uint32_t kDeepest = 4;

// At one time, what frees and fills slots goes before what asks for work: the
// hardware fills the machine before a running cluster can ask.
enum class EventKind { kSlotFree, kBusyEnds, kTileDone, kAnswer, kAsk };

struct Event {
  double time;
  EventKind kind;
  uint64_t sequence;  // Among equals, first come first served.
  uint64_t subject;   // A slot, or the place of a worker in the list.
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    if (a.time != b.time) return a.time > b.time;
    if (a.kind != b.kind) return a.kind > b.kind;
    return a.sequence > b.sequence;
  }
};

// The tiles that one round of requests granted.
using Round = std::deque<uint64_t>;

struct Worker {
  uint64_t place = 0;  // In the list of workers.
  uint64_t id = 0;     // The cluster that was launched.
  uint32_t slot = 0;
  double launched = 0;
  uint64_t current = 0;     // The index in hand.
  Round begun;              // The rest of the round last read.
  std::deque<Round> ahead;  // Answered rounds, not yet read.
  Round coming;             // What the round in flight will grant.
  uint64_t rounds = 0;
  bool computing = false;
  bool asking = false;
  bool will_be_refused = false;  // By the round in flight.
  bool refused = false;
};

class Player {
 public:
  explicit Player(const GridPlayerOptions& options)
      : options_(options), random_(options.seed) {}

  // The timeline up to when nothing more can happen.
  GridTimeline Play();

 private:
  void Schedule(double time, EventKind kind, uint64_t subject) {
    events_.push({time, kind, sequence_++, subject});
  }
  void Handle(const Event& event);
  void LaunchWhilePossible(double time);
  void Begin(Worker& worker, uint64_t index, bool launched, double time);
  void MoveOn(Worker& worker, double time);
  void Exit(Worker& worker, double time);
  void Ask(Worker& worker, double time);
  void Answer(Worker& worker, double time);

  std::optional<uint64_t> Grant(double time);
  uint64_t TakePending();
  bool IsBusy(double time) const;

  const GridPlayerOptions& options_;
  const uint64_t tiles_ = options_.order.size();
  std::mt19937_64 random_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  uint64_t sequence_ = 0;
  uint64_t grid_ = 0;             // Clusters in the launch.
  std::deque<uint64_t> pending_;  // Those that have not started.
  uint64_t tickets_ = 0;          // Drawn from the queue.
  std::set<uint32_t> free_slots_;
  std::deque<Worker> workers_;
  GridTimeline timeline_;
};

GridTimeline Player::Play() {
  grid_ = GridClusters(options_.supply, tiles_, options_.slots.size());
  for (uint64_t cluster = 0; cluster < grid_; ++cluster) {
    pending_.push_back(cluster);
  }
  for (uint32_t slot = 0; slot < options_.slots.size(); ++slot) {
    if (std::isfinite(options_.slots[slot])) {
      Schedule(options_.slots[slot], EventKind::kSlotFree, slot);
    }
  }
  for (const TimeSpan& span : options_.busy) {
    if (std::isfinite(span.end)) Schedule(span.end, EventKind::kBusyEnds, 0);
  }
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    Handle(event);
  }
  const auto by_begin = [](const auto& a, const auto& b) {
    return a.time.begin < b.time.begin;
  };
  std::stable_sort(timeline_.runs.begin(), timeline_.runs.end(), by_begin);
  std::stable_sort(timeline_.workers.begin(), timeline_.workers.end(),
                   by_begin);
  return std::move(timeline_);
}

void Player::Handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kSlotFree:
      free_slots_.insert(static_cast<uint32_t>(event.subject));
      LaunchWhilePossible(event.time);
      break;
    case EventKind::kBusyEnds:
      LaunchWhilePossible(event.time);
      break;
    case EventKind::kTileDone:
      workers_[event.subject].computing = false;
      MoveOn(workers_[event.subject], event.time);
      break;
    case EventKind::kAnswer:
      Answer(workers_[event.subject], event.time);
      break;
    case EventKind::kAsk:
      Ask(workers_[event.subject], event.time);
      break;
  }
}

void Player::LaunchWhilePossible(double time) {
  while (!pending_.empty() && !free_slots_.empty() && !IsBusy(time)) {
    Worker worker;
    worker.place = workers_.size();
    worker.id = TakePending();
    worker.slot = *free_slots_.begin();
    worker.launched = time;
    free_slots_.erase(free_slots_.begin());
    workers_.push_back(worker);
    Begin(workers_.back(), worker.id, /*launched=*/true,
          time + options_.launch_cost);
  }
}

void Player::Begin(Worker& worker, uint64_t index, bool launched, double time) {
  const TileCoord tile = options_.order.At(index);
  const double cost = options_.tile_cost ? options_.tile_cost(tile) : 1;
  worker.current = index;
  worker.computing = true;
  timeline_.runs.push_back({index,
                            tile,
                            index * options_.cluster_size,
                            worker.id,
                            worker.slot,
                            launched,
                            {time, time + cost}});
  timeline_.makespan = std::max(timeline_.makespan, time + cost);
  Schedule(time + cost, EventKind::kTileDone, worker.place);
  if (options_.supply != SupplyKind::kStatic) {
    Schedule(time, EventKind::kAsk, worker.place);  // Before it computes.
  }
}

// What a worker does when it has nothing in hand.
void Player::MoveOn(Worker& worker, double time) {
  if (options_.supply == SupplyKind::kStatic) {
    if (grid_ < tiles_ - worker.current) {
      Begin(worker, worker.current + grid_, /*launched=*/false, time);
    } else {
      Exit(worker, time);
    }
    return;
  }
  if (worker.begun.empty() && !worker.ahead.empty()) {
    worker.begun = std::move(worker.ahead.front());
    worker.ahead.pop_front();
  }
  if (!worker.begun.empty()) {
    const uint64_t index = worker.begun.front();
    worker.begun.pop_front();
    Begin(worker, index, /*launched=*/false, time);
  } else if (worker.refused) {
    Exit(worker, time);
  }
}

void Player::Exit(Worker& worker, double time) {
  timeline_.workers.push_back(
      {worker.id, worker.slot, {worker.launched, time}});
  free_slots_.insert(worker.slot);
  LaunchWhilePossible(time);
}

// Sends a round of requests if the rules allow one now.
void Player::Ask(Worker& worker, double time) {
  if (worker.asking || worker.refused ||
      worker.ahead.size() >= options_.request_depth) {
    return;
  }
  const double answered = time + options_.request_latency;
  worker.asking = true;
  worker.coming.clear();
  for (uint32_t i = 0; i < options_.requesters; ++i) {
    SupplyRequest request;
    request.worker = worker.id;
    request.round = worker.rounds;
    request.requester = i;
    request.time = {time, answered};
    if (const std::optional<uint64_t> index = Grant(time)) {
      request.granted = true;
      request.index = *index;
      request.first_ctaid = *index * options_.cluster_size;
      worker.coming.push_back(*index);
    } else {
      worker.will_be_refused = true;
    }
    timeline_.requests.push_back(request);
  }
  timeline_.rounds.push_back({worker.id,
                              worker.rounds,
                              options_.requesters,
                              options_.requesters * kAnswerBytes,
                              {time, answered}});
  ++worker.rounds;
  Schedule(answered, EventKind::kAnswer, worker.place);
}

void Player::Answer(Worker& worker, double time) {
  worker.asking = false;
  worker.refused = worker.will_be_refused;
  if (!worker.coming.empty()) worker.ahead.push_back(worker.coming);
  if (!worker.computing) {
    MoveOn(worker, time);
  } else {
    Schedule(time, EventKind::kAsk, worker.place);
  }
}

// The index that one request gets at `time`, if any.
std::optional<uint64_t> Player::Grant(double time) {
  if (options_.supply == SupplyKind::kQueue) {
    if (tickets_ >= tiles_ - grid_) return std::nullopt;
    return grid_ + tickets_++;
  }
  const bool spurious = std::ldexp(static_cast<double>(random_() >> 11), -53) <
                        options_.spurious_refusals;
  if (pending_.empty() || IsBusy(time) || spurious) return std::nullopt;
  return TakePending();
}

uint64_t Player::TakePending() {
  if (options_.random_order) {
    std::swap(pending_.front(), pending_[random_() % pending_.size()]);
  }
  const uint64_t cluster = pending_.front();
  pending_.pop_front();
  return cluster;
}

bool Player::IsBusy(double time) const {
  for (const TimeSpan& span : options_.busy) {
    if (span.begin <= time && time < span.end) return true;
  }
  return false;
}

bool MakesSense(const GridPlayerOptions& options) {
  return options.cluster_size >= 1 &&
         SupplyCanServe(options.supply, options.order.size(),
                        options.cluster_size) &&
         1 <= options.request_depth && options.request_depth <= kDeepest &&
         options.requesters >= 1 && options.launch_cost >= 0 &&
         options.request_latency >= 0 && 0 <= options.spurious_refusals &&
         options.spurious_refusals < 1;
}

}  // namespace

std::optional<GridTimeline> PlayGrid(const GridPlayerOptions& options) {
  if (!MakesSense(options)) return std::nullopt;
  GridTimeline timeline = Player(options).Play();
  if (timeline.runs.size() != options.order.size()) return std::nullopt;
  return timeline;
}

}  // namespace tiletune
