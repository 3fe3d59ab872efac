#include "testing/emulator/machine/scope.h"

#include "testing/emulator/machine/cta.h"

namespace tiletune::emulator {

Place PlaceOf(const Cta& cta) {
  return {cta.first_async_actor, cta.cluster->ctas.front()->first_async_actor};
}

Scope Between(const Place& x, const Place& y) {
  if (x.cta == y.cta) return Scope::kCta;
  return x.cluster == y.cluster ? Scope::kCluster : Scope::kGpu;
}

Knowledge* SyncPoint::Of(const Place& place, Scope scope) {
  for (Part& part : parts_) {
    if (part.place.cta == place.cta && part.scope == scope) return &part.known;
  }
  parts_.push_back({place, scope, Knowledge()});
  return &parts_.back().known;
}

}  // namespace tiletune::emulator
