// Runs an order with a supply on the current GPU and reports who visited what.
//
// For supply_device_test.cc alone.
//
//   VisitRequest request;
//   request.order = *MakeOrder({10, 7, 1, 1}, {3});
//   request.kind = SupplyKind::kQueue;
//   VisitReport report = CountVisits(request);
//   EXPECT_EQ(report.error, "");
#ifndef TILETUNE_SCHEDULER_SUPPLY_VISITS_H_
#define TILETUNE_SCHEDULER_SUPPLY_VISITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/order.h"
#include "scheduler/supply.h"

namespace tiletune {

// Warps of a CTA that read tiles; one more runs the producer.
inline constexpr uint32_t kVisitReaders = 3;

struct VisitRequest {
  Order order;
  SupplyKind kind = SupplyKind::kStatic;
  int depth = 1;          // 1, 2 or 4.
  int cluster_size = 1;   // 1, 2 or 4.
  uint64_t clusters = 0;  // To launch.
  // Launches, one after the other; the queue's counter is zeroed before the
  // first one alone.
  int launches = 1;
};

struct VisitReport {
  std::string error;  // Empty if every launch succeeded.
  // How often reading warp r of the CTA of rank c visited index i, at
  // [(i * cluster_size + c) * kVisitReaders + r].
  std::vector<uint32_t> visits;
  std::vector<TileCoord> tiles;     // At(i), as the device computed it.
  std::vector<uint64_t> positions;  // IndexOf(At(i)), likewise.
  uint32_t counter = 0;             // Of the queue, after the last launch.
};

// Runs the request. The error names a combination that was not compiled, or
// what the CUDA runtime said.
VisitReport CountVisits(const VisitRequest& request);

// The compute capability of the current GPU as 10 * major + minor; 0 if there
// is none that can be used.
int ComputeCapability();

// CountVisits for the kinds that need sm_100: in files of their own, because
// sm_90 cannot compile them.
VisitReport CountClcVisits(const VisitRequest& request);
VisitReport CountClcOneCtaVisits(const VisitRequest& request);

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SUPPLY_VISITS_H_
