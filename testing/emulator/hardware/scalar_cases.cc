// Conversions, arithmetic, bit manipulation and atomics.
#include <string>

#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {
namespace {

void Add(std::vector<MicroCase>* cases, const std::string& theme,
         const std::string& prefix, Pattern input, size_t out_bytes,
         std::initializer_list<const char*> kernels) {
  for (const char* kernel : kernels) {
    MicroCase c = Case(theme, prefix + kernel, out_bytes);
    c.input = input;
    cases->push_back(c);
  }
}

}  // namespace

std::vector<MicroCase> ScalarCases() {
  std::vector<MicroCase> cases;
  Add(&cases, "convert", "cvt_", Pattern::kEdgeF32, 2048,
      {"rn_bf16",        "rz_bf16",        "rn_relu_bf16", "rn_f16",
       "rz_f16",         "rm_f16",         "rp_f16",       "rn_ftz_f16",
       "rn_sat_f16",     "rz_relu_f16",    "rna_tf32",     "rn_tf32",
       "rz_tf32",        "rn_relu_tf32",   "rni_f32",      "rzi_f32",
       "rmi_f32",        "rpi_f32",        "rni_s32",      "rzi_s32",
       "rmi_s32",        "rpi_u32",        "rzi_u16",      "rzi_s16",
       "rzi_ftz_sat_s8", "rzi_u8",         "sat_f32",      "rn_bf16x2",
       "rz_bf16x2",      "rn_relu_bf16x2", "rn_f16x2",     "rz_f16x2",
       "rn_relu_f16x2",  "e4m3x2",         "e5m2x2",       "e4m3x2_relu",
       "e5m2x2_relu"});
  Add(&cases, "convert", "cvt_", Pattern::kEdgeF16, 2048,
      {"e4m3x2_f16x2", "e5m2x2_f16x2", "f32_f16", "f32_bf16"});
  Add(&cases, "convert", "cvt_", Pattern::kZero, 1024,
      {"f16x2_e4m3x2", "f16x2_e5m2x2", "f16x2_e4m3x2_relu"});
  Add(&cases, "convert_integer", "cvt_", Pattern::kEdgeInteger, 2048,
      {"rn_f32_s32", "rz_f32_s32", "rm_f32_u32", "rp_f32_u32", "rn_f32_u8",
       "rn_f32_s8", "s8_s32", "u8_s32", "sat_s8_s32", "sat_u8_s32",
       "sat_u8_u32", "sat_u32_s32", "sat_s32_u32", "rn_f32_s64", "rz_f32_u64",
       "rn_f64_s64"});
  Add(&cases, "convert_integer", "cvt_", Pattern::kEdgeF32, 2048,
      {"rzi_s64_f32", "rni_u64_f32", "f64_f32"});
  Add(&cases, "convert_integer", "cvt_", Pattern::kEdgeF64, 1024,
      {"rzi_s32_f64", "rn_f32_f64"});
  Add(&cases, "convert_integer", "", Pattern::kEdgeInteger, 4096, {"cvt_pack"});
  Add(&cases, "half", "", Pattern::kEdgeF16, 2048,
      {"add_f16x2", "sub_f16x2", "mul_f16x2", "min_f16x2", "max_f16x2",
       "max_nan_f16x2", "fma_f16x2", "fma_relu_f16x2"});
  Add(&cases, "half", "", Pattern::kEdgeBf16, 2048,
      {"add_bf16x2", "mul_bf16x2", "min_bf16x2", "max_nan_bf16x2", "fma_bf16x2",
       "fma_relu_bf16x2"});
  Add(&cases, "half", "", Pattern::kEdgeF32, 2048,
      {"add_f32", "add_rz_f32", "add_rm_ftz_f32", "mul_f32", "mul_sat_f32",
       "mul_rp_f32", "div_f32", "min_f32", "max_ftz_f32", "min_nan_f32",
       "max_xorsign_abs_f32", "fma_f32", "fma_rz_f32", "fma_ftz_f32"});
  Add(&cases, "bits", "", Pattern::kBytes, 8 * 4 * 128, {"bit_fields"});
  Add(&cases, "bits", "", Pattern::kBytes, 44 * 128, {"bit_counts"});
  Add(&cases, "bits", "", Pattern::kBytes, 7 * 128, {"prmt_all_modes"});
  Add(&cases, "bits", "", Pattern::kBytes, 9 * 128, {"shift_funnel"});
  Add(&cases, "bits", "", Pattern::kBytes, 11 * 128, {"lop3_tables"});
  Add(&cases, "bits", "", Pattern::kEdgeInteger, 13 * 128,
      {"integer_arithmetic"});
  for (const char* kernel : {"atomics_global", "atomics_float"}) {
    MicroCase c = Case("atomics", kernel, 64);
    c.grid = {3, 1, 1};
    c.block = {64, 1, 1};
    c.before = kernel == std::string("atomics_float") ? Pattern::kZero
                                                      : Pattern::kBytes;
    cases.push_back(c);
  }
  MicroCase shared = Case("atomics", "atomics_shared", 64 + 64 * 4);
  shared.block = {64, 1, 1};
  cases.push_back(shared);
  return cases;
}

}  // namespace tiletune::micro
