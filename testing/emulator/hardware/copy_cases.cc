// Multicast, bulk copies and reductions, cp.async, mbarriers, clusters.
#include <string>

#include "testing/emulator/hardware/micro_case.h"
#include "testing/emulator/hardware/tensors.h"

namespace tiletune::micro {
namespace {

MicroCase ClusterCase(const std::string& theme, const std::string& kernel,
                      uint32_t ctas, size_t out_bytes) {
  MicroCase c = Case(theme, kernel, out_bytes);
  c.cluster = {ctas, 1, 1};
  c.grid = {ctas, 1, 1};
  return c;
}

void AddMulticast(std::vector<MicroCase>* cases) {
  for (const NamedSwizzle& s : kSwizzles) {
    const emulator::TensorMap map =
        Tensor(emulator::TensorMapType::kBf16, {100, 40}, s.swizzle,
               {s.inner_bytes / 2, 8});
    for (const char* kernel :
         {"tma_multicast_from_first", "tma_multicast_slices",
          "tma_load_to_neighbour"}) {
      for (int mask : {0xF, 0xA, 0x1}) {
        // Only the first kernel is told who receives.
        if (mask != 0xF && kernel != std::string("tma_multicast_from_first")) {
          continue;
        }
        MicroCase c = ClusterCase("tma_multicast", kernel, 4, 0);
        c.name += std::string("_") + s.name + "_" + std::to_string(mask);
        c.maps.push_back({false, map});
        c.params[0] = 8;
        c.params[1] = 3;
        c.params[2] = static_cast<int32_t>(s.inner_bytes * 8);
        c.params[3] = mask;
        c.params[4] = static_cast<int32_t>(s.inner_bytes * 32 + 128);
        c.out_bytes = 4 * static_cast<size_t>(c.params[4]);
        cases->push_back(c);
      }
    }
  }
}

void AddBulkCopies(std::vector<MicroCase>* cases) {
  struct Range {
    int bytes;
    int from;
    int to;
  };
  for (const Range& r :
       {Range{16, 0, 0}, Range{2000, 48, 16}, Range{3072, 16, 128}}) {
    for (const char* kernel : {"bulk_load", "bulk_store"}) {
      MicroCase c = Case("bulk_copy", kernel, 4096);
      c.name += "_" + std::to_string(r.bytes);
      c.params = {r.bytes, r.from, r.to};
      cases->push_back(c);
    }
  }
  for (int mask : {0xF, 0x9}) {
    MicroCase c = ClusterCase("bulk_copy", "bulk_multicast", 4, 4 * 4096);
    c.name += "_" + std::to_string(mask);
    c.params = {1040, 32, 64, mask};
    cases->push_back(c);
  }
  MicroCase c = ClusterCase("bulk_copy", "bulk_to_neighbour", 4, 4 * 4096);
  c.params = {1936, 16, 48};
  cases->push_back(c);
  cases->push_back(Case("bulk_copy", "bulk_store_groups", 4096));
}

void AddBulkReductions(std::vector<MicroCase>* cases) {
  struct Kind {
    const char* name;
    Pattern input;
  };
  for (const Kind& kind : {Kind{"add_u32", Pattern::kBytes},
                           Kind{"add_s32", Pattern::kBytes},
                           Kind{"add_u64", Pattern::kBytes},
                           Kind{"add_f32", Pattern::kSmallF32},
                           Kind{"add_f64", Pattern::kSmallF64},
                           Kind{"add_f16", Pattern::kSmallF16},
                           Kind{"add_bf16", Pattern::kSmallBf16},
                           Kind{"min_u32", Pattern::kBytes},
                           Kind{"min_s32", Pattern::kBytes},
                           Kind{"min_u64", Pattern::kBytes},
                           Kind{"min_s64", Pattern::kBytes},
                           Kind{"min_f16", Pattern::kEdgeF16},
                           Kind{"min_bf16", Pattern::kEdgeBf16},
                           Kind{"max_u32", Pattern::kBytes},
                           Kind{"max_s32", Pattern::kBytes},
                           Kind{"max_u64", Pattern::kBytes},
                           Kind{"max_s64", Pattern::kBytes},
                           Kind{"max_f16", Pattern::kEdgeF16},
                           Kind{"max_bf16", Pattern::kEdgeBf16},
                           Kind{"inc_u32", Pattern::kBytes},
                           Kind{"dec_u32", Pattern::kBytes},
                           Kind{"and_b32", Pattern::kBytes},
                           Kind{"or_b32", Pattern::kBytes},
                           Kind{"xor_b32", Pattern::kBytes},
                           Kind{"and_b64", Pattern::kBytes},
                           Kind{"or_b64", Pattern::kBytes},
                           Kind{"xor_b64", Pattern::kBytes}}) {
    MicroCase c =
        Case("bulk_reduce", std::string("bulk_reduce_") + kind.name, 2048);
    c.params[0] = 1984;
    c.input = kind.input;
    c.before = kind.input;
    cases->push_back(c);
  }
  for (const Kind& kind :
       {Kind{"add_f32", Pattern::kEdgeF32}, Kind{"add_f64", Pattern::kEdgeF64},
        Kind{"add_f16", Pattern::kEdgeF16},
        Kind{"add_bf16", Pattern::kEdgeBf16}}) {
    MicroCase c =
        Case("bulk_reduce", std::string("bulk_reduce_") + kind.name, 2048);
    c.name += "_edges";
    c.params[0] = 1984;
    c.input = kind.input;
    c.before = kind.input;
    cases->push_back(c);
  }
  for (const char* name :
       {"add_u32", "add_s32", "add_u64", "min_u32", "max_s32", "inc_u32",
        "dec_u32", "and_b32", "or_b32", "xor_b32"}) {
    MicroCase c = ClusterCase(
        "bulk_reduce", std::string("bulk_reduce_cluster_") + name, 2, 2048);
    c.params[0] = 960;
    cases->push_back(c);
  }
}

}  // namespace

std::vector<MicroCase> CopyCases() {
  std::vector<MicroCase> cases;
  AddMulticast(&cases);
  AddBulkCopies(&cases);
  AddBulkReductions(&cases);
  for (const char* kernel : {"cp_async_ca_4", "cp_async_ca_8", "cp_async_ca_16",
                             "cp_async_cg_16", "cp_async_ignore"}) {
    cases.push_back(Case("cp_async", kernel, 4096));
  }
  cases.push_back(Case("cp_async", "cp_async_groups", 4096 + 128));
  for (int noinc : {0, 1}) {
    MicroCase c = Case("cp_async", "cp_async_barrier", 640);
    c.name += noinc != 0 ? "_noinc" : "";
    c.params[0] = noinc;
    cases.push_back(c);
  }
  for (const char* kernel : {"mbarrier_counts", "mbarrier_transactions",
                             "mbarrier_drop", "mbarrier_no_complete"}) {
    MicroCase c = Case("mbarrier_ops", kernel, 160);
    c.block = {1, 1, 1};
    cases.push_back(c);
  }
  MicroCase ring = Case("mbarrier_ops", "mbarrier_ring", 6 * 128);
  ring.block = {64, 1, 1};
  cases.push_back(ring);
  cases.push_back(ClusterCase("mbarrier_ops", "mbarrier_remote", 4, 64));
  MicroCase registers = Case("cluster", "cluster_registers", 24 * 80);
  registers.grid = {4, 3, 2};
  registers.cluster = {2, 3, 1};
  cases.push_back(registers);
  cases.push_back(ClusterCase("cluster", "cluster_read_all", 4, 4 * 4 * 512));
  MicroCase write =
      ClusterCase("cluster", "cluster_write_neighbour", 4, 4 * 65 * 4);
  write.block = {64, 1, 1};
  cases.push_back(write);
  cases.push_back(ClusterCase("cluster", "cluster_spaces", 2, 128));
  cases.push_back(ClusterCase("cluster", "cluster_store_async", 2, 1024));
  return cases;
}

}  // namespace tiletune::micro
