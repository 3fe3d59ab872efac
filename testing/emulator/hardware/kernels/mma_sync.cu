// mma.sync: a warp's fragments straight from `in`, D to `out`. The values are
// small integers, so every sum is exact.
//
// Lane t takes A from words 4 t, B from words 128 + 2 t, C from 256 + 4 t.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

// C is the same small integers in the accumulator's type.
__device__ uint32_t Small(uint32_t word) { return (word >> 8) % 17; }

}  // namespace

// D and C in four 32-bit registers.
#define MMA_KERNEL(name, instruction, c_value, a_list, b_list, ...)            \
  MICRO_KERNEL(mma_##name) {                                                   \
    const uint32_t* a = Words(in) + threadIdx.x * 4;                           \
    const uint32_t* b = Words(in) + 128 + threadIdx.x * 2;                     \
    uint32_t d[4];                                                             \
    for (int i = 0; i < 4; ++i) {                                              \
      const uint32_t c = Small(Words(in)[256 + threadIdx.x * 4 + i]);          \
      d[i] = c_value;                                                          \
    }                                                                          \
    asm volatile("mma.sync.aligned." instruction " {%0, %1, %2, %3}, {" a_list \
                 "}, {" b_list "}, {%0, %1, %2, %3};"                          \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])              \
                 : __VA_ARGS__);                                               \
    for (int i = 0; i < 4; ++i) Words(out)[threadIdx.x * 4 + i] = d[i];        \
  }

#define AS_FLOAT __float_as_uint(static_cast<float>(c) - 8.0f)
#define AS_INT c - 8

#define A2 "r"(a[0]), "r"(a[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])

#define MMA_KERNEL_42(name, instruction, c_value)                        \
  MMA_KERNEL(name, instruction, c_value, "%4, %5, %6, %7", "%8, %9", A4, \
             "r"(b[0]), "r"(b[1]))
#define MMA_KERNEL_21(name, instruction, c_value) \
  MMA_KERNEL(name, instruction, c_value, "%4, %5", "%6", A2, "r"(b[0]))

MMA_KERNEL_42(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32", AS_FLOAT)
MMA_KERNEL_21(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32", AS_FLOAT)
MMA_KERNEL_42(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32", AS_FLOAT)
MMA_KERNEL_21(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32", AS_FLOAT)
MMA_KERNEL_42(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32", AS_FLOAT)
MMA_KERNEL_21(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32", AS_FLOAT)
MMA_KERNEL_42(e4m3_k32, "m16n8k32.row.col.f32.e4m3.e4m3.f32", AS_FLOAT)
MMA_KERNEL_42(e5m2_k32, "m16n8k32.row.col.f32.e5m2.e5m2.f32", AS_FLOAT)
MMA_KERNEL_42(e4m3_e5m2_k32, "m16n8k32.row.col.f32.e4m3.e5m2.f32", AS_FLOAT)
MMA_KERNEL_42(s8_k32, "m16n8k32.row.col.s32.s8.s8.s32", AS_INT)
MMA_KERNEL_42(u8_s8_k32, "m16n8k32.row.col.s32.u8.s8.s32", AS_INT)
MMA_KERNEL_21(s8_k16, "m16n8k16.row.col.s32.s8.s8.s32", AS_INT)
MMA_KERNEL_42(s8_saturating, "m16n8k32.row.col.satfinite.s32.s8.s8.s32",
              0x7FFFFFF0 + c)

// D and C as packed f16.
MICRO_KERNEL(mma_f16_packed) {
  const uint32_t* a = Words(in) + threadIdx.x * 4;
  const uint32_t* b = Words(in) + 128 + threadIdx.x * 2;
  uint32_t d[2] = {a[0], a[3]};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1},"
      " {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 2; ++i) Words(out)[threadIdx.x * 2 + i] = d[i];
}

}  // namespace tiletune::micro
