#include "scheduler/queue_supply.h"
#include "scheduler/static_supply.h"
#include "scheduler/supply_visits.cuh"

namespace tiletune {
namespace {

template <int kDepth>
VisitReport CountQueueVisits(const VisitRequest& request) {
  switch (request.cluster_size) {
    case 1:
      return RunVisits<QueueSupply<kDepth, 1>>(request);
    case 2:
      return RunVisits<QueueSupply<kDepth, 2>>(request);
    case 4:
      return RunVisits<QueueSupply<kDepth, 4>>(request);
  }
  return {"this cluster size is not compiled"};
}

}  // namespace

VisitReport CountVisits(const VisitRequest& request) {
  if (request.kind == SupplyKind::kStatic) {
    return RunVisits<StaticSupply>(request);
  }
  if (request.kind == SupplyKind::kClc) {
    return request.cluster_size == 1 ? CountClcOneCtaVisits(request)
                                     : CountClcVisits(request);
  }
  switch (request.depth) {
    case 1:
      return CountQueueVisits<1>(request);
    case 2:
      return CountQueueVisits<2>(request);
    case 4:
      return CountQueueVisits<4>(request);
  }
  return {"this depth is not compiled"};
}

int ComputeCapability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                             device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                             device) != cudaSuccess) {
    return 0;
  }
  return 10 * major + minor;
}

}  // namespace tiletune
