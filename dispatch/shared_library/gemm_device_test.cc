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
constexpr uint16_t kTwo = 0x4000;  // in bf16

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

  // All of D after D = A * B with A and B full of twos; -1 where nothing was
  // written.
  std::vector<float> Product(int64_t m, int64_t n, int64_t k) {
    tiletune_problem problem;
    tiletune_problem_init(&problem);
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.d_type = TILETUNE_FP32;
    size_t bytes = 0;
    EXPECT_EQ(tiletune_workspace_bytes(gemm_, &problem, &bytes), TILETUNE_OK)
        << tiletune_error();
    char* workspace = OnDevice(std::vector<char>(bytes));
    EXPECT_EQ(tiletune_prepare_workspace(gemm_, workspace, bytes, stream_),
              TILETUNE_OK)
        << tiletune_error();
    tiletune_arguments arguments;
    tiletune_arguments_init(&arguments);
    arguments.a = OnDevice(std::vector<uint16_t>(m * k, kTwo));
    arguments.b = OnDevice(std::vector<uint16_t>(n * k, kTwo));
    std::vector<float> d(m * n, -1.0f);
    arguments.d = OnDevice(d);
    EXPECT_EQ(tiletune_run(gemm_, &problem, &arguments, workspace, bytes,
                           stream_, &ran_),
              TILETUNE_OK)
        << tiletune_error();
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << ran_.config;
    EXPECT_EQ(cudaMemcpy(d.data(), arguments.d, d.size() * sizeof(float),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return d;
  }

  tiletune_gemm* gemm_ = nullptr;
  cudaStream_t stream_ = nullptr;
  tiletune_choice ran_ = {};
};

TEST_F(SharedLibraryTest, WritesTheProductOfTheCallersMemory) {
  EXPECT_EQ(Product(64, 128, 192), std::vector<float>(64 * 128, 4 * 192))
      << ran_.config;
  EXPECT_EQ(ran_.why, TILETUNE_DEFAULT);
}

TEST_F(SharedLibraryTest, TakesRowsThatTmaCannotRead) {
  EXPECT_EQ(Product(64, 128, 193), std::vector<float>(64 * 128, 4 * 193))
      << ran_.config;
}

TEST_F(SharedLibraryTest, SplitsKInTheCallersWorkspace) {
  EXPECT_EQ(Product(64, 64, 8192), std::vector<float>(64 * 64, 4 * 8192))
      << ran_.config;
  EXPECT_GT(ran_.workspace_bytes, 0u) << ran_.config;
}

}  // namespace
}  // namespace tiletune
