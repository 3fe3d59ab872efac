// What a Hopper GEMM kernel is told at launch: one struct, passed by value.
//
// The launcher fills it, the kernel's roles read it. No CUDA runtime, no
// Abseil. Inside the kernel, "A" is the operand whose rows are the rows of the
// wgmma tile and "B" the one whose rows are its columns: the problem's own A
// and B^T, or, in variants that swap operands, B^T and A.
//
//   GemmParams params = {};
//   params.work = MakeWorkList(order, k_tiles, split_k, workers);
//   void* arguments[] = {&params};   // for cudaLaunchKernelExC
#ifndef TILETUNE_KERNELS_HOPPER_GEMM_PARAMS_H_
#define TILETUNE_KERNELS_HOPPER_GEMM_PARAMS_H_

#include <cuda.h>

#include <cstdint>

#include "kernels/hopper/work_list.h"

namespace tiletune::hopper {

// Element types, as kernels/problem.h numbers them.
enum class ElementType : uint32_t { kBf16, kFp16, kFp32, kE4m3, kE5m2 };

enum class ActivationKind : uint32_t { kNone, kRelu, kGelu, kSilu };

enum class BiasKind : uint32_t { kNone, kPerRow, kPerColumn };

// D = activation(alpha * scale_a * scale_b * sum + beta * C + bias), with all
// indices those of the problem's M x N matrix D.
struct EpilogueParams {
  int32_t m;
  int32_t n;
  const void* c;  // nullptr: not read
  void* d;
  const void* bias;  // of d_type
  int64_t ldc;       // elements, as the strides
  int64_t ldd;
  int64_t batch_stride_c;
  int64_t batch_stride_d;
  float alpha;
  float beta;
  const float* alpha_device;  // instead of alpha, unless nullptr
  const float* beta_device;
  const float* scale_a;  // fp32, one element or one per row (column) of D
  const float* scale_b;
  ElementType c_type;
  ElementType d_type;
  ActivationKind activation;
  BiasKind bias_kind;
  bool scale_per_row_column;
  // D goes out through d_map: 16-bit elements, alpha alone.
  bool tma_store;
  // Four consecutive elements may be read (C) or written (D) at once.
  bool vector_c;
  bool vector_d;
};

// Scales per block of 128, as kernels/scale_layout.h has them: that of row m of
// A and block k of K at a[k * a_stride + m], that of block n of the columns of
// B at b[n * b_stride + k].
struct BlockScaleParams {
  const float* a;
  const float* b;
  int64_t a_batch;  // elements to the next batch; 0 for a broadcast operand
  int64_t b_batch;
  int64_t a_stride;
  int64_t b_stride;
  uint32_t k_blocks;
};

struct GemmParams {
  // Boxes as GemmShape says; unused when K is 0 (A, B) or without
  // tma_store (D).
  CUtensorMap a_map;
  CUtensorMap b_map;
  CUtensorMap d_map;

  WorkList work;     // over cluster tiles
  uint32_t a_batch;  // what one batch adds to the map's third coordinate: 1,
  uint32_t b_batch;  // or 0 for a broadcast operand
  ElementType a_type;
  ElementType b_type;
  bool a_is_k_major;
  bool b_is_k_major;

  // Counters are zero at launch and zero again at its end.
  uint32_t* queue_counter;  // queue supply only
  // Split-K: one fp32 slot per slice of every split tile, and a word per tile
  // and warpgroup (split_meeting.cuh).
  float* partials;
  uint32_t* tickets;
  // Of 256 bytes: how many the slots are; how many from partials on are zero,
  // in device memory, and beside it a counter.
  uint32_t partial_blocks;
  uint32_t* clean;

  EpilogueParams epilogue;

  BlockScaleParams block_scales;  // block-scaled kernels only
};

// What kernels take whose rows of A may start at any element: a_map is unused.
struct ShiftedRowsParams : GemmParams {
  // Every eighth row, from row j on: see shifted_rows.cuh.
  CUtensorMap a_rows[8];
  // The row after begins so many elements (modulo 8) after a multiple of 16
  // bytes, if this one begins at one.
  uint32_t a_row_shift;
  // A was written before this grid could start, see repack.h: it is loaded
  // before griddepcontrol.wait.
  bool a_is_ready;
};

}  // namespace tiletune::hopper

#endif  // TILETUNE_KERNELS_HOPPER_GEMM_PARAMS_H_
