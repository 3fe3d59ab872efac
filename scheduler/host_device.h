// TILETUNE_HD: marks a function that kernels and host code both call.
//
// Use it on small pure functions; a plain C++ compiler sees nothing of it.
//
//   TILETUNE_HD constexpr uint32_t Twice(uint32_t x) { return 2 * x; }
#ifndef TILETUNE_SCHEDULER_HOST_DEVICE_H_
#define TILETUNE_SCHEDULER_HOST_DEVICE_H_

#ifdef __CUDACC__
#define TILETUNE_HD __host__ __device__
#else
#define TILETUNE_HD
#endif

#endif  // TILETUNE_SCHEDULER_HOST_DEVICE_H_
