// A hash of a problem for tables that are asked on every launch.
//
//   uint64_t hash = HashProblem(Normalized(problem));
//   size_t slot = hash & (slot_count - 1);
//   uint32_t tag = static_cast<uint32_t>(hash >> 32);
//   // The same in every process; not for data an adversary chooses.
#ifndef TILETUNE_DISPATCH_PROBLEM_HASH_H_
#define TILETUNE_DISPATCH_PROBLEM_HASH_H_

#include <cstdint>

#include "kernels/problem.h"

namespace tiletune {

// A multilinear hash: each word times its own odd constant, summed. The
// products do not wait for one another, unlike the steps of a chained hash.
// Carter and Wegman, "Universal classes of hash functions", 1979; the finish
// is the one of MurmurHash3.
inline uint64_t HashProblem(const GemmProblem& p) {
  const auto word = [](int64_t value) { return static_cast<uint64_t>(value); };
  const auto byte = [](auto value, int at) {
    return static_cast<uint64_t>(value) << (8 * at);
  };
  const uint64_t types = byte(p.a_type, 0) | byte(p.b_type, 1) |
                         byte(p.c_type, 2) | byte(p.d_type, 3) |
                         byte(p.layout, 4) | byte(p.scaling, 5) |
                         byte(p.pointer_alignment, 6);
  const uint64_t epilogue =
      byte(p.epilogue.reads_c, 0) | byte(p.epilogue.bias, 1) |
      byte(p.epilogue.activation, 2) | byte(p.epilogue.amax, 3);
  uint64_t h =
      word(p.m) * 0x9e3779b97f4a7c15u + word(p.n) * 0xc2b2ae3d27d4eb4fu;
  h += word(p.k) * 0x165667b19e3779f9u + word(p.batch) * 0xd6e8feb86659fd93u;
  h += types * 0xa0761d6478bd642fu + epilogue * 0xe7037ed1a0b428dbu;
  h += word(p.lda) * 0x8ebc6af09c88c6e3u + word(p.ldb) * 0x589965cc75374cc3u;
  h += word(p.ldc) * 0x1d8e4e27c47d124fu + word(p.ldd) * 0xeb44accab455d165u;
  h += word(p.batch_stride_a) * 0x9c06faf4d023e3abu +
       word(p.batch_stride_b) * 0xc060724a8424f345u;
  h += word(p.batch_stride_c) * 0xcb5af53ae3aaac31u +
       word(p.batch_stride_d) * 0x8cb92ba72f3d8dd7u;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccdu;
  h ^= h >> 33;
  return h;
}

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_PROBLEM_HASH_H_
