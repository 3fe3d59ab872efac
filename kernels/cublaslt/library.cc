#include "kernels/cublaslt/library.h"

#include <dlfcn.h>

namespace tiletune {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

const CublasLtLibrary* Load() {
  void* so = nullptr;
  // The version the headers are of first; the calls below did not change.
  for (const char* name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
    so = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (so != nullptr) break;
  }
  if (so == nullptr) return nullptr;
  auto* const lt = new CublasLtLibrary();
  const bool found =
      Find(so, "cublasLtCreate", &lt->create) &&
      Find(so, "cublasLtGetVersion", &lt->version) &&
      Find(so, "cublasLtMatmul", &lt->matmul) &&
      Find(so, "cublasLtMatmulAlgoGetHeuristic", &lt->heuristic) &&
      Find(so, "cublasLtMatmulDescCreate", &lt->desc_create) &&
      Find(so, "cublasLtMatmulDescDestroy", &lt->desc_destroy) &&
      Find(so, "cublasLtMatmulDescSetAttribute", &lt->desc_set) &&
      Find(so, "cublasLtMatrixLayoutCreate", &lt->layout_create) &&
      Find(so, "cublasLtMatrixLayoutDestroy", &lt->layout_destroy) &&
      Find(so, "cublasLtMatrixLayoutSetAttribute", &lt->layout_set) &&
      Find(so, "cublasLtMatmulPreferenceCreate", &lt->preference_create) &&
      Find(so, "cublasLtMatmulPreferenceDestroy", &lt->preference_destroy) &&
      Find(so, "cublasLtMatmulPreferenceSetAttribute", &lt->preference_set);
  return found ? lt : nullptr;
}

}  // namespace

const CublasLtLibrary* CublasLtLibrary::Get() {
  static const CublasLtLibrary* const library = Load();
  return library;
}

}  // namespace tiletune
