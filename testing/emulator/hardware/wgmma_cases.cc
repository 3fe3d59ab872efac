// wgmma: descriptors of every swizzle and majorness over the types.
//
// Shared memory is full of small numbers wherever a descriptor may reach, so
// any leading and stride offsets will do; they are unequal and none is a
// default, so that a mistaken role shows.
#include <string>

#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {
namespace {

constexpr int kB = 32768;  // offset of B

// Offsets in bytes; swizzle modes of PTX ISA 9.7.15.5.1.2.2.
struct Layout {
  const char* name;
  int leading;
  int stride;
  int mode;
};
constexpr Layout kKMajor[] = {
    {"none", 144, 1040, 0},    {"none_canonical", 128, 256, 0},
    {"32B", 16, 256, 3},       {"64B", 16, 512, 2},
    {"128B", 16, 1024, 1},     {"32B_wide", 16, 768, 3},
    {"64B_wide", 16, 1536, 2}, {"128B_wide", 16, 3072, 1}};
constexpr Layout kMnMajor[] = {
    {"none", 1040, 2192, 0},         {"none_canonical", 128, 1024, 0},
    {"32B", 1536, 6400, 3},          {"64B", 3072, 6656, 2},
    {"128B", 4096, 2048, 1},         {"32B_exchanged", 6400, 1536, 3},
    {"64B_exchanged", 6656, 3072, 2}};

struct Kernel {
  const char* name;
  Pattern input;
};

MicroCase WgmmaCase(const Kernel& kernel, const Layout& a, const Layout& b,
                    const std::string& suffix) {
  MicroCase c = Case("wgmma", std::string("wgmma_") + kernel.name, 128 * 4 * 5);
  c.name += "_" + suffix;
  c.block = {128, 1, 1};
  c.dynamic_shared = 65536;
  c.input = kernel.input;
  c.params = {0,         kB,       a.leading, a.stride, a.mode, 0,
              b.leading, b.stride, b.mode,    0,        1};
  return c;
}

void AddSixteenBit(std::vector<MicroCase>* cases) {
  const Kernel kKk[] = {{"bf16_kk", Pattern::kSmallBf16},
                        {"f16_kk", Pattern::kSmallF16}};
  for (const Kernel& kernel : kKk) {
    for (const Layout& layout : kKMajor) {
      cases->push_back(WgmmaCase(kernel, layout, layout, layout.name));
    }
  }
  const Kernel mn = {"bf16_mn", Pattern::kSmallBf16};
  const Kernel f16_mn = {"f16_mn", Pattern::kSmallF16};
  for (const Layout& layout : kMnMajor) {
    cases->push_back(WgmmaCase(mn, layout, layout, layout.name));
    cases->push_back(WgmmaCase(f16_mn, layout, layout, layout.name));
    cases->push_back(WgmmaCase({"bf16_mk", Pattern::kSmallBf16}, layout,
                               kKMajor[4], layout.name));
    cases->push_back(WgmmaCase({"bf16_kn", Pattern::kSmallBf16}, kKMajor[3],
                               layout, layout.name));
    cases->push_back(WgmmaCase({"bf16_n64_kn", Pattern::kSmallBf16}, kKMajor[4],
                               layout, layout.name));
  }
  for (const Kernel& kernel : {Kernel{"bf16_minus_a", Pattern::kSmallBf16},
                               Kernel{"bf16_minus_b", Pattern::kSmallBf16},
                               Kernel{"bf16_n8", Pattern::kSmallBf16},
                               Kernel{"bf16_n24", Pattern::kSmallBf16},
                               Kernel{"bf16_n256_kk", Pattern::kSmallBf16},
                               Kernel{"f16_into_f16", Pattern::kSmallF16}}) {
    cases->push_back(WgmmaCase(kernel, kKMajor[4], kKMajor[4], "128B"));
    cases->push_back(WgmmaCase(kernel, kKMajor[3], kKMajor[2], "64B_32B"));
  }
  cases->push_back(WgmmaCase({"bf16_n256_kn", Pattern::kSmallBf16}, kKMajor[4],
                             kMnMajor[4], "128B"));
  cases->push_back(WgmmaCase({"bf16_mainloop", Pattern::kSmallBf16}, kKMajor[4],
                             kKMajor[4], "128B"));
  MicroCase fresh = WgmmaCase({"bf16_kk", Pattern::kSmallBf16}, kKMajor[4],
                              kKMajor[4], "fresh");
  fresh.params[10] = 0;
  cases->push_back(fresh);
}

// Steps along K inside the swizzle's span, and starts off the pattern with
// and without the base offset that says so.
void AddStarts(std::vector<MicroCase>* cases) {
  const Kernel kernel = {"bf16_kk", Pattern::kSmallBf16};
  for (const Layout& layout : {kKMajor[3], kKMajor[4]}) {
    for (int step : {32, 64, 96}) {
      if (layout.mode == 2 && step > 32) continue;
      MicroCase c =
          WgmmaCase(kernel, layout, layout,
                    std::string(layout.name) + "_step_" + std::to_string(step));
      c.params[0] += step;
      c.params[1] += step;
      cases->push_back(c);
    }
  }
  for (int base : {0, 3}) {
    MicroCase c = WgmmaCase(kernel, kKMajor[4], kKMajor[4],
                            "row_3_base_" + std::to_string(base));
    c.params[0] += 384;
    c.params[5] = base;
    cases->push_back(c);
  }
  // MN-major, 16 k further on: whole patterns apart.
  MicroCase c = WgmmaCase({"bf16_mn", Pattern::kSmallBf16}, kMnMajor[4],
                          kMnMajor[4], "128B_step_4096");
  c.params[0] += 4096;
  c.params[1] += 4096;
  cases->push_back(c);
}

void AddOtherTypes(std::vector<MicroCase>* cases) {
  for (const Kernel& kernel :
       {Kernel{"e4m3", Pattern::kSmallE4m3},
        Kernel{"e5m2", Pattern::kSmallE5m2},
        Kernel{"e4m3_e5m2", Pattern::kSmallE5m2},
        Kernel{"tf32", Pattern::kSmallTf32}, Kernel{"s8", Pattern::kBytes},
        Kernel{"u8", Pattern::kBytes}, Kernel{"s8_u8", Pattern::kBytes}}) {
    for (const Layout& layout : kKMajor) {
      cases->push_back(WgmmaCase(kernel, layout, layout, layout.name));
    }
    MicroCase fresh = WgmmaCase(kernel, kKMajor[4], kKMajor[2], "fresh");
    fresh.params[10] = 0;
    cases->push_back(fresh);
  }
  cases->push_back(WgmmaCase({"e5m2_into_f16", Pattern::kSmallE4m3}, kKMajor[4],
                             kKMajor[4], "128B"));
  cases->push_back(WgmmaCase({"tf32_minus_b", Pattern::kSmallTf32}, kKMajor[4],
                             kKMajor[4], "128B"));
  cases->push_back(WgmmaCase({"s8_satfinite", Pattern::kBytes}, kKMajor[4],
                             kKMajor[4], "128B"));
  for (const Kernel& kernel :
       {Kernel{"bf16_registers_k", Pattern::kSmallBf16},
        Kernel{"f16_registers_minus_a", Pattern::kSmallF16},
        Kernel{"tf32_registers", Pattern::kSmallTf32},
        Kernel{"e4m3_registers", Pattern::kSmallE4m3},
        Kernel{"s8_registers", Pattern::kBytes}}) {
    cases->push_back(WgmmaCase(kernel, kKMajor[4], kKMajor[4], "128B"));
    cases->push_back(WgmmaCase(kernel, kKMajor[4], kKMajor[0], "none"));
  }
  cases->push_back(WgmmaCase({"bf16_registers_n", Pattern::kSmallBf16},
                             kKMajor[4], kMnMajor[4], "128B"));
}

}  // namespace

std::vector<MicroCase> WgmmaCases() {
  std::vector<MicroCase> cases;
  AddSixteenBit(&cases);
  AddStarts(&cases);
  AddOtherTypes(&cases);
  return cases;
}

}  // namespace tiletune::micro
