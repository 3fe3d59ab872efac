// RecordingCuda: a CUDA runtime that writes down what it is asked to enqueue,
// and does nothing.
//
// Link it instead of a CUDA runtime, in tests of host code that launches.
//
//   RecordingCuda::Get().Reset();
//   EXPECT_TRUE(LaunchRepack(arguments, stream).ok());
//   ASSERT_EQ(RecordingCuda::Get().calls().size(), 1u);
//   EXPECT_EQ(RecordingCuda::Get().calls()[0].name, "cudaLaunchKernel");
//   RecordingCuda::Get().Fail("cudaLaunchKernel");  // from now on
#ifndef TILETUNE_TESTING_LAUNCH_RECORDING_CUDA_H_
#define TILETUNE_TESTING_LAUNCH_RECORDING_CUDA_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tiletune {

// What a call was given; fields that it has not are zero.
struct RecordedCall {
  std::string name;
  const void* function = nullptr;  // the kernel
  dim3 grid = dim3(0, 0, 0);
  dim3 block = dim3(0, 0, 0);
  size_t bytes = 0;         // dynamic shared memory, cleared, or a value
  void* cleared = nullptr;  // cudaMemsetAsync's pointer
  cudaStream_t stream = nullptr;
  std::vector<cudaLaunchAttribute> attributes;
  const void* argument = nullptr;  // first; dead once the launcher returns
  int function_attribute = -1;     // which one cudaFuncSetAttribute sets
};

class RecordingCuda {
 public:
  static RecordingCuda& Get();

  // Forgets calls and failures.
  void Reset();

  // In their order. Those of the driver's functions for tensor maps are among
  // them, as cuTensorMapEncodeTiled and cuTensorMapReplaceAddress.
  const std::vector<RecordedCall>& calls() const { return calls_; }

  // Every later call of this name is recorded and fails; or so many of them,
  // after some that succeed.
  void Fail(const std::string& name, int times = -1, int after = 0) {
    failing_ = name;
    failures_left_ = times;
    successes_left_ = after;
  }

  // What cuCtxGetId says, which is not recorded; 0: there is no context until
  // a recorded call comes, which makes number 1 current.
  unsigned long long context = 1;

  // What cudaGetLastError gives, and takes away: the caller's own earlier
  // error.
  cudaError_t last_error = cudaSuccess;

  // For the stand-ins: false when the call is to fail.
  bool Record(const RecordedCall& call);

 private:
  std::vector<RecordedCall> calls_;
  std::string failing_;
  int failures_left_ = -1;  // negative: no end
  int successes_left_ = 0;
};

}  // namespace tiletune

#endif  // TILETUNE_TESTING_LAUNCH_RECORDING_CUDA_H_
