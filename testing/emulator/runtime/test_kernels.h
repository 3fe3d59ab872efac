// Small kernels for the runtime's tests, as host functions so that a .cc file
// can use them. Compiled by nvcc into an object that names no CUDA runtime.
//
//   LaunchSaxpy(n, 2.0f, x, y, stream);
//   SetScale(3.0f);
//   const void* function = FillKernel();
//   cudaLaunchKernel(function, ...);
#ifndef TILETUNE_TESTING_EMULATOR_RUNTIME_TEST_KERNELS_H_
#define TILETUNE_TESTING_EMULATOR_RUNTIME_TEST_KERNELS_H_

#include <driver_types.h>

namespace tiletune::emulator::runtime {

// y = a * x * scale + y, scale a __constant__ of 1 unless set.
void LaunchSaxpy(int n, float a, const float* x, float* y, cudaStream_t stream);
cudaError_t SetScale(float scale);

// A __managed__ counter; LaunchCount adds 1 for each of `threads`.
int& ManagedCounter();
void LaunchCount(int threads);

// __global__ void Fill(int* out, int value): out[thread] = value.
const void* FillKernel();
// Writes one element past the end of what it is given.
const void* OutOfBoundsKernel();
// out[cta] = CTAs in its cluster, by %cluster_nctaid.
const void* ClusterKernel();
// out[0] = a word of dynamic shared memory `bytes` from its beginning.
const void* DynamicSharedKernel();
// __global__ void NeedsItsDependent(int* words): lets dependents start, waits
// for words[0] to be set, then words[1] = 7.
const void* NeedsItsDependentKernel();
// __global__ void Dependent(int* words, int waits): words[0] = 1, waits for the
// kernel before if `waits`, then words[2] = words[1] + 1.
const void* DependentKernel();

}  // namespace tiletune::emulator::runtime

#endif  // TILETUNE_TESTING_EMULATOR_RUNTIME_TEST_KERNELS_H_
