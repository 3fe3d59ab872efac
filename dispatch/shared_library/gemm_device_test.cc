// A GEMM through libtiletune.so on a GPU: memory and stream come from the
// program's own CUDA runtime, the launch from the library's. Skipped without a
// GPU, unless TILETUNE_REQUIRE_GPU is set.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dispatch/tuned_gemm_c.h"

namespace tiletune {
namespace {

constexpr unsigned kSeconds = 50;  // a hung kernel ends the test
constexpr int kM = 64, kN = 128, kK = 192;
constexpr uint16_t kTwo = 0x4000;  // in bf16
constexpr float kSum = 2 * 2 * kK;

class SharedLibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tiletune_options options;
    tiletune_options_init(&options);
    options.user_database = options.system_database = "";
    if (tiletune_open(&options, &gemm_) != TILETUNE_OK) {
      if (std::getenv("TILETUNE_REQUIRE_GPU") != nullptr) {
        FAIL() << tiletune_error();
      }
      GTEST_SKIP() << tiletune_error();
    }
    alarm(kSeconds);
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
  }

  void TearDown() override {
    alarm(0);
    tiletune_close(gemm_);
  }

  // Device memory that holds `values`; freed with the process.
  template <typename T>
  static T* OnDevice(const std::vector<T>& values) {
    T* device = nullptr;
    const size_t bytes = values.size() * sizeof(T);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), bytes),
              cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice),
              cudaSuccess);
    return device;
  }

  tiletune_gemm* gemm_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

TEST_F(SharedLibraryTest, WritesTheProductOfTheCallersMemory) {
  tiletune_problem problem;
  tiletune_problem_init(&problem);
  problem.m = kM;
  problem.n = kN;
  problem.k = kK;
  problem.d_type = TILETUNE_FP32;
  tiletune_arguments arguments;
  tiletune_arguments_init(&arguments);
  arguments.a = OnDevice(std::vector<uint16_t>(kM * kK, kTwo));
  arguments.b = OnDevice(std::vector<uint16_t>(kN * kK, kTwo));
  std::vector<float> d(kM * kN, -1.0f);
  arguments.d = OnDevice(d);
  tiletune_choice ran;
  ASSERT_EQ(
      tiletune_run(gemm_, &problem, &arguments, nullptr, 0, stream_, &ran),
      TILETUNE_OK)
      << tiletune_error();
  EXPECT_EQ(ran.why, TILETUNE_DEFAULT);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << ran.config;
  ASSERT_EQ(cudaMemcpy(d.data(), arguments.d, d.size() * sizeof(float),
                       cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(d, std::vector<float>(kM * kN, kSum)) << ran.config;
}

}  // namespace
}  // namespace tiletune
