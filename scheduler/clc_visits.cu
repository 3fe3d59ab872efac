#include "scheduler/clc_supply.h"
#include "scheduler/supply_visits.cuh"

namespace tiletune {
namespace {

template <int kDepth>
VisitReport CountForDepth(const VisitRequest& request) {
  switch (request.cluster_size) {
    case 2:
      return RunVisits<ClcSupply<kDepth, 2>>(request);
    case 4:
      return RunVisits<ClcSupply<kDepth, 4>>(request);
  }
  return {"this cluster size is not compiled"};
}

}  // namespace

VisitReport CountClcVisits(const VisitRequest& request) {
  switch (request.depth) {
    case 1:
      return CountForDepth<1>(request);
    case 2:
      return CountForDepth<2>(request);
    case 4:
      return CountForDepth<4>(request);
  }
  return {"this depth is not compiled"};
}

}  // namespace tiletune
