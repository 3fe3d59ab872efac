// ldmatrix and stmatrix: which bytes each lane gets or writes, when the row
// addresses come in any order.
#include "testing/emulator/hardware/kernels/micro.cuh"

namespace tiletune::micro {
namespace {

// A permutation of the rows that is not the identity.
__device__ uint32_t Row(uint32_t lane) { return (lane * 5 + 3) % 32; }

__device__ void FillRows(uint8_t* rows, const uint8_t* in) {
  CopyWords(Words(rows), Words(in), 128);
  __syncthreads();
}

}  // namespace

#define LDMATRIX_BODY()                     \
  __shared__ alignas(16) uint8_t rows[512]; \
  FillRows(rows, in);                       \
  uint32_t r[4] = {0, 0, 0, 0};             \
  const uint32_t address = Shared(rows) + Row(threadIdx.x) * 16

MICRO_KERNEL(ldmatrix_x1) {
  LDMATRIX_BODY();
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(address)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r[1])
               : "r"(address)
               : "memory");
  for (int i = 0; i < 2; ++i) Words(out)[threadIdx.x * 2 + i] = r[i];
}

#define LDMATRIX_KERNELS(suffix, trans)                                 \
  MICRO_KERNEL(ldmatrix_x2##suffix) {                                   \
    LDMATRIX_BODY();                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans                  \
                 ".shared.b16 {%0, %1}, [%2];"                          \
                 : "=r"(r[0]), "=r"(r[1])                               \
                 : "r"(address)                                         \
                 : "memory");                                           \
    for (int i = 0; i < 2; ++i) Words(out)[threadIdx.x * 2 + i] = r[i]; \
  }                                                                     \
  MICRO_KERNEL(ldmatrix_x4##suffix) {                                   \
    LDMATRIX_BODY();                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans                  \
                 ".shared.b16 {%0, %1, %2, %3}, [%4];"                  \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])       \
                 : "r"(address)                                         \
                 : "memory");                                           \
    for (int i = 0; i < 4; ++i) Words(out)[threadIdx.x * 4 + i] = r[i]; \
  }

LDMATRIX_KERNELS(, "")
LDMATRIX_KERNELS(_trans, ".trans")

#define STMATRIX_KERNEL(name, instruction, registers, ...)         \
  MICRO_KERNEL(stmatrix_##name) {                                  \
    __shared__ alignas(16) uint8_t rows[512];                      \
    FillWords(Words(rows), 0, 128);                                \
    __syncthreads();                                               \
    const uint32_t* r = Words(in) + threadIdx.x * 4;               \
    asm volatile("stmatrix.sync.aligned.m8n8." instruction         \
                 ".shared.b16 [%0], {" registers                   \
                 "};" ::"r"(Shared(rows) + Row(threadIdx.x) * 16), \
                 __VA_ARGS__                                       \
                 : "memory");                                      \
    __syncthreads();                                               \
    CopyWords(Words(out), Words(rows), 128);                       \
  }

STMATRIX_KERNEL(x1, "x1", "%1", "r"(r[0]))
STMATRIX_KERNEL(x2, "x2", "%1, %2", "r"(r[0]), "r"(r[1]))
STMATRIX_KERNEL(x4, "x4", "%1, %2, %3, %4", "r"(r[0]), "r"(r[1]), "r"(r[2]),
                "r"(r[3]))
STMATRIX_KERNEL(x1_trans, "x1.trans", "%1", "r"(r[0]))
STMATRIX_KERNEL(x2_trans, "x2.trans", "%1, %2", "r"(r[0]), "r"(r[1]))
STMATRIX_KERNEL(x4_trans, "x4.trans", "%1, %2, %3, %4", "r"(r[0]), "r"(r[1]),
                "r"(r[2]), "r"(r[3]))

}  // namespace tiletune::micro
