// ElementType: what the elements of a matrix are, in device code.
//
// Use it in a kernel's parameters, where problem.h and its Abseil cannot go;
// tensor_map.h makes one from a DataType.
//
//   struct MatrixView { void* base; ElementType type; };
//   view.type = ElementTypeOf(problem.d_type);           // on the host
//   if (view.type == ElementType::kBf16) StoreBf16(...)  // in the kernel
#ifndef TILETUNE_KERNELS_PTX_ELEMENT_TYPE_H_
#define TILETUNE_KERNELS_PTX_ELEMENT_TYPE_H_

#include <cstdint>

namespace tiletune {

enum class ElementType : uint32_t { kBf16, kFp16, kFp32, kE4m3, kE5m2 };

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_PTX_ELEMENT_TYPE_H_
