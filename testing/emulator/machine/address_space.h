// Where the state spaces lie in the emulated 64-bit generic address space
// (PTX ISA 5.1, 6.4.1) and how a shared::cluster address names a CTA.
//
//   uint64_t generic = kSharedWindow + shared_address;
//   if (IsShared(generic)) rank = SharedRank(uint32_t(generic));
//   uint32_t offset = SharedOffset(shared_address);
//   uint32_t remote = SharedAddress(rank, offset);   // what mapa computes
//   bool local = IsLocal(generic);
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_ADDRESS_SPACE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_ADDRESS_SPACE_H_

#include <cstdint>

namespace tiletune::emulator {

enum class MemorySpace : uint8_t {
  kGeneric,
  kGlobal,
  kShared,         // shared::cta
  kSharedCluster,  // shared::cluster
  kLocal,
  kParameter,  // the entry's parameters
  kConst,
};

// Each window is 4 GiB; everything else is global memory.
constexpr uint64_t kSharedWindow = 0x7F0000000000;
constexpr uint64_t kLocalWindow = 0x7E0000000000;
constexpr uint64_t kParameterWindow = 0x7D0000000000;
constexpr uint64_t kWindowMask = ~uint64_t{0xFFFFFFFF};

// The first KiB of shared memory is reserved, as on sm_90 and later.
constexpr uint32_t kSharedBase = 1024;

// Hardware puts the CTA's rank in the cluster at bit 24 and up of every
// shared address; kernels rely on it (clearing bit 24 names the even CTA of a
// pair), so the emulator does the same.
constexpr int kSharedRankShift = 24;
constexpr uint32_t SharedOffset(uint32_t address) {
  return address & ((1u << kSharedRankShift) - 1);
}
constexpr uint32_t SharedRank(uint32_t address) {
  return address >> kSharedRankShift;
}
constexpr uint32_t SharedAddress(uint32_t rank, uint32_t offset) {
  return (rank << kSharedRankShift) | offset;
}

constexpr bool IsShared(uint64_t generic) {
  return (generic & kWindowMask) == kSharedWindow;
}
constexpr bool IsLocal(uint64_t generic) {
  return (generic & kWindowMask) == kLocalWindow;
}
constexpr bool IsParameter(uint64_t generic) {
  return (generic & kWindowMask) == kParameterWindow;
}

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_ADDRESS_SPACE_H_
