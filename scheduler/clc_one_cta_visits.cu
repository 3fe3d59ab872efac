// Clusters of one CTA use the form of try_cancel that plain sm_120 has too.
#include "scheduler/clc_supply.h"
#include "scheduler/supply_visits.cuh"

namespace tiletune {

VisitReport CountClcOneCtaVisits(const VisitRequest& request) {
  switch (request.depth) {
    case 1:
      return RunVisits<ClcSupply<1, 1>>(request);
    case 2:
      return RunVisits<ClcSupply<2, 1>>(request);
    case 4:
      return RunVisits<ClcSupply<4, 1>>(request);
  }
  return {"this depth is not compiled"};
}

}  // namespace tiletune
