#include "testing/emulator/machine/special_registers.h"

#include <unordered_map>

#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {

bool FindSpecialRegister(const std::string& name, SpecialRegister* out) {
  using R = SpecialRegister;
  static const auto* const kNames =
      new std::unordered_map<std::string, SpecialRegister>{
          {"%tid.x", R::kTidX},
          {"%tid.y", R::kTidY},
          {"%tid.z", R::kTidZ},
          {"%ntid.x", R::kNtidX},
          {"%ntid.y", R::kNtidY},
          {"%ntid.z", R::kNtidZ},
          {"%ctaid.x", R::kCtaidX},
          {"%ctaid.y", R::kCtaidY},
          {"%ctaid.z", R::kCtaidZ},
          {"%nctaid.x", R::kNctaidX},
          {"%nctaid.y", R::kNctaidY},
          {"%nctaid.z", R::kNctaidZ},
          {"%laneid", R::kLaneid},
          {"%warpid", R::kWarpid},
          {"%nwarpid", R::kNwarpid},
          {"%smid", R::kSmid},
          {"%nsmid", R::kNsmid},
          {"%gridid", R::kGridid},
          {"%lanemask_eq", R::kLanemaskEq},
          {"%lanemask_le", R::kLanemaskLe},
          {"%lanemask_lt", R::kLanemaskLt},
          {"%lanemask_ge", R::kLanemaskGe},
          {"%lanemask_gt", R::kLanemaskGt},
          {"%clusterid.x", R::kClusteridX},
          {"%clusterid.y", R::kClusteridY},
          {"%clusterid.z", R::kClusteridZ},
          {"%nclusterid.x", R::kNclusteridX},
          {"%nclusterid.y", R::kNclusteridY},
          {"%nclusterid.z", R::kNclusteridZ},
          {"%cluster_ctaid.x", R::kClusterCtaidX},
          {"%cluster_ctaid.y", R::kClusterCtaidY},
          {"%cluster_ctaid.z", R::kClusterCtaidZ},
          {"%cluster_nctaid.x", R::kClusterNctaidX},
          {"%cluster_nctaid.y", R::kClusterNctaidY},
          {"%cluster_nctaid.z", R::kClusterNctaidZ},
          {"%cluster_ctarank", R::kClusterCtarank},
          {"%cluster_nctarank", R::kClusterNctarank},
          {"%is_explicit_cluster", R::kIsExplicitCluster},
          {"%dynamic_smem_size", R::kDynamicSmemSize},
          {"%total_smem_size", R::kTotalSmemSize},
          {"%clock", R::kClock},
          {"%clock_hi", R::kClockHi},
          {"%clock64", R::kClock64},
          {"%globaltimer", R::kGlobaltimer},
          {"%globaltimer_lo", R::kGlobaltimerLo},
          {"%globaltimer_hi", R::kGlobaltimerHi},
      };
  auto it = kNames->find(name);
  if (it == kNames->end()) return false;
  *out = it->second;
  return true;
}

uint64_t SpecialValue(SpecialRegister reg, const Machine& machine,
                      const Warp& warp, int lane) {
  using R = SpecialRegister;
  const GridShape& shape = machine.shape();
  const Cta& cta = *warp.cta;
  const uint32_t thread = static_cast<uint32_t>(warp.index * kWarpSize + lane);
  const uint32_t bit = 1u << lane;
  switch (reg) {
    case R::kTidX:
      return thread % shape.block.x;
    case R::kTidY:
      return thread / shape.block.x % shape.block.y;
    case R::kTidZ:
      return thread / shape.block.x / shape.block.y;
    case R::kNtidX:
      return shape.block.x;
    case R::kNtidY:
      return shape.block.y;
    case R::kNtidZ:
      return shape.block.z;
    case R::kCtaidX:
      return cta.id.x;
    case R::kCtaidY:
      return cta.id.y;
    case R::kCtaidZ:
      return cta.id.z;
    case R::kNctaidX:
      return shape.grid.x;
    case R::kNctaidY:
      return shape.grid.y;
    case R::kNctaidZ:
      return shape.grid.z;
    case R::kLaneid:
      return static_cast<uint64_t>(lane);
    case R::kWarpid:
      return static_cast<uint64_t>(warp.index);
    case R::kNwarpid:
      return 64;
    case R::kSmid:
      return static_cast<uint64_t>(cta.sm->index);
    case R::kNsmid:
      return static_cast<uint64_t>(machine.options().sms);
    case R::kGridid:
      return 1;
    case R::kLanemaskEq:
      return bit;
    case R::kLanemaskLe:
      return bit | (bit - 1);
    case R::kLanemaskLt:
      return bit - 1;
    case R::kLanemaskGe:
      return static_cast<uint32_t>(~(bit - 1));
    case R::kLanemaskGt:
      return static_cast<uint32_t>(~(bit | (bit - 1)));
    case R::kClusteridX:
      return cta.id.x / shape.cluster.x;
    case R::kClusteridY:
      return cta.id.y / shape.cluster.y;
    case R::kClusteridZ:
      return cta.id.z / shape.cluster.z;
    case R::kNclusteridX:
      return shape.grid.x / shape.cluster.x;
    case R::kNclusteridY:
      return shape.grid.y / shape.cluster.y;
    case R::kNclusteridZ:
      return shape.grid.z / shape.cluster.z;
    case R::kClusterCtaidX:
      return cta.id.x % shape.cluster.x;
    case R::kClusterCtaidY:
      return cta.id.y % shape.cluster.y;
    case R::kClusterCtaidZ:
      return cta.id.z % shape.cluster.z;
    case R::kClusterNctaidX:
      return shape.cluster.x;
    case R::kClusterNctaidY:
      return shape.cluster.y;
    case R::kClusterNctaidZ:
      return shape.cluster.z;
    case R::kClusterCtarank:
      return cta.rank;
    case R::kClusterNctarank:
      return shape.cluster.Count();
    case R::kIsExplicitCluster:
      return shape.cluster.Count() > 1 ? 1 : 0;
    case R::kDynamicSmemSize:
      return shape.dynamic_shared;
    case R::kTotalSmemSize:
      return machine.program().dynamic_shared_offset + shape.dynamic_shared -
             kSharedBase;
    case R::kZero:
      return 0;
    case R::kClock:
    case R::kClock64:
      return reg == R::kClock ? static_cast<uint32_t>(machine.now())
                              : machine.now();
    case R::kClockHi:
      return machine.now() >> 32;
    case R::kGlobaltimer:
      return machine.now();
    case R::kGlobaltimerLo:
      return static_cast<uint32_t>(machine.now());
    case R::kGlobaltimerHi:
      return machine.now() >> 32;
  }
  return 0;
}

}  // namespace tiletune::emulator
