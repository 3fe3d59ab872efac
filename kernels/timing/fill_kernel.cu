#include "kernels/reference/element.cuh"
#include "kernels/timing/fill_kernel.h"

namespace tiletune {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): 64 well-mixed bits of a counter.
__device__ uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Box-Muller from two uniforms in (0, 1).
__device__ float Normal(uint64_t bits) {
  const float scale = 1.0f / 4294967296.0f;
  const float u = (static_cast<float>(bits >> 32) + 0.5f) * scale;
  const float v = (static_cast<float>(bits & 0xffffffffu) + 0.5f) * scale;
  return sqrtf(-2.0f * logf(fminf(u, 0.99999994f))) * cospif(2.0f * v);
}

__global__ void Fill(FillParameters p) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < p.count; i += step) {
    const uint64_t bits = Mix(Mix(p.seed) + static_cast<uint64_t>(i));
    const float value = p.kind == InputKind::kNormal
                            ? Normal(bits)
                            : static_cast<float>(bits % 5) - 2.0f;
    StoreElement(p.data, p.type, i, value);
  }
}

}  // namespace

const void* FillKernel() { return reinterpret_cast<const void*>(&Fill); }

}  // namespace tiletune
