// cvt between floating formats: one result a word, from bit patterns in `in`.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

constexpr int kPatterns = 512;

}  // namespace

// out[i] = cvt(operands of i), for `count` values of i. `constraint` and `type`
// are those of the result; what follows are the text of the operands and their
// constraints.
#define CONVERT_KERNEL(name, count, instruction, constraint, type, text, ...) \
  MICRO_KERNEL(cvt_##name) {                                                  \
    for (int i = threadIdx.x; i < count; i += blockDim.x) {                   \
      type d;                                                                 \
      asm volatile("cvt." instruction " %0, " text ";"                        \
                   : "=" constraint(d)                                        \
                   : __VA_ARGS__);                                            \
      Words(out)[i] = static_cast<uint32_t>(d);                               \
    }                                                                         \
  }

// d = cvt(a): f32 patterns to one register.
#define CONVERT_F32_KERNEL(name, instruction, constraint, type)        \
  CONVERT_KERNEL(name, kPatterns, instruction, constraint, type, "%1", \
                 "f"(__uint_as_float(Words(in)[i])))

CONVERT_F32_KERNEL(rn_bf16, "rn.bf16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rz_bf16, "rz.bf16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rn_relu_bf16, "rn.relu.bf16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rn_f16, "rn.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rz_f16, "rz.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rm_f16, "rm.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rp_f16, "rp.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rn_ftz_f16, "rn.ftz.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rn_sat_f16, "rn.sat.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rz_relu_f16, "rz.relu.f16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rna_tf32, "rna.tf32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rn_tf32, "rn.tf32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rz_tf32, "rz.tf32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rn_relu_tf32, "rn.relu.tf32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rni_f32, "rni.f32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rzi_f32, "rzi.f32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rmi_f32, "rmi.f32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rpi_f32, "rpi.f32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rni_s32, "rni.s32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rzi_s32, "rzi.s32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rmi_s32, "rmi.s32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rpi_u32, "rpi.u32.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rzi_u16, "rzi.u16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rzi_s16, "rzi.s16.f32", "h", uint16_t)
CONVERT_F32_KERNEL(rzi_ftz_sat_s8, "rzi.ftz.sat.s8.f32", "r", uint32_t)
CONVERT_F32_KERNEL(rzi_u8, "rzi.u8.f32", "r", uint32_t)
CONVERT_F32_KERNEL(sat_f32, "sat.f32.f32", "r", uint32_t)

// d = cvt(a, b): neighbouring f32 patterns to one packed register.
#define CONVERT_PAIR_KERNEL(name, instruction, constraint, type)           \
  CONVERT_KERNEL(name, kPatterns, instruction, constraint, type, "%1, %2", \
                 "f"(__uint_as_float(Words(in)[i])),                       \
                 "f"(__uint_as_float(Words(in)[(i + 1) % kPatterns])))

CONVERT_PAIR_KERNEL(rn_bf16x2, "rn.bf16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(rz_bf16x2, "rz.bf16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(rn_relu_bf16x2, "rn.relu.bf16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(rn_f16x2, "rn.f16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(rz_f16x2, "rz.f16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(rn_relu_f16x2, "rn.relu.f16x2.f32", "r", uint32_t)
CONVERT_PAIR_KERNEL(e4m3x2, "rn.satfinite.e4m3x2.f32", "h", uint16_t)
CONVERT_PAIR_KERNEL(e5m2x2, "rn.satfinite.e5m2x2.f32", "h", uint16_t)
CONVERT_PAIR_KERNEL(e4m3x2_relu, "rn.satfinite.relu.e4m3x2.f32", "h", uint16_t)
CONVERT_PAIR_KERNEL(e5m2x2_relu, "rn.satfinite.relu.e5m2x2.f32", "h", uint16_t)

// Packed halves to packed bytes and back; every byte value appears.
#define CONVERT_FROM_16_KERNEL(name, instruction)                   \
  CONVERT_KERNEL(name, kPatterns, instruction, "h", uint16_t, "%1", \
                 "r"(Words(in)[i]))

CONVERT_FROM_16_KERNEL(e4m3x2_f16x2, "rn.satfinite.e4m3x2.f16x2")
CONVERT_FROM_16_KERNEL(e5m2x2_f16x2, "rn.satfinite.e5m2x2.f16x2")

#define CONVERT_FROM_8_KERNEL(name, instruction)              \
  CONVERT_KERNEL(name, 256, instruction, "r", uint32_t, "%1", \
                 "h"(static_cast<uint16_t>(i | (255 - i) << 8)))

CONVERT_FROM_8_KERNEL(f16x2_e4m3x2, "rn.f16x2.e4m3x2")
CONVERT_FROM_8_KERNEL(f16x2_e5m2x2, "rn.f16x2.e5m2x2")
CONVERT_FROM_8_KERNEL(f16x2_e4m3x2_relu, "rn.relu.f16x2.e4m3x2")

// Halves up: all 65536 patterns, hashed per 128 so that the log stays small.
#define CONVERT_UP_KERNEL(name, instruction)                     \
  MICRO_KERNEL(cvt_##name) {                                     \
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {        \
      uint32_t hash = 0;                                         \
      for (int j = 0; j < 128; ++j) {                            \
        float d;                                                 \
        asm volatile("cvt." instruction " %0, %1;"               \
                     : "=f"(d)                                   \
                     : "h"(static_cast<uint16_t>(i * 128 + j))); \
        hash = (hash ^ __float_as_uint(d)) * 16777619u;          \
      }                                                          \
      Words(out)[i] = hash;                                      \
    }                                                            \
  }

CONVERT_UP_KERNEL(f32_f16, "f32.f16")
CONVERT_UP_KERNEL(f32_bf16, "f32.bf16")

}  // namespace tiletune::micro
