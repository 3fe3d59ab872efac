// Scopes of strong operations and fences (PTX ISA 8.5), and what is published
// at a memory location by operations of different scopes.
//
// Use it wherever threads synchronise: a release and an acquire make data
// visible only if the scope of each includes the other's thread (PTX ISA 8.7,
// morally strong).
//
//   SyncPoint point;
//   *point.Of(PlaceOf(*warp.cta), Scope::kCluster) = known;   // release
//   for (const SyncPoint::Part& part : point.parts())         // acquire
//     bool reaches = part.scope >= Between(part.place, PlaceOf(*warp.cta));
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_SCOPE_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_SCOPE_H_

#include <cstdint>
#include <vector>

#include "testing/emulator/machine/vector_clock.h"

namespace tiletune::emulator {

struct Cta;

// Ascending. There is one GPU, and the host waits for grids to end: .sys is no
// wider than .gpu.
enum class Scope : uint8_t { kCta, kCluster, kGpu };
inline constexpr int kScopes = 3;

// Where a thread runs; numbers that no other CTA or cluster has or will have.
struct Place {
  uint32_t cta = 0;
  uint32_t cluster = 0;
};
Place PlaceOf(const Cta& cta);

// The narrowest scope in which threads of both places are.
Scope Between(const Place& x, const Place& y);

class SyncPoint {
 public:
  struct Part {
    Place place;  // of the threads that published it
    Scope scope;  // and how far
    Knowledge known;
  };
  const std::vector<Part>& parts() const { return parts_; }
  // What the CTA has published so far with this scope; empty at first.
  Knowledge* Of(const Place& place, Scope scope);

 private:
  std::vector<Part> parts_;
};

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_SCOPE_H_
