// GemmParameters: what a launch of any Blackwell kernel is told at run time.
//
// Use it to fill the one argument of the kernel; plan.cc does. M, N, rows and
// columns are those of the kernel: a swapped kernel computes the transpose of
// the problem's D, so its M is the problem's N. Pointers are device pointers.
//
//   GemmParameters p = {};
//   p.order = *MakeOrder(grid, options);
//   p.instruction = ptx::InstructionDescriptor({...});
//   void* arguments[] = {&p};
//   cudaLaunchKernelExC(&config, entry->function, arguments);
#ifndef TILETUNE_KERNELS_BLACKWELL_PARAMETERS_H_
#define TILETUNE_KERNELS_BLACKWELL_PARAMETERS_H_

#include <cuda.h>

#include <cstdint>

#include "kernels/ptx/element_type.h"
#include "scheduler/order.h"

namespace tiletune::blackwell {

enum class ActivationKind : uint32_t { kNone, kRelu, kGelu, kSilu };
enum class BiasKind : uint32_t { kNone, kPerRow, kPerColumn };

// A matrix the epilogue touches directly: element (row, column) of batch b is
// at base + b * batch_stride + row * row_stride + column * column_stride.
struct MatrixView {
  void* base;
  int64_t row_stride;     // elements
  int64_t column_stride;  // elements; 1 unless the kernel is swapped
  int64_t batch_stride;   // elements
  ElementType type;
  // Sixteen columns from a multiple of 16 are 16-byte aligned vectors.
  uint32_t is_vectorizable;
};

struct EpilogueParameters {
  MatrixView d;
  MatrixView c;  // base null when C is not read
  const void* bias;
  BiasKind bias_kind;
  ElementType bias_type;
  ActivationKind activation;

  float alpha;
  float beta;
  const float* alpha_device;  // overrides alpha unless null
  const float* beta_device;
  // fp32 scales of the kernel's A and B; null for none. One element each, or
  // one per row and per column.
  const float* row_scale;
  const float* column_scale;
  uint32_t scales_are_vectors;
  const float* d_scale;  // one element, or null
  float* amax;           // one element, or null

  uint32_t stores_by_tma;

  // Split-K only: 32-bit partial sums, one ticket counter per epilogue warp of
  // every tile (zero before the launch, zero again after it).
  float* partials;
  uint32_t* tickets;
};

struct GemmParameters {
  CUtensorMap a_map;  // {K, M, batch} or, MN-major, {M, K, batch}
  CUtensorMap b_map;
  CUtensorMap d_map;  // {N, M, batch}; unused unless stores_by_tma
  Order order;        // over cluster tiles
  uint32_t m;
  uint32_t n;
  uint32_t k_tiles;      // stages of K in the problem; 0 when K = 0
  uint32_t instruction;  // ptx::InstructionDescriptor
  uint32_t a_is_k_major;
  uint32_t b_is_k_major;
  uint32_t a_batch_step;  // 0 broadcasts one matrix to all batches, else 1
  uint32_t b_batch_step;
  uint32_t* queue_counter;  // the queue supply's, else null
  EpilogueParameters epilogue;
};

}  // namespace tiletune::blackwell

#endif  // TILETUNE_KERNELS_BLACKWELL_PARAMETERS_H_
