// cvt from integers, between integers, and to and from 64 bits.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

#define INTEGER_TO_FLOAT_KERNEL(name, instruction)        \
  MICRO_KERNEL(cvt_##name) {                              \
    for (int i = threadIdx.x; i < 512; i += blockDim.x) { \
      float d;                                            \
      asm volatile("cvt." instruction " %0, %1;"          \
                   : "=f"(d)                              \
                   : "r"(Words(in)[i]));                  \
      Words(out)[i] = __float_as_uint(d);                 \
    }                                                     \
  }

INTEGER_TO_FLOAT_KERNEL(rn_f32_s32, "rn.f32.s32")
INTEGER_TO_FLOAT_KERNEL(rz_f32_s32, "rz.f32.s32")
INTEGER_TO_FLOAT_KERNEL(rm_f32_u32, "rm.f32.u32")
INTEGER_TO_FLOAT_KERNEL(rp_f32_u32, "rp.f32.u32")
INTEGER_TO_FLOAT_KERNEL(rn_f32_u8, "rn.f32.u8")
INTEGER_TO_FLOAT_KERNEL(rn_f32_s8, "rn.f32.s8")

#define INTEGER_KERNEL(name, instruction)                 \
  MICRO_KERNEL(cvt_##name) {                              \
    for (int i = threadIdx.x; i < 512; i += blockDim.x) { \
      uint32_t d;                                         \
      asm volatile("cvt." instruction " %0, %1;"          \
                   : "=r"(d)                              \
                   : "r"(Words(in)[i]));                  \
      Words(out)[i] = d;                                  \
    }                                                     \
  }

INTEGER_KERNEL(s8_s32, "s8.s32")
INTEGER_KERNEL(u8_s32, "u8.s32")
INTEGER_KERNEL(sat_s8_s32, "sat.s8.s32")
INTEGER_KERNEL(sat_u8_s32, "sat.u8.s32")
INTEGER_KERNEL(sat_u8_u32, "sat.u8.u32")
INTEGER_KERNEL(sat_u32_s32, "sat.u32.s32")
INTEGER_KERNEL(sat_s32_u32, "sat.s32.u32")

// Pairs of words as one 64-bit value.
#define WIDE_KERNEL(name, instruction, d_type, d_constraint, s_type, \
                    s_constraint)                                    \
  MICRO_KERNEL(cvt_##name) {                                         \
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {            \
      const s_type s = reinterpret_cast<const s_type*>(in)[i];       \
      d_type d;                                                      \
      asm volatile("cvt." instruction " %0, %1;"                     \
                   : "=" d_constraint(d)                             \
                   : s_constraint(s));                               \
      reinterpret_cast<d_type*>(out)[i] = d;                         \
    }                                                                \
  }

WIDE_KERNEL(rn_f32_s64, "rn.f32.s64", float, "f", int64_t, "l")
WIDE_KERNEL(rz_f32_u64, "rz.f32.u64", float, "f", uint64_t, "l")
WIDE_KERNEL(rn_f64_s64, "rn.f64.s64", double, "d", int64_t, "l")
WIDE_KERNEL(rzi_s64_f32, "rzi.s64.f32", int64_t, "l", float, "f")
WIDE_KERNEL(rni_u64_f32, "rni.u64.f32", uint64_t, "l", float, "f")
WIDE_KERNEL(rzi_s32_f64, "rzi.s32.f64", int32_t, "r", double, "d")
WIDE_KERNEL(rn_f32_f64, "rn.f32.f64", float, "f", double, "d")
WIDE_KERNEL(f64_f32, "f64.f32", double, "d", float, "f")

// cvt.pack: two saturated integers above what was there.
MICRO_KERNEL(cvt_pack) {
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    const uint32_t a = Words(in)[i];
    const uint32_t b = Words(in)[i + 1];
    const uint32_t c = Words(in)[i + 2];
    uint32_t d[4];
    asm volatile("cvt.pack.sat.s16.s32 %0, %1, %2;"
                 : "=r"(d[0])
                 : "r"(a), "r"(b));
    asm volatile("cvt.pack.sat.u16.s32 %0, %1, %2;"
                 : "=r"(d[1])
                 : "r"(a), "r"(b));
    asm volatile("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
                 : "=r"(d[2])
                 : "r"(a), "r"(b), "r"(c));
    asm volatile("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;"
                 : "=r"(d[3])
                 : "r"(a), "r"(b), "r"(c));
    for (int j = 0; j < 4; ++j) Words(out)[i * 4 + j] = d[j];
  }
}

}  // namespace tiletune::micro
