#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/hopper/gemm_oracle.h"

namespace tiletune::hopper {
namespace {

enum Type { kBf16, kFp16, kFp32, kE4m3, kE5m2 };

__device__ float Load(const void* data, int type, int64_t i) {
  switch (type) {
    case kBf16:
      return __bfloat162float(static_cast<const __nv_bfloat16*>(data)[i]);
    case kFp16:
      return __half2float(static_cast<const __half*>(data)[i]);
    case kE4m3:
      return float(static_cast<const __nv_fp8_e4m3*>(data)[i]);
    case kE5m2:
      return float(static_cast<const __nv_fp8_e5m2*>(data)[i]);
  }
  return static_cast<const float*>(data)[i];
}

__device__ void Store(void* data, int type, int64_t i, float v) {
  switch (type) {
    case kBf16:
      static_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(v);
      return;
    case kFp16:
      static_cast<__half*>(data)[i] = __float2half_rn(v);
      return;
    case kE4m3:
      static_cast<__nv_fp8_e4m3*>(data)[i] = __nv_fp8_e4m3(v);
      return;
    case kE5m2:
      static_cast<__nv_fp8_e5m2*>(data)[i] = __nv_fp8_e5m2(v);
      return;
  }
  static_cast<float*>(data)[i] = v;
}

__device__ float Round(int type, float v) {
  float rounded;
  Store(&rounded, type, 0, v);
  return Load(&rounded, type, 0);
}

__global__ void Fill(void* data, int type, int64_t elements, uint32_t seed,
                     int magnitude) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < elements;
       i += int64_t{blockDim.x} * gridDim.x) {
    uint32_t x = static_cast<uint32_t>(i) * 2654435761u + seed * 40503u;
    x = (x ^ x >> 15) * 2246822519u;
    x = (x ^ x >> 13) * 3266489917u;
    x ^= x >> 16;
    Store(data, type, i, static_cast<int>(x % (2 * magnitude + 1)) - magnitude);
  }
}

__device__ float Activated(int kind, float x) {
  if (kind == 1) return x < 0 ? 0 : x;
  if (kind == 2) return 0.5f * x * (1 + erff(x * 0.707106781f));
  if (kind == 3) return x / (1 + expf(-x));
  return x;
}

__global__ void Check(OracleProblem p, float tolerance,
                      unsigned long long* wrong) {
  const int64_t total = p.m * p.n * p.batch;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < total;
       i += int64_t{blockDim.x} * gridDim.x) {
    const int64_t n = i % p.n;
    const int64_t m = i / p.n % p.m;
    const int64_t batch = i / p.n / p.m;
    float sum = 0;
    for (int64_t k = 0; k < p.k; ++k) {
      float product =
          Load(p.a, p.a_type, batch * p.a_batch + m * p.a_m + k * p.a_k) *
          Load(p.b, p.b_type, batch * p.b_batch + n * p.b_n + k * p.b_k);
      if (p.block_a != nullptr) {
        product *=
            p.block_a[batch * p.block_a_batch + k / 128 * p.block_a_k + m] *
            p.block_b[batch * p.block_b_batch + n / 128 * p.block_b_n +
                      k / 128];
      }
      sum += product;
    }
    float v = p.alpha * sum;
    if (p.scale_a != nullptr) {
      v *= p.scale_a[p.scale_per_row_column ? m : 0] *
           p.scale_b[p.scale_per_row_column ? n : 0];
    }
    if (p.c != nullptr && p.beta != 0) {
      v += p.beta * Load(p.c, p.c_type, batch * p.c_batch + m * p.c_m + n);
    }
    if (p.bias_kind == 1) v += Load(p.bias, p.d_type, m);
    if (p.bias_kind == 2) v += Load(p.bias, p.d_type, n);
    const float expected = Round(p.d_type, Activated(p.activation, v));
    const float got = Load(p.d, p.d_type, batch * p.d_batch + m * p.d_m + n);
    if (!(fabsf(got - expected) <= tolerance * (1 + fabsf(expected)))) {
      atomicAdd(wrong, 1ull);
    }
  }
}

__global__ void CheckPadding(const uint8_t* data, int64_t rows, int64_t n,
                             int64_t ld, int bytes, uint8_t pattern,
                             unsigned long long* wrong) {
  const int64_t padding = (ld - n) * bytes;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
       i < rows * padding; i += int64_t{blockDim.x} * gridDim.x) {
    const int64_t row = i / padding;
    if (data[(row * ld + n) * bytes + i % padding] != pattern) {
      atomicAdd(wrong, 1ull);
    }
  }
}

// Runs `launch(counter)` and returns what it counted, or -1 on a CUDA error.
template <typename Launch>
int64_t Count(const Launch& launch) {
  unsigned long long* counter = nullptr;
  unsigned long long count = 0;
  bool ok = cudaMalloc(&counter, sizeof(*counter)) == cudaSuccess &&
            cudaMemset(counter, 0, sizeof(*counter)) == cudaSuccess;
  if (ok) {
    launch(counter);
    ok = cudaMemcpy(&count, counter, sizeof(count), cudaMemcpyDeviceToHost) ==
         cudaSuccess;
  }
  cudaFree(counter);
  return ok ? static_cast<int64_t>(count) : -1;
}

}  // namespace

void FillIntegers(void* data, int type, int64_t elements, uint32_t seed,
                  int magnitude) {
  if (elements == 0) return;
  Fill<<<512, 256>>>(data, type, elements, seed, magnitude);
}

int64_t CountWrong(const OracleProblem& problem, float tolerance) {
  return Count([&](unsigned long long* counter) {
    Check<<<1024, 256>>>(problem, tolerance, counter);
  });
}

int64_t CountOverwritten(const void* data, int64_t rows, int64_t n, int64_t ld,
                         int bytes, uint8_t pattern) {
  if (ld == n) return 0;
  return Count([&](unsigned long long* counter) {
    CheckPadding<<<256, 256>>>(static_cast<const uint8_t*>(data), rows, n, ld,
                               bytes, pattern, counter);
  });
}

}  // namespace tiletune::hopper
