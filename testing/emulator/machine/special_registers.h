// Special registers (PTX ISA chapter 10).
//
//   SpecialRegister reg;
//   if (!FindSpecialRegister("%tid.x", &reg)) return Fail("unknown register");
//   if (IsTimer(reg)) ...  // read anew by every mov
//   uint64_t value = SpecialValue(reg, machine, warp, lane);
//   // %clock64 counts warp instructions of the whole machine.
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_SPECIAL_REGISTERS_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_SPECIAL_REGISTERS_H_

#include <cstdint>
#include <string>

namespace tiletune::emulator {

class Machine;
class Warp;

enum class SpecialRegister : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClusteridX,
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kIsExplicitCluster,
  kDynamicSmemSize,
  kTotalSmemSize,
  kZero,  // %envreg and others that read as zero here
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
};

bool FindSpecialRegister(const std::string& name, SpecialRegister* out);
inline bool IsTimer(SpecialRegister reg) {
  return reg >= SpecialRegister::kClock;
}
uint64_t SpecialValue(SpecialRegister reg, const Machine& machine,
                      const Warp& warp, int lane);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_SPECIAL_REGISTERS_H_
