#include "testing/emulator/runtime/test_kernels.h"

namespace tiletune::emulator::runtime {
namespace {

__constant__ float constant_scale = 1.0f;
__managed__ int managed_counter = 0;

__global__ void Saxpy(int n, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] += a * x[i] * constant_scale;
}

__global__ void Count() { atomicAdd(&managed_counter, 1); }

__global__ void Fill(int* out, int value) { out[threadIdx.x] = value; }

__global__ void OutOfBounds(int* out, int size) { out[size] = 1; }

__global__ void ClusterSizes(int* out) {
  int size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  out[blockIdx.x] = size;
}

__global__ void DynamicShared(int* out, int bytes) {
  extern __shared__ char shared[];
  *reinterpret_cast<volatile int*>(shared + bytes) = 77;
  out[0] = *reinterpret_cast<volatile int*>(shared + bytes);
}

// Ends only if its dependent starts before that.
__global__ void NeedsItsDependent(int* words) {
  asm volatile("griddepcontrol.launch_dependents;");
  while (*static_cast<volatile int*>(words) == 0) {
  }
  words[1] = 7;
}

__global__ void Dependent(int* words, int waits) {
  *static_cast<volatile int*>(words) = 1;
  if (waits != 0) asm volatile("griddepcontrol.wait;" ::: "memory");
  words[2] = words[1] + 1;
}

}  // namespace

void LaunchSaxpy(int n, float a, const float* x, float* y,
                 cudaStream_t stream) {
  Saxpy<<<(n + 127) / 128, 128, 0, stream>>>(n, a, x, y);
}

cudaError_t SetScale(float scale) {
  return cudaMemcpyToSymbol(constant_scale, &scale, sizeof(scale));
}

int& ManagedCounter() { return managed_counter; }

void LaunchCount(int threads) { Count<<<1, threads>>>(); }

const void* FillKernel() { return reinterpret_cast<const void*>(&Fill); }

const void* OutOfBoundsKernel() {
  return reinterpret_cast<const void*>(&OutOfBounds);
}

const void* ClusterKernel() {
  return reinterpret_cast<const void*>(&ClusterSizes);
}

const void* DynamicSharedKernel() {
  return reinterpret_cast<const void*>(&DynamicShared);
}

const void* NeedsItsDependentKernel() {
  return reinterpret_cast<const void*>(&NeedsItsDependent);
}

const void* DependentKernel() {
  return reinterpret_cast<const void*>(&Dependent);
}

}  // namespace tiletune::emulator::runtime
