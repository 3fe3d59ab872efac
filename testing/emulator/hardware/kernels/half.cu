// Packed and scalar arithmetic on f16, bf16 and f32, at the edges of the
// formats.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

constexpr int kPatterns = 512;

}  // namespace

// Neighbouring patterns of `in` as operands.
#define PACKED_KERNEL(name, instruction)                        \
  MICRO_KERNEL(name) {                                          \
    for (int i = threadIdx.x; i < kPatterns; i += blockDim.x) { \
      uint32_t d;                                               \
      asm volatile(instruction " %0, %1, %2;"                   \
                   : "=r"(d)                                    \
                   : "r"(Words(in)[i]), "r"(Words(in)[i + 1])); \
      Words(out)[i] = d;                                        \
    }                                                           \
  }
#define PACKED_FMA_KERNEL(name, instruction)                    \
  MICRO_KERNEL(name) {                                          \
    for (int i = threadIdx.x; i < kPatterns; i += blockDim.x) { \
      uint32_t d;                                               \
      asm volatile(instruction " %0, %1, %2, %3;"               \
                   : "=r"(d)                                    \
                   : "r"(Words(in)[i]), "r"(Words(in)[i + 1]),  \
                     "r"(Words(in)[i + 2]));                    \
      Words(out)[i] = d;                                        \
    }                                                           \
  }
#define FLOAT_KERNEL(name, instruction)                         \
  MICRO_KERNEL(name) {                                          \
    for (int i = threadIdx.x; i < kPatterns; i += blockDim.x) { \
      float d;                                                  \
      asm volatile(instruction " %0, %1, %2;"                   \
                   : "=f"(d)                                    \
                   : "f"(__uint_as_float(Words(in)[i])),        \
                     "f"(__uint_as_float(Words(in)[i + 1])));   \
      Words(out)[i] = __float_as_uint(d);                       \
    }                                                           \
  }
#define FLOAT_FMA_KERNEL(name, instruction)                     \
  MICRO_KERNEL(name) {                                          \
    for (int i = threadIdx.x; i < kPatterns; i += blockDim.x) { \
      float d;                                                  \
      asm volatile(instruction " %0, %1, %2, %3;"               \
                   : "=f"(d)                                    \
                   : "f"(__uint_as_float(Words(in)[i])),        \
                     "f"(__uint_as_float(Words(in)[i + 1])),    \
                     "f"(__uint_as_float(Words(in)[i + 2])));   \
      Words(out)[i] = __float_as_uint(d);                       \
    }                                                           \
  }

PACKED_KERNEL(add_f16x2, "add.rn.f16x2")
PACKED_KERNEL(sub_f16x2, "sub.rn.f16x2")
PACKED_KERNEL(mul_f16x2, "mul.rn.f16x2")
PACKED_KERNEL(min_f16x2, "min.f16x2")
PACKED_KERNEL(max_f16x2, "max.f16x2")
PACKED_KERNEL(max_nan_f16x2, "max.NaN.f16x2")
PACKED_KERNEL(add_bf16x2, "add.rn.bf16x2")
PACKED_KERNEL(mul_bf16x2, "mul.rn.bf16x2")
PACKED_KERNEL(min_bf16x2, "min.bf16x2")
PACKED_KERNEL(max_nan_bf16x2, "max.NaN.bf16x2")
PACKED_FMA_KERNEL(fma_f16x2, "fma.rn.f16x2")
PACKED_FMA_KERNEL(fma_relu_f16x2, "fma.rn.relu.f16x2")
PACKED_FMA_KERNEL(fma_bf16x2, "fma.rn.bf16x2")
PACKED_FMA_KERNEL(fma_relu_bf16x2, "fma.rn.relu.bf16x2")
FLOAT_KERNEL(add_f32, "add.rn.f32")
FLOAT_KERNEL(add_rz_f32, "add.rz.f32")
FLOAT_KERNEL(add_rm_ftz_f32, "add.rm.ftz.f32")
FLOAT_KERNEL(mul_f32, "mul.rn.f32")
FLOAT_KERNEL(mul_sat_f32, "mul.rn.sat.f32")
FLOAT_KERNEL(mul_rp_f32, "mul.rp.f32")
FLOAT_KERNEL(div_f32, "div.rn.f32")
FLOAT_KERNEL(min_f32, "min.f32")
FLOAT_KERNEL(max_ftz_f32, "max.ftz.f32")
FLOAT_KERNEL(min_nan_f32, "min.NaN.f32")
FLOAT_KERNEL(max_xorsign_abs_f32, "max.xorsign.abs.f32")
FLOAT_FMA_KERNEL(fma_f32, "fma.rn.f32")
FLOAT_FMA_KERNEL(fma_rz_f32, "fma.rz.f32")
FLOAT_FMA_KERNEL(fma_ftz_f32, "fma.rn.ftz.f32")

}  // namespace tiletune::micro
