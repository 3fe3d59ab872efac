// The source of the fat binaries in this folder; see ../README.md.
#ifdef SECOND
extern "C" __global__ void second(float* x) { x[threadIdx.x] *= 2.0f; }
#else
extern "C" __global__ void first(float* x) { x[threadIdx.x] += 1.0f; }
#endif
