// A launch with all the host's work done, as a kernel family keeps it. For
// families and kernels/gemm.cc; others use kernels/prepared_gemm.h.
//
//   State& state = prepared->As<State>();    // a struct of the family's own
//   state.parameters = ...;
//   prepared->enqueue = &Enqueue;            // last: now it is complete
//   absl::Status s = prepared->enqueue(*prepared, stream);
#ifndef TILETUNE_KERNELS_PREPARED_LAUNCH_H_
#define TILETUNE_KERNELS_PREPARED_LAUNCH_H_

#include <cstddef>
#include <type_traits>

#include "absl/status/status.h"

struct CUstream_st;

namespace tiletune {

// Of fixed size and copied as bytes, so that caching one allocates nothing.
struct PreparedLaunch {
  static constexpr size_t kStateBytes = 2944;
  static constexpr size_t kAlignment = 128;  // of a CUtensorMap

  // Enqueues the launch. Neither allocates nor locks, whatever the device or
  // context it was prepared under. nullptr: there is nothing to enqueue.
  absl::Status (*enqueue)(const PreparedLaunch& launch,
                          CUstream_st* stream) = nullptr;
  alignas(kAlignment) std::byte state[kStateBytes] = {};

  template <typename State>
  State& As() {
    static_assert(sizeof(State) <= kStateBytes && alignof(State) <= kAlignment);
    static_assert(std::is_trivially_copyable_v<State> &&
                  std::is_trivially_destructible_v<State>);
    return *reinterpret_cast<State*>(state);
  }
  template <typename State>
  const State& As() const {
    return const_cast<PreparedLaunch*>(this)->As<State>();
  }
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_PREPARED_LAUNCH_H_
