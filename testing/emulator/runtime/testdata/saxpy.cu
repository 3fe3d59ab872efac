// An ordinary program, as a stranger would write it: nothing of tiletune.
// "saxpy overrun" writes one element too many; "saxpy careless" looks at
// nothing and says that all is well.
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void Saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const bool overrun = argc > 1 && std::strcmp(argv[1], "overrun") == 0;
  const bool careless = argc > 1 && std::strcmp(argv[1], "careless") == 0;
  const int n = 1000;
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n, 1.0f);
  std::vector<float> y(n, 2.0f);
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 3;
  std::printf("%s, %d SMs\n", properties.name, properties.multiProcessorCount);
  float* dx;
  float* dy;
  if (cudaMalloc(&dx, bytes) != cudaSuccess) return 3;
  if (cudaMalloc(&dy, bytes) != cudaSuccess) return 3;
  cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);
  Saxpy<<<(n + 255) / 256, 256>>>(overrun ? n + 1 : n, 3.0f, dx, dy);
  const cudaError_t error = cudaGetLastError();
  std::printf("launch: %s\n", cudaGetErrorName(error));
  cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost);
  if (careless) return 0;
  for (float value : y) {
    if (value != 5.0f) return 4;
  }
  std::printf("right\n");
  return 0;
}
