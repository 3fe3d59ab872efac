// Bit manipulation: every mode, with operands in and out of range.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {

#define SHOW_3(instruction, a, b, c)            \
  {                                             \
    uint32_t d;                                 \
    asm volatile(instruction " %0, %1, %2, %3;" \
                 : "=r"(d)                      \
                 : "r"(a), "r"(b), "r"(c));     \
    *to = d;                                    \
    to += blockDim.x;                           \
  }

MICRO_KERNEL(prmt_all_modes) {
  uint32_t* to = Words(out) + threadIdx.x;
  const uint32_t a = Words(in)[threadIdx.x];
  const uint32_t b = Words(in)[threadIdx.x + 1];
  const uint32_t c = Words(in)[threadIdx.x + 2];
  SHOW_3("prmt.b32", a, b, c)
  SHOW_3("prmt.b32.f4e", a, b, threadIdx.x)
  SHOW_3("prmt.b32.b4e", a, b, threadIdx.x)
  SHOW_3("prmt.b32.rc8", a, b, threadIdx.x)
  SHOW_3("prmt.b32.ecl", a, b, threadIdx.x)
  SHOW_3("prmt.b32.ecr", a, b, threadIdx.x)
  SHOW_3("prmt.b32.rc16", a, b, threadIdx.x)
}

MICRO_KERNEL(shift_funnel) {
  uint32_t* to = Words(out) + threadIdx.x;
  const uint32_t a = Words(in)[threadIdx.x];
  const uint32_t b = Words(in)[threadIdx.x + 1];
  const uint32_t c = threadIdx.x * 2;
  SHOW_3("shf.l.wrap.b32", a, b, c)
  SHOW_3("shf.l.clamp.b32", a, b, c)
  SHOW_3("shf.r.wrap.b32", a, b, c)
  SHOW_3("shf.r.clamp.b32", a, b, c)
  SHOW_3("mad.lo.u32", a, b, c)
  SHOW_3("mad.hi.u32", a, b, c)
  SHOW_3("mad.hi.s32", a, b, c)
  SHOW_3("sad.u32", a, b, c)
  SHOW_3("sad.s32", a, b, c)
}

// Every position and length, 256 among them.
MICRO_KERNEL(bit_fields) {
  uint32_t* to = Words(out) + threadIdx.x;
  const uint32_t a = Words(in)[threadIdx.x];
  const uint32_t b = Words(in)[threadIdx.x + 1];
  for (uint32_t position = 0; position < 40; position += 5) {
    const uint32_t length = (threadIdx.x * 3 + position) % 70;
    SHOW_3("bfe.u32", a, position, length)
    SHOW_3("bfe.s32", a, position, length)
    uint32_t d;
    asm volatile("bfi.b32 %0, %1, %2, %3, %4;"
                 : "=r"(d)
                 : "r"(a), "r"(b), "r"(position), "r"(length));
    *to = d;
    to += blockDim.x;
    uint64_t wide;
    asm volatile("bfe.s64 %0, %1, %2, %3;"
                 : "=l"(wide)
                 : "l"(static_cast<uint64_t>(a) << 32 | b), "r"(position * 2),
                   "r"(length));
    *to = static_cast<uint32_t>(wide ^ wide >> 32);
    to += blockDim.x;
  }
}

MICRO_KERNEL(bit_counts) {
  uint32_t* to = Words(out) + threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    const uint32_t a =
        threadIdx.x == 0 ? 0 - i : Words(in)[threadIdx.x] >> (i * 8);
    uint32_t d;
#define SHOW_1(instruction)                                \
  asm volatile(instruction " %0, %1;" : "=r"(d) : "r"(a)); \
  *to = d;                                                 \
  to += blockDim.x
    SHOW_1("popc.b32");
    SHOW_1("clz.b32");
    SHOW_1("brev.b32");
    SHOW_1("bfind.u32");
    SHOW_1("bfind.s32");
    SHOW_1("bfind.shiftamt.u32");
    SHOW_1("bfind.shiftamt.s32");
    SHOW_1("not.b32");
    SHOW_1("cnot.b32");
    SHOW_1("abs.s32");
    SHOW_1("neg.s32");
#undef SHOW_1
  }
}

#define LOP3(table)                                   \
  asm volatile("lop3.b32 %0, %1, %2, %3, " #table ";" \
               : "=r"(d)                              \
               : "r"(a), "r"(b), "r"(c));             \
  *to = d;                                            \
  to += blockDim.x;
MICRO_KERNEL(lop3_tables) {
  uint32_t* to = Words(out) + threadIdx.x;
  const uint32_t a = Words(in)[threadIdx.x];
  const uint32_t b = Words(in)[threadIdx.x + 1];
  const uint32_t c = Words(in)[threadIdx.x + 2];
  uint32_t d;
  LOP3(0x01)
  LOP3(0x02)
  LOP3(0x04)
  LOP3(0x08)
  LOP3(0x10)
  LOP3(0x20)
  LOP3(0x40)
  LOP3(0x80)
  LOP3(0x96)
  LOP3(0xE8)
  LOP3(0xCA)
}

MICRO_KERNEL(integer_arithmetic) {
  uint32_t* to = Words(out) + threadIdx.x;
  const uint32_t a = Words(in)[threadIdx.x];
  const uint32_t b =
      threadIdx.x == 3 ? 0xFFFFFFFF : Words(in)[threadIdx.x + 1] >> 7 | 1;
  uint32_t d;
#define SHOW_2(instruction)                                            \
  asm volatile(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
  *to = d;                                                             \
  to += blockDim.x
  SHOW_2("add.sat.s32");
  SHOW_2("sub.sat.s32");
  SHOW_2("mul.hi.u32");
  SHOW_2("mul.hi.s32");
  SHOW_2("div.u32");
  SHOW_2("div.s32");
  SHOW_2("rem.u32");
  SHOW_2("rem.s32");
  SHOW_2("min.s32");
  SHOW_2("max.u32");
#undef SHOW_2
  const uint32_t by = threadIdx.x * 2;
#define SHOW_SHIFT(instruction)                                         \
  asm volatile(instruction " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(by)); \
  *to = d;                                                              \
  to += blockDim.x
  SHOW_SHIFT("shl.b32");
  SHOW_SHIFT("shr.u32");
  SHOW_SHIFT("shr.s32");
#undef SHOW_SHIFT
}

}  // namespace tiletune::micro
