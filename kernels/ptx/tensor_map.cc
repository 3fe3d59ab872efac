#include "kernels/ptx/tensor_map.h"

#include <cuda_runtime_api.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tiletune {
namespace {

using Encoder = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t,
                             void*, const cuuint64_t*, const cuuint64_t*,
                             const cuuint32_t*, const cuuint32_t*,
                             CUtensorMapInterleave, CUtensorMapSwizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

using Replacer = CUresult (*)(CUtensorMap*, void*);

// A function of the driver that came with CUDA 12.0. nullptr when there is
// none.
void* FindInDriver(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion(
          name, &function, 12000, cudaEnableDefault, &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess) {
    return nullptr;
  }
  return function;
}

bool ReplaceAddress(const void* address, CUtensorMap* map) {
  static const Replacer replacer =
      reinterpret_cast<Replacer>(FindInDriver("cuTensorMapReplaceAddress"));
  return replacer != nullptr &&
         replacer(map, const_cast<void*>(address)) == CUDA_SUCCESS;
}

}  // namespace

absl::StatusOr<CUtensorMap> EncodeTensorMap(const TensorMapSpec& spec) {
  static const Encoder encoder =
      reinterpret_cast<Encoder>(FindInDriver("cuTensorMapEncodeTiled"));
  if (encoder == nullptr) {
    return absl::UnavailableError(
        "the CUDA driver has no cuTensorMapEncodeTiled (CUDA 12.0 or later)");
  }
  const cuuint32_t element_strides[3] = {1, 1, 1};
  const cuuint64_t extents[3] = {spec.extents[0], spec.extents[1],
                                 spec.extents[2]};
  const cuuint64_t strides[2] = {spec.strides[0], spec.strides[1]};
  CUtensorMap map;
  const CUresult result = encoder(
      &map, spec.type, 3, const_cast<void*>(spec.address), extents, strides,
      spec.box.data(), element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
      spec.swizzle, spec.l2_promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    return absl::InternalError(absl::StrCat(
        "cuTensorMapEncodeTiled returned ", static_cast<int>(result),
        " for extents ", absl::StrJoin(spec.extents, "x"), ", strides ",
        absl::StrJoin(spec.strides, "x"), " B, box ",
        absl::StrJoin(spec.box, "x"), ", swizzle ",
        static_cast<int>(spec.swizzle)));
  }
  return map;
}

absl::Status UpdateTensorMap(const TensorMapSpec& wanted,
                             std::optional<TensorMapSpec>* described,
                             CUtensorMap* map) {
  if (described->has_value() && HaveOneShape(**described, wanted)) {
    if ((*described)->address == wanted.address ||
        ReplaceAddress(wanted.address, map)) {
      *described = wanted;
      return absl::OkStatus();
    }
    // Refused: the encoder says why.
  }
  described->reset();
  absl::StatusOr<CUtensorMap> encoded = EncodeTensorMap(wanted);
  if (!encoded.ok()) return encoded.status();
  *map = *encoded;
  *described = wanted;
  return absl::OkStatus();
}

}  // namespace tiletune
