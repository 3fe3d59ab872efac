#include "kernels/launch/launch_request.h"

#include <algorithm>
#include <cstring>

namespace tiletune {
namespace {

uint64_t Word(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t Word(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

uint64_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// Two halves of a word; `low` must fit in 32 bits.
template <typename Low, typename High>
uint64_t Pair(Low low, High high) {
  return static_cast<uint32_t>(low) |
         static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32;
}

template <typename Value>
uint64_t Byte(Value value, int at) {
  return static_cast<uint64_t>(static_cast<uint8_t>(value)) << (8 * at);
}

// The folded product of wyhash (Wang Yi, "wyhash", 2019): its pairs do not
// wait for one another.
uint64_t Mix(uint64_t x, uint64_t y) {
  const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t HashPairs(const uint64_t* words, size_t count, uint64_t seed) {
  uint64_t hash = seed;
  for (size_t i = 0; i < count; i += 2) {
    // Another constant for each pair: pairs that swap places count as well.
    const uint64_t odd = 0x9e3779b97f4a7c15u * (2 * i + 1);
    hash += Mix(words[i] ^ odd, words[i + 1] ^ 0xe7037ed1a0b428dbu ^ ~odd);
  }
  return Mix(hash ^ 0xa0761d6478bd642fu, 0x8ebc6af09c88c6e3u);
}

}  // namespace

LaunchRequest::LaunchRequest(const GemmProblem& p, const GemmConfig& config,
                             const GemmArguments& args,
                             const DeviceFacts& device, const void* workspace,
                             size_t workspace_bytes) {
  words_ = {
      Word(p.m),
      Word(p.n),
      Word(p.k),
      Word(p.batch),
      Word(p.lda),
      Word(p.ldb),
      Word(p.ldc),
      Word(p.ldd),
      Word(p.batch_stride_a),
      Word(p.batch_stride_b),
      Word(p.batch_stride_c),
      Word(p.batch_stride_d),
      Byte(p.a_type, 0) | Byte(p.b_type, 1) | Byte(p.c_type, 2) |
          Byte(p.d_type, 3) | Byte(p.layout, 4) | Byte(p.scaling, 5) |
          Byte(p.epilogue.reads_c, 6) | Byte(p.epilogue.amax, 7),
      Byte(p.epilogue.bias, 0) | Byte(p.epilogue.activation, 1) |
          Byte(config.swizzle_direction, 2) | Byte(config.dependent_launch, 3) |
          static_cast<uint64_t>(static_cast<uint32_t>(p.pointer_alignment))
              << 32,
      Word(config.variant),
      Pair(config.swizzle_offset, config.split_k),
      Pair(config.max_sms, device.sm_count),
      Pair(device.capability_major, device.capability_minor),
      Pair(device.shared_bytes_per_cta, device.ordinal),
      // Never 0, as in a request made of nothing.
      (1u + device.modelled) | Word(config.launch_cluster) << 32,
      Word(args.a),
      Word(args.b),
      Word(args.c),
      Word(args.d),
      Word(args.bias),
      Bits(args.alpha) | Bits(args.beta) << 32,
      Word(args.alpha_device),
      Word(args.beta_device),
      Word(args.scale_a),
      Word(args.scale_b),
      Word(args.scale_d),
      Word(args.amax_d),
      Word(workspace),
      static_cast<uint64_t>(workspace_bytes),
  };
  shape_hash_ = HashPairs(words_.data(), kShapeWords, 0);
  hash_ =
      HashPairs(words_.data() + kShapeWords, kWords - kShapeWords, shape_hash_);
}

bool LaunchRequest::HasShapeOf(const LaunchRequest& other) const {
  return shape_hash_ == other.shape_hash_ &&
         std::equal(words_.begin(), words_.begin() + kShapeWords,
                    other.words_.begin());
}

bool operator==(const LaunchRequest& x, const LaunchRequest& y) {
  return x.hash_ == y.hash_ && x.words_ == y.words_;
}

}  // namespace tiletune
