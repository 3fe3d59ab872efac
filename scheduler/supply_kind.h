// Where a resident worker gets its next tile. The device code is in
// static_supply.h, queue_supply.h and clc_supply.h; this enum is for everyone
// who only names one.
//
//   if (variant.supply == SupplyKind::kClc) NeedComputeCapability(10, 0);
#ifndef TILETUNE_SCHEDULER_SUPPLY_KIND_H_
#define TILETUNE_SCHEDULER_SUPPLY_KIND_H_

#include <cstdint>

namespace tiletune {

enum class SupplyKind : uint8_t {
  kStatic,  // grid stride: a formula, no memory
  kQueue,   // one atomic counter in device memory
  kClc,     // Blackwell's clusterlaunchcontrol.try_cancel
};

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_SUPPLY_KIND_H_
