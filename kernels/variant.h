// A variant: one compiled kernel, described without CUDA so that the tuner,
// the cost model and dispatch can reason about it on any machine.
//
// The tables live beside the kernels (hopper/variants.bzl,
// blackwell/variants.bzl); variant_table.bzl says what a line of them holds,
// and writes the initialisers that the registry includes. Example:
//
//   for (const KernelVariant& v : Variants())
//     if (v.architecture == Architecture::kHopper) printf("%s\n", v.name);
#ifndef TILETUNE_KERNELS_VARIANT_H_
#define TILETUNE_KERNELS_VARIANT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "scheduler/supply_kind.h"

namespace tiletune {

enum class Architecture : uint8_t {
  kAny,        // runs on every GPU: the naive reference kernel
  kHopper,     // sm_90a: compute capability 9.0
  kBlackwell,  // sm_100 family: compute capability 10.0 and 10.3
};

// How consumer warpgroups share work on Hopper; Blackwell has one way.
enum class MainloopSchedule : uint8_t { kCooperative, kPingPong, kSideBySide };

struct KernelVariant {
  const char* name;  // unique, e.g. "sm90_16b_128x256x64_c2x1_s4_coop_static"
  Architecture architecture;

  // The tile is the block of D that one CTA computes; a cluster computes
  // cluster_m x cluster_n tiles. tile_k is the K extent of one stage.
  int32_t tile_m, tile_n, tile_k;
  int32_t cluster_m, cluster_n;
  int32_t cluster_k = 1;  // CTAs of the cluster that share each tile's K
  int32_t cta_group;      // SMs that share one MMA: 1, or 2 (Blackwell)
  int32_t stages;         // shared-memory stages of A and B
  int32_t accumulators;
  MainloopSchedule schedule;
  SupplyKind supply;
  int32_t request_depth;  // tiles requested ahead by queue and clc; 0: static
  int32_t operand_bits;   // 16 or 8
  bool swaps_operands;    // computes D^T: tile_n runs along M of the problem
  // Reads the operand of tile_m, K-major, wherever its rows start: no repack,
  // but slower than others where TMA can read it.
  bool shifted_rows;

  int32_t threads;        // per CTA
  int32_t shared_bytes;   // dynamic shared memory per CTA
  int32_t ctas_per_sm;    // resident at once
  uint32_t type_mask;     // bit i: a_type/b_type DataType(i) supported
  uint32_t d_type_mask;   // bit i: d_type/c_type DataType(i) supported
  uint32_t layout_mask;   // bit i: Layout(i) supported without a repack
  uint32_t scaling_mask;  // bit i: Scaling(i) supported
  bool proven;            // false: compiled, but no run has proved it yet
  const char* build_fingerprint;  // changes iff the kernel's sources or the
                                  // parameters above do
};

// Every variant this source tree knows, linked or not, in a fixed order.
const std::vector<KernelVariant>& Variants();

// nullptr when there is none.
const KernelVariant* FindVariant(std::string_view name);

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_VARIANT_H_
