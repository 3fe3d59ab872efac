// The two descriptors of tcgen05.mma, as plain numbers.
//
// Use it on the host to build the instruction descriptor of a launch, and in
// kernels to describe operands in shared memory. Host and device, any target.
//
//   uint32_t instruction = ptx::InstructionDescriptor(
//       {/*m=*/128, /*n=*/256, ptx::kUmmaBf16, ptx::kUmmaBf16});
//   uint64_t a = ptx::SharedMemoryDescriptor(
//       ptx::cvta_to_shared(tile), /*leading_bytes=*/0, /*stride_bytes=*/1024,
//       ptx::UmmaSwizzle::k128Bytes);
#ifndef TILETUNE_KERNELS_PTX_UMMA_DESCRIPTOR_H_
#define TILETUNE_KERNELS_PTX_UMMA_DESCRIPTOR_H_

#include <cstdint>

#include "scheduler/host_device.h"

namespace tiletune::ptx {

// Element codes of A and B. The 16-bit codes belong to kind::f16, the 8-bit
// ones to kind::f8f6f4. PTX ISA Table 42.
inline constexpr uint32_t kUmmaFp16 = 0;
inline constexpr uint32_t kUmmaBf16 = 1;
inline constexpr uint32_t kUmmaE4m3 = 0;
inline constexpr uint32_t kUmmaE5m2 = 1;

// What an MMA instruction computes: D[m x n] in fp32.
struct UmmaInstruction {
  uint32_t m;  // 64, 128 or 256: rows of the whole MMA, of both CTAs
  uint32_t n;  // 16 to 256
  uint32_t a_type;
  uint32_t b_type;
  bool a_is_mn_major = false;  // M contiguous in shared memory, instead of K
  bool b_is_mn_major = false;  // N contiguous in shared memory, instead of K
};

// The 32-bit instruction descriptor of kind::f16 and kind::f8f6f4, dense, with
// fp32 accumulators. PTX ISA Table 42.
TILETUNE_HD constexpr uint32_t InstructionDescriptor(const UmmaInstruction& i) {
  constexpr uint32_t kAccumulateFp32 = 1;
  return kAccumulateFp32 << 4 | i.a_type << 7 | i.b_type << 10 |
         static_cast<uint32_t>(i.a_is_mn_major) << 15 |
         static_cast<uint32_t>(i.b_is_mn_major) << 16 | (i.n >> 3) << 17 |
         (i.m >> 4) << 24;
}

// The swizzle codes of the shared-memory descriptor (not those of a tensor
// map). PTX ISA Table 40.
enum class UmmaSwizzle : uint64_t {
  kNone = 0,
  k128Bytes = 2,
  k64Bytes = 4,
  k32Bytes = 6,
};

// The swizzle whose span is `bytes`: 32, 64 or 128.
TILETUNE_HD constexpr UmmaSwizzle SwizzleOfSpan(uint32_t bytes) {
  return bytes == 128  ? UmmaSwizzle::k128Bytes
         : bytes == 64 ? UmmaSwizzle::k64Bytes
         : bytes == 32 ? UmmaSwizzle::k32Bytes
                       : UmmaSwizzle::kNone;
}

// The 64-bit descriptor of an operand tile at shared address `address` whose
// swizzle pattern starts on its natural boundary (8 x span bytes). Offsets in
// bytes, multiples of 16; what they separate depends on majorness:
//   K-major, swizzled:   stride: 8 rows apart; leading: unused
//   MN-major, swizzled:  stride: 8 k apart;    leading: one span further in MN
// PTX ISA Table 40 and 9.7.16.3.3.
TILETUNE_HD constexpr uint64_t SharedMemoryDescriptor(uint32_t address,
                                                      uint32_t leading_bytes,
                                                      uint32_t stride_bytes,
                                                      UmmaSwizzle swizzle) {
  constexpr uint64_t kVersion = 1;  // bits 46-48 are 0b001 on sm_100
  return static_cast<uint64_t>((address & 0x3ffff) >> 4) |
         static_cast<uint64_t>((leading_bytes & 0x3ffff) >> 4) << 16 |
         static_cast<uint64_t>((stride_bytes & 0x3ffff) >> 4) << 32 |
         kVersion << 46 | static_cast<uint64_t>(swizzle) << 61;
}

// The same descriptor, `bytes` further on: the next K step of an MMA. Valid
// while the address stays within the 256 KiB that 14 bits can name: the upper
// word never changes.
TILETUNE_HD constexpr uint64_t AdvanceDescriptor(uint64_t descriptor,
                                                 uint32_t bytes) {
  return descriptor + (bytes >> 4);
}

}  // namespace tiletune::ptx

#endif  // TILETUNE_KERNELS_PTX_UMMA_DESCRIPTOR_H_
