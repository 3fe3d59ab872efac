// wgmma in each type, majorness and several sizes. The descriptors come from
// the table of cases.
#include "testing/emulator/hardware/kernels/wgmma.cuh"

namespace tiletune::micro {

// 16-bit operands: `signs` negate A and B, `transposed` says which are M- or
// N-major.
#define WGMMA_16_KERNEL(name, count, n, type, signs, transposed)       \
  WGMMA_SHARED_KERNEL(name, count, "m64n" #n "k16.f32." type "." type, \
                      ", p, " signs ", " transposed, Float)

WGMMA_16_KERNEL(bf16_kk, 8, 16, "bf16", "1, 1", "0, 0")
WGMMA_16_KERNEL(bf16_mk, 8, 16, "bf16", "1, 1", "1, 0")
WGMMA_16_KERNEL(bf16_kn, 8, 16, "bf16", "1, 1", "0, 1")
WGMMA_16_KERNEL(bf16_mn, 8, 16, "bf16", "1, 1", "1, 1")
WGMMA_16_KERNEL(bf16_minus_a, 8, 16, "bf16", "-1, 1", "0, 0")
WGMMA_16_KERNEL(bf16_minus_b, 8, 16, "bf16", "1, -1", "0, 0")
WGMMA_16_KERNEL(bf16_n8, 4, 8, "bf16", "1, 1", "0, 0")
WGMMA_16_KERNEL(bf16_n24, 12, 24, "bf16", "1, 1", "0, 0")
WGMMA_16_KERNEL(bf16_n64_kn, 32, 64, "bf16", "1, 1", "0, 1")
WGMMA_16_KERNEL(bf16_n256_kk, 128, 256, "bf16", "1, 1", "0, 0")
WGMMA_16_KERNEL(bf16_n256_kn, 128, 256, "bf16", "1, 1", "0, 1")
WGMMA_16_KERNEL(f16_kk, 8, 16, "f16", "1, 1", "0, 0")
WGMMA_16_KERNEL(f16_mn, 8, 16, "f16", "1, 1", "1, 1")
WGMMA_SHARED_KERNEL(f16_into_f16, 4, "m64n16k16.f16.f16.f16", ", p, 1, 1, 0, 0",
                    Halves)

// 8-bit and tf32 operands are K-major only.
#define WGMMA_K_MAJOR_KERNEL(name, shape_and_types, signs) \
  WGMMA_SHARED_KERNEL(name, 8, "m64n16" shape_and_types, ", p, " signs, Float)
#define WGMMA_INTEGER_KERNEL(name, types) \
  WGMMA_SHARED_KERNEL(name, 8, "m64n16k32.s32." types, ", p", Int)

WGMMA_K_MAJOR_KERNEL(e4m3, "k32.f32.e4m3.e4m3", "1, 1")
WGMMA_K_MAJOR_KERNEL(e5m2, "k32.f32.e5m2.e5m2", "1, 1")
WGMMA_K_MAJOR_KERNEL(e4m3_e5m2, "k32.f32.e4m3.e5m2", "1, 1")
WGMMA_K_MAJOR_KERNEL(tf32, "k8.f32.tf32.tf32", "1, 1")
WGMMA_K_MAJOR_KERNEL(tf32_minus_b, "k8.f32.tf32.tf32", "1, -1")
WGMMA_SHARED_KERNEL(e5m2_into_f16, 4, "m64n16k32.f16.e5m2.e4m3", ", p, 1, 1",
                    Halves)
WGMMA_INTEGER_KERNEL(s8, "s8.s8")
WGMMA_INTEGER_KERNEL(u8, "u8.u8")
WGMMA_INTEGER_KERNEL(s8_u8, "s8.u8")
WGMMA_INTEGER_KERNEL(s8_satfinite, "s8.s8.satfinite")

WGMMA_REGISTER_KERNEL(bf16_registers_k, 8, "m64n16k16.f32.bf16.bf16",
                      ", p, 1, 1, 0", Float)
WGMMA_REGISTER_KERNEL(bf16_registers_n, 8, "m64n16k16.f32.bf16.bf16",
                      ", p, 1, 1, 1", Float)
WGMMA_REGISTER_KERNEL(f16_registers_minus_a, 8, "m64n16k16.f32.f16.f16",
                      ", p, -1, 1, 0", Float)
WGMMA_REGISTER_KERNEL(tf32_registers, 8, "m64n16k8.f32.tf32.tf32", ", p, 1, 1",
                      Float)
WGMMA_REGISTER_KERNEL(e4m3_registers, 8, "m64n16k32.f32.e4m3.e4m3", ", p, 1, 1",
                      Float)
WGMMA_REGISTER_KERNEL(s8_registers, 8, "m64n16k32.s32.s8.s8", ", p", Int)

// Four instructions along K in one group, as a mainloop issues them.
MICRO_KERNEL(wgmma_bf16_mainloop) {
  extern __shared__ __align__(1024) uint8_t shared[];
  uint32_t d[8];
  StartWgmma<8, Float>(shared, in, d);
  const uint64_t a = Descriptor(Shared(shared) + p.v[0], p.v + 2);
  const uint64_t b = Descriptor(Shared(shared) + p.v[1], p.v + 6);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    asm volatile(WGMMA_TEXT_SS("m64n16k16.f32.bf16.bf16", R8, ", p, 1, 1, 0, 0",
                               "%8", "%9", "%10")
                 : D8(0)
                 : "l"(a + 2 * k), "l"(b + 2 * k), "r"(k > 0 ? 1 : p.v[10])
                 : "memory");
  }
  FinishWgmma(out, d);
}

}  // namespace tiletune::micro
