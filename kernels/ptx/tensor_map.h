// Host side of TMA: describes a tensor in global memory and the box of it that
// one TMA instruction moves; and what a problem's data types are to a kernel.
//
// Use it in a launcher; the map travels as a `const __grid_constant__
// CUtensorMap` kernel parameter. Needs the CUDA runtime but no link against
// libcuda: the driver's encoder is looked up by name.
//
//   TensorMapSpec spec;                       // a K-contiguous M x K matrix
//   spec.address = a; spec.type = TensorMapTypeOf(problem.a_type);
//   spec.extents = {k, m, batch}; spec.strides = {2 * lda, 2 * batch_stride};
//   spec.box = {64, 128, 1}; spec.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
//   absl::StatusOr<CUtensorMap> map = EncodeTensorMap(spec);
//
// and again for the same matrix elsewhere, TensorMap below.
#ifndef TILETUNE_KERNELS_PTX_TENSOR_MAP_H_
#define TILETUNE_KERNELS_PTX_TENSOR_MAP_H_

#include <cuda.h>

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernels/problem.h"
#include "kernels/ptx/element_type.h"

namespace tiletune {

// A rank-3 tensor, innermost dimension first. Limits (CUDA driver API,
// cuTensorMapEncodeTiled): address and strides are multiples of 16 bytes,
// extents 1..2^32, strides below 2^40, box 1..256 elements a side, and its
// inner side at most as wide as the swizzle.
struct TensorMapSpec {
  const void* address = nullptr;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  std::array<uint64_t, 3> extents = {1, 1, 1};  // elements
  std::array<uint64_t, 2> strides = {16, 16};   // bytes, of dimensions 1 and 2
  std::array<uint32_t, 3> box = {1, 1, 1};      // elements
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
};

// Whether the two differ in their addresses at most.
inline bool HaveOneShape(const TensorMapSpec& x, const TensorMapSpec& y) {
  return x.type == y.type && x.extents == y.extents && x.strides == y.strides &&
         x.box == y.box && x.swizzle == y.swizzle &&
         x.l2_promotion == y.l2_promotion;
}

// How TMA reads elements of `type`. It has no 8-bit floats: they move as bytes,
// and the zeros it fills in are zeros to them too.
constexpr CUtensorMapDataType TensorMapTypeOf(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DataType::kFp16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DataType::kFp32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
      break;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

// What device code calls `type`.
constexpr ElementType ElementTypeOf(DataType type) {
  switch (type) {
    case DataType::kBf16:
      return ElementType::kBf16;
    case DataType::kFp16:
      return ElementType::kFp16;
    case DataType::kFp32:
      return ElementType::kFp32;
    case DataType::kFp8E4m3:
      return ElementType::kE4m3;
    case DataType::kFp8E5m2:
      break;
  }
  return ElementType::kE5m2;
}

// Unavailable when the driver has no TMA; Internal, with the spec in words,
// when it rejects the spec. Out-of-bounds elements load as zero.
absl::StatusOr<CUtensorMap> EncodeTensorMap(const TensorMapSpec& spec);

// Makes *map describe `wanted`, given that it describes *described, and keeps
// that up to date. Where only the address differs it alone is replaced
// (cuTensorMapReplaceAddress); where nothing does, nothing is done. *described
// without a value: *map describes nothing yet. Errors are EncodeTensorMap's;
// after one *described has no value.
absl::Status UpdateTensorMap(const TensorMapSpec& wanted,
                             std::optional<TensorMapSpec>* described,
                             CUtensorMap* map);

// Sets a kernel's parameters, whose a_map, b_map and d_map then describe those
// of `wanted`; where it has none, the map is not read and stays. `described`:
// what the maps of *parameters describe, as UpdateTensorMap keeps it.
template <typename Parameters, typename Wanted, typename Described>
absl::Status SetParameters(const Parameters& values, const Wanted& wanted,
                           Described* described, Parameters* parameters) {
  Parameters set = values;
  absl::Status status;
  const auto update = [&status](const std::optional<TensorMapSpec>& spec,
                                std::optional<TensorMapSpec>* known,
                                const CUtensorMap& kept, CUtensorMap* map) {
    *map = kept;
    if (status.ok() && spec.has_value()) {
      status = UpdateTensorMap(*spec, known, map);
    }
  };
  update(wanted.a_map, &described->a_map, parameters->a_map, &set.a_map);
  update(wanted.b_map, &described->b_map, parameters->b_map, &set.b_map);
  update(wanted.d_map, &described->d_map, parameters->d_map, &set.d_map);
  *parameters = set;
  return status;
}

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_PTX_TENSOR_MAP_H_
