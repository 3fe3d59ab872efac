// The driver API over PTX text: no fat binary, no nvcc.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace {

constexpr char kPtx[] = R"(
.version 9.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 offset = 100;
.visible .entry store(.param .u64 out, .param .u32 value)
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u64 %rd2, offset;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module_, kPtx), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function_, module_, "store"), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc(&out_, 4), CUDA_SUCCESS);
  }

  uint32_t Out() {
    uint32_t value = 0;
    EXPECT_EQ(cuMemcpyDtoH(&value, out_, 4), CUDA_SUCCESS);
    return value;
  }

  CUmodule module_;
  CUfunction function_;
  CUdeviceptr out_;
  uint32_t value_ = 7;
};

TEST_F(Driver, LaunchesAFunctionOfAModule) {
  void* arguments[] = {&out_, &value_};
  ASSERT_EQ(cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                           nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(Out(), 107u);
}

TEST_F(Driver, TakesArgumentsInOneBuffer) {
  struct {
    CUdeviceptr out;
    uint32_t value;
  } packed = {out_, 8};
  size_t bytes = sizeof(packed);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  ASSERT_EQ(
      cuLaunchKernel(function_, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra),
      CUDA_SUCCESS);
  EXPECT_EQ(Out(), 108u);
}

TEST_F(Driver, GivesTheAddressOfAGlobal) {
  CUdeviceptr offset = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal(&offset, &bytes, module_, "offset"),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  ASSERT_EQ(cuMemsetD32(offset, 1, 1), CUDA_SUCCESS);
  void* arguments[] = {&out_, &value_};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  ASSERT_EQ(cuLaunchKernelEx(&config, function_, arguments, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(Out(), 8u);
}

TEST_F(Driver, DoesNotFindWhatIsNotThere) {
  CUfunction function;
  EXPECT_EQ(cuModuleGetFunction(&function, module_, "load"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal(nullptr, nullptr, module_, "load"),
            CUDA_ERROR_NOT_FOUND);
}

TEST(DriverModule, RefusesWhatIsNoPtx) {
  CUmodule module;
  EXPECT_EQ(cuModuleLoadData(&module, "this is not PTX at all"),
            CUDA_ERROR_INVALID_PTX);
  const std::string cubin = std::string("\x7f") + "ELF" + std::string(64, '\0');
  EXPECT_EQ(cuModuleLoadData(&module, cubin.data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST(DriverModule, LoadsFatBinariesFromFilesAndReportsTruncatedOnes) {
  const std::string folder = "testing/emulator/fatbin/testdata/";
  for (const char* mode : {"none", "lz4", "zstd"}) {
    const std::string name = folder + "kernels_" + mode + ".fatbin";
    CUmodule module;
    ASSERT_EQ(cuModuleLoad(&module, name.c_str()), CUDA_SUCCESS) << name;
    CUfunction function;
    EXPECT_EQ(cuModuleGetFunction(&function, module, "second"), CUDA_SUCCESS);

    std::ifstream file(name, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const std::string cut = testing::TempDir() + "/cut.fatbin";
    for (const size_t size : {size_t{5}, size_t{100}, bytes.size() - 1}) {
      std::ofstream(cut, std::ios::binary) << bytes.substr(0, size);
      EXPECT_EQ(cuModuleLoad(&module, cut.c_str()), CUDA_ERROR_INVALID_PTX)
          << size;
    }
  }
  CUmodule module;
  EXPECT_EQ(cuModuleLoad(&module, "no such file"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, "testing"), CUDA_ERROR_FILE_NOT_FOUND);
}

using Encoder = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t,
                             void*, const cuuint64_t*, const cuuint64_t*,
                             const cuuint32_t*, const cuuint32_t*,
                             CUtensorMapInterleave, CUtensorMapSwizzle,
                             CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

TEST(EntryPoint, OfTheTensorMapEncoderWorks) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  ASSERT_EQ(
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                       12000, cudaEnableDefault, &found),
      cudaSuccess);
  ASSERT_EQ(found, cudaDriverEntryPointSuccess);
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 64};
  const cuuint64_t strides[] = {128};
  const cuuint32_t box[] = {64, 8};
  const cuuint32_t ones[] = {1, 1};
  const auto encode = [&](uint64_t address) {
    return reinterpret_cast<Encoder>(function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
        reinterpret_cast<void*>(address), dims, strides, box, ones,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(4096), CUDA_SUCCESS);
  EXPECT_EQ(encode(4097), CUDA_ERROR_INVALID_VALUE) << "misaligned";
}

TEST(EntryPoint, OfTheContextsNumberWorks) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuCtxGetId", &function, 12000,
                                             cudaEnableDefault, &found),
            cudaSuccess);
  ASSERT_EQ(found, cudaDriverEntryPointSuccess);
  unsigned long long id = 0;
  using ContextId = CUresult (*)(CUcontext, unsigned long long*);
  EXPECT_EQ(reinterpret_cast<ContextId>(function)(nullptr, &id), CUDA_SUCCESS);
  EXPECT_NE(id, 0u);
}

TEST(EntryPoint, ThatDoesNotExistIsSaidSo) {
  void* function = &function;
  cudaDriverEntryPointQueryResult found;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuFlyToTheMoon", &function, 12000,
                                             cudaEnableDefault, &found),
            cudaSuccess);
  EXPECT_EQ(found, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
}

}  // namespace
