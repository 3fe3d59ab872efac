// A kernel of this project's own, compiled as tiletune's are.
#include <cuda_runtime.h>

namespace {

__global__ void ScaleKernel(float* x, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] *= factor;
}

}  // namespace

// Enqueues x[i] *= factor for `count` elements in device memory.
cudaError_t Scale(float* x, int count, float factor, cudaStream_t stream) {
  if (count <= 0) return cudaSuccess;
  ScaleKernel<<<(count + 255) / 256, 256, 0, stream>>>(x, count, factor);
  return cudaGetLastError();
}
