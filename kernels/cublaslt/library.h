// The entry points of cuBLASLt that cublaslt.cc calls, found at run time.
//
//   const CublasLtLibrary* lt = CublasLtLibrary::Get();   // nullptr: none
//   lt->matmul(handle, ...);
#ifndef TILETUNE_KERNELS_CUBLASLT_LIBRARY_H_
#define TILETUNE_KERNELS_CUBLASLT_LIBRARY_H_

#include <cublasLt.h>

namespace tiletune {

struct CublasLtLibrary {
  // Loaded once a process; nullptr where it is missing or too old.
  static const CublasLtLibrary* Get();

  decltype(&cublasLtCreate) create;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
};

}  // namespace tiletune

#endif  // TILETUNE_KERNELS_CUBLASLT_LIBRARY_H_
