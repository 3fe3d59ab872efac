// CheckLegal: why a config may not run a problem on a device.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/registry.h"
#include "kernels/tiling.h"
#include "scheduler/order.h"
#include "scheduler/supply.h"

namespace tiletune {
namespace {

template <typename... Parts>
absl::Status Illegal(const Parts&... parts) {
  return absl::FailedPreconditionError(absl::StrCat(parts...));
}

template <typename Enum>
bool Has(uint32_t mask, Enum value) {
  return (mask >> static_cast<uint32_t>(value) & 1) != 0;
}

absl::Status CheckDevice(const KernelVariant& v, const GemmConfig& config,
                         const DeviceFacts& device) {
  const int major = device.capability_major;
  const int minor = device.capability_minor;
  const auto has = [major, minor] {
    return absl::StrCat("; this device has ", major, ".", minor);
  };
  switch (v.architecture) {
    case Architecture::kAny:
      // The oldest that the toolkits we build with have code for.
      if (major * 10 + minor < 75) {
        return Illegal("needs compute capability 7.5 or newer", has());
      }
      break;
    case Architecture::kHopper:
      if (major != 9 || minor != 0) {
        return Illegal("needs compute capability 9.0", has());
      }
      break;
    case Architecture::kBlackwell:
      if (major != 10 || (minor != 0 && minor != 3)) {
        return Illegal("needs compute capability 10.0 or 10.3", has());
      }
      break;
  }
  if (v.supply == SupplyKind::kClc && major < 10) {
    return Illegal("Cluster Launch Control needs compute capability 10.0",
                   has());
  }
  if (v.shared_bytes > device.shared_bytes_per_cta) {
    return Illegal("needs ", v.shared_bytes,
                   " bytes of shared memory; a CTA of this device has ",
                   device.shared_bytes_per_cta);
  }
  const int32_t cluster = LaunchedClusterSize(config);
  if (cluster > device.sm_count) {
    return Illegal("a cluster of ", cluster, " CTAs on ", device.sm_count,
                   " SMs");
  }
  if (config.max_sms != 0 && config.max_sms < static_cast<uint32_t>(cluster)) {
    return Illegal("max_sms of ", config.max_sms, " is less than a cluster of ",
                   cluster);
  }
  if (config.max_sms != 0 && v.supply == SupplyKind::kClc) {
    return Illegal("max_sms needs the static or the queue supply; ",
                   "Cluster Launch Control fills every SM");
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const GemmProblem& p, const KernelVariant& v) {
  for (DataType type : {p.a_type, p.b_type}) {
    if (!Has(v.type_mask, type)) {
      return Illegal("takes no operand of ", std::string(Name(type)));
    }
  }
  if (!Has(v.d_type_mask, p.d_type)) {
    return Illegal("writes no D of ", std::string(Name(p.d_type)));
  }
  if (p.epilogue.reads_c && !Has(v.d_type_mask, p.c_type)) {
    return Illegal("reads no C of ", std::string(Name(p.c_type)));
  }
  if (Has(v.scaling_mask, p.scaling)) return absl::OkStatus();
  if (p.scaling == Scaling::kBlock128) {
    return Illegal("takes no scales per block of 128 of K: ",
                   v.architecture == Architecture::kBlackwell
                       ? "no Blackwell kernel adds up its blocks by themselves"
                       : "it scales only the sum over all of K");
  }
  if (Has(v.scaling_mask, Scaling::kBlock128)) {
    return Illegal("takes scales per block of 128 of K only");
  }
  return Illegal("has no scales per ", std::string(Name(p.scaling)));
}

// What a tensor map can describe (CUDA driver API, cuTensorMapEncodeTiled:
// strides below 2^40 bytes; PTX: 32-bit signed coordinates). Layout and
// alignment are no reason: launchers repack what TMA cannot read.
absl::Status CheckSizes(const GemmProblem& p, const KernelVariant& v) {
  if (v.architecture == Architecture::kAny) return absl::OkStatus();
  constexpr int64_t kCoordinates = std::numeric_limits<int32_t>::max();
  constexpr int64_t kStrideBytes = int64_t{1} << 40;
  for (int64_t size : {p.m, p.n, p.k, p.batch}) {
    if (size > kCoordinates) {
      return Illegal("a size of ", size, " exceeds 2^31 - 1");
    }
  }
  const int64_t operand_bytes = BytesOf(p.a_type);
  const int64_t widest_stride = std::max(
      {p.lda * operand_bytes, p.ldb * operand_bytes, p.ldd * BytesOf(p.d_type),
       p.batch_stride_a * operand_bytes, p.batch_stride_b * operand_bytes,
       p.batch_stride_d * BytesOf(p.d_type)});
  if (widest_stride >= kStrideBytes) {
    return Illegal("a stride of ", widest_stride,
                   " bytes is past what a tensor map can describe");
  }
  return absl::OkStatus();
}

absl::Status CheckTiles(const GemmProblem& p, const GemmConfig& config) {
  const KernelVariant& v = *config.variant;
  if (config.swizzle_offset < 1) return Illegal("the swizzle offset is 0");
  if (config.split_k < 1) return Illegal("split-K of 0");
  if (config.split_k > kMaxSplitK) {
    return Illegal("split-K of ", config.split_k, ", more than ", kMaxSplitK);
  }
  const std::optional<TileGrid> grid = ClusterTileGrid(p, v);
  if (!grid.has_value()) return Illegal("too many tiles");
  if (config.split_k > std::max<uint32_t>(1, grid->k_tiles)) {
    return Illegal("split-K of ", config.split_k, ", but K has only ",
                   grid->k_tiles, " tiles");
  }
  if (config.split_k > 1 && v.architecture == Architecture::kAny) {
    return Illegal("the reference kernel does not split K");
  }
  const std::optional<Order> order = MakeOrder(*grid, OrderOptionsOf(config));
  if (!order.has_value()) {
    return Illegal("the order is unknown or has more than 2^64 tiles");
  }
  if (!SupplyCanServe(v.supply, order->size(),
                      static_cast<uint32_t>(ClusterSize(v)))) {
    return Illegal("its supply cannot count ", order->size(), " tiles");
  }
  // Order::At32 in the kernels.
  if (v.architecture != Architecture::kAny && order->size() >> 32 != 0) {
    return Illegal(order->size(), " tiles are more than 2^32 - 1");
  }
  return absl::OkStatus();
}

// Launch clusters are for the CTAs of one wave, which must all be at work at
// once.
absl::Status CheckLaunchCluster(const GemmProblem& p, const GemmConfig& config,
                                const DeviceFacts& device) {
  if (config.launch_cluster == 1) return absl::OkStatus();
  const KernelVariant& v = *config.variant;
  // Those of which it is known how many run at once.
  if (std::find(std::begin(kLaunchClusters), std::end(kLaunchClusters),
                config.launch_cluster) == std::end(kLaunchClusters)) {
    return Illegal("launch clusters of ", config.launch_cluster, ", not of ",
                   absl::StrJoin(kLaunchClusters, " or "));
  }
  if (!MayHaveLaunchClusters(v)) {
    return Illegal(
        "launch clusters are for Hopper's kernels without clusters, of a "
        "static supply and one CTA an SM");
  }
  const uint32_t size = config.launch_cluster;
  const uint32_t most =
      CtasInLaunchClusters(size, UsableSms(config, device.sm_count));
  const uint64_t ctas = CtasOf(p, config);
  if (ctas > most) {
    return Illegal(ctas, " CTAs in launch clusters of ", size, ", of which ",
                   most, " run at once");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckLegal(const GemmProblem& problem, const GemmConfig& config,
                        const DeviceFacts& device) {
  if (config.variant == nullptr) return Illegal("the config has no variant");
  absl::Status status = Validate(problem);
  if (!status.ok()) return Illegal(std::string(status.message()));
  const GemmProblem p = Normalized(problem);
  status = CheckDevice(*config.variant, config, device);
  if (status.ok()) status = CheckTypes(p, *config.variant);
  if (status.ok()) status = CheckSizes(p, *config.variant);
  if (status.ok()) status = CheckTiles(p, config);
  if (status.ok()) status = CheckLaunchCluster(p, config, device);
  if (status.ok()) return status;
  return Illegal(config.variant->name, ": ", std::string(status.message()));
}

}  // namespace tiletune
