// Runs every case on the GPU of this machine and writes what came out.
//
//   micro_kernels --kernels=DIR --dump=FILE [--only=TEXT]
//
// DIR has THEME.ptx or THEME.cubin for every kernels/THEME.cu. The cases run
// in a child process, one after the other; a case that fails or takes longer
// than ten seconds ends the child, and the next case starts another. Exit code
// 0 if all cases ran, 1 if some did not, 2 on bad usage.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "testing/emulator/hardware/dump.h"
#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {
namespace {

constexpr int kFirstTimeoutSeconds = 30;  // with the driver's start
constexpr int kTimeoutSeconds = 10;

// What a failed encoding of a tensor map is reported as; nothing was launched.
constexpr char kNotEncoded[] = "cuTensorMapEncodeTiled";

// The context may be broken after any other failure: another process goes on.
bool MayGoOn(const std::string& status) {
  return status == "ok" || status.rfind(kNotEncoded, 0) == 0;
}

// Empty, or the name of the failing call and its error.
std::string Check(const char* call, cudaError_t error) {
  if (error == cudaSuccess) return "";
  return std::string(call) + ": " + cudaGetErrorString(error);
}

class Gpu {
 public:
  explicit Gpu(std::string folder) : folder_(std::move(folder)) {}

  // The answer's status is "ok" if the case ran.
  Answer Run(const MicroCase& c);

 private:
  std::string FindKernel(const MicroCase& c, cudaKernel_t* kernel);
  std::string EncodeMaps(const MicroCase& c, uint8_t* in, uint8_t* out,
                         CUtensorMap* maps);
  std::string RunInto(const MicroCase& c, std::vector<uint8_t>* bytes);

  std::string folder_;
  std::map<std::string, cudaLibrary_t> libraries_;
};

std::string Gpu::FindKernel(const MicroCase& c, cudaKernel_t* kernel) {
  auto [it, is_new] = libraries_.try_emplace(c.theme);
  if (is_new) {
    std::string path = folder_ + "/" + c.theme + ".cubin";
    if (!std::ifstream(path)) path = folder_ + "/" + c.theme + ".ptx";
    std::string error =
        Check("cudaLibraryLoadFromFile",
              cudaLibraryLoadFromFile(&it->second, path.c_str(), nullptr,
                                      nullptr, 0, nullptr, nullptr, 0));
    if (!error.empty()) return path + ": " + error;
  }
  return Check("cudaLibraryGetKernel",
               cudaLibraryGetKernel(kernel, it->second, c.kernel.c_str()));
}

std::string Gpu::EncodeMaps(const MicroCase& c, uint8_t* in, uint8_t* out,
                            CUtensorMap* maps) {
  if (c.maps.empty()) return "";
  void* symbol = nullptr;
  cudaDriverEntryPointQueryResult found;
  std::string error =
      Check("cudaGetDriverEntryPointByVersion",
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &symbol,
                                             12000, cudaEnableDefault, &found));
  if (!error.empty()) return error;
  const auto encode =
      reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(symbol);
  for (size_t i = 0; i < c.maps.size(); ++i) {
    const emulator::TensorMap& map = c.maps[i].map;
    cuuint64_t dims[5];
    cuuint64_t strides[4];
    for (int j = 0; j < 5; ++j) dims[j] = map.dims[j];
    for (int j = 0; j < 4; ++j) strides[j] = map.strides[j];
    // The four swizzles of Hopper are 0 to 3 in the driver's order.
    const int swizzle = map.swizzle == emulator::Swizzle::kNone ? 0
                        : map.swizzle == emulator::Swizzle::k32 ? 1
                        : map.swizzle == emulator::Swizzle::k64 ? 2
                                                                : 3;
    const CUresult result = encode(
        &maps[i], static_cast<CUtensorMapDataType>(map.type),
        static_cast<cuuint32_t>(map.rank),
        (c.maps[i].over_output ? out : in) + map.address, dims, strides,
        map.box.data(), map.element_strides.data(),
        CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(swizzle),
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        static_cast<CUtensorMapFloatOOBfill>(map.fill));
    if (result != CUDA_SUCCESS) {
      return std::string(kNotEncoded) + ": error " + std::to_string(result);
    }
  }
  return "";
}

std::string Gpu::RunInto(const MicroCase& c, std::vector<uint8_t>* bytes) {
  cudaKernel_t kernel;
  std::string error = FindKernel(c, &kernel);
  if (!error.empty()) return error;
  const std::vector<uint8_t> in = MakeInput(c.input, 1);
  const std::vector<uint8_t> before = MakeInput(c.before, 2);
  uint8_t* in_device = nullptr;
  uint8_t* out_device = nullptr;
  struct alignas(64) {
    CUtensorMap map[kMaxMaps];
  } maps = {};
  std::array<int32_t, 16> params = c.params;
  void* arguments[] = {&maps, &params, &in_device, &out_device};
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = c.cluster[0];
  cluster.val.clusterDim.y = c.cluster[1];
  cluster.val.clusterDim.z = c.cluster[2];
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(c.grid[0], c.grid[1], c.grid[2]);
  config.blockDim = dim3(c.block[0], c.block[1], c.block[2]);
  config.dynamicSmemBytes = c.dynamic_shared;
  config.attrs = &cluster;
  config.numAttrs = 1;
  bytes->resize(c.out_bytes);
#define TRY(call)                              \
  if (!(error = Check(#call, call)).empty()) { \
    return error;                              \
  }
  TRY(cudaMalloc(reinterpret_cast<void**>(&in_device), in.size()));
  TRY(cudaMalloc(reinterpret_cast<void**>(&out_device), c.out_bytes));
  TRY(cudaMemcpy(in_device, in.data(), in.size(), cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(out_device, before.data(), c.out_bytes,
                 cudaMemcpyHostToDevice));
  error = EncodeMaps(c, in_device, out_device, maps.map);
  if (!error.empty()) return error;
  const void* function = reinterpret_cast<const void*>(kernel);
  TRY(cudaFuncSetAttribute(function,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(c.dynamic_shared)));
  TRY(cudaLaunchKernelExC(&config, function, arguments));
  TRY(cudaDeviceSynchronize());
  TRY(cudaMemcpy(bytes->data(), out_device, c.out_bytes,
                 cudaMemcpyDeviceToHost));
  TRY(cudaFree(in_device));
  TRY(cudaFree(out_device));
#undef TRY
  return "";
}

Answer Gpu::Run(const MicroCase& c) {
  Answer answer;
  answer.status = RunInto(c, &answer.bytes);
  if (answer.status.empty()) {
    answer.status = "ok";
  } else {
    answer.bytes.clear();
  }
  return answer;
}

void WriteAll(int pipe, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(pipe, at, size);
    if (written <= 0) _exit(1);
    at += written;
    size -= static_cast<size_t>(written);
  }
}

void Send(int pipe, const std::string& status,
          const std::vector<uint8_t>& bytes) {
  const uint64_t sizes[2] = {status.size(), bytes.size()};
  WriteAll(pipe, sizes, sizeof(sizes));
  WriteAll(pipe, status.data(), status.size());
  WriteAll(pipe, bytes.data(), bytes.size());
}

// False at the end of the pipe or when the time is up.
bool ReadAll(int pipe, void* data, size_t size,
             std::chrono::steady_clock::time_point deadline) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready = {pipe, POLLIN, 0};
    if (left.count() <= 0 ||
        poll(&ready, 1, static_cast<int>(left.count())) <= 0) {
      return false;
    }
    const ssize_t got = read(pipe, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool Receive(int pipe, int seconds, Answer* answer) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  uint64_t sizes[2];
  if (!ReadAll(pipe, sizes, sizeof(sizes), deadline)) return false;
  answer->status.resize(sizes[0]);
  answer->bytes.resize(sizes[1]);
  return ReadAll(pipe, answer->status.data(), sizes[0], deadline) &&
         ReadAll(pipe, answer->bytes.data(), sizes[1], deadline);
}

// Runs cases from `first` on in a child; returns how many were answered.
size_t RunInChild(const std::vector<MicroCase>& cases, size_t first,
                  const std::string& folder, Dump* dump) {
  int ends[2];
  if (pipe(ends) != 0) return cases.size() - first;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Gpu gpu(folder);
    for (size_t i = first; i < cases.size(); ++i) {
      const Answer answer = gpu.Run(cases[i]);
      Send(ends[1], answer.status, answer.bytes);
      if (!MayGoOn(answer.status)) _exit(0);
    }
    _exit(0);
  }
  close(ends[1]);
  size_t i = first;
  bool goes_on = true;
  for (; goes_on && i < cases.size(); ++i) {
    Answer answer;
    if (!Receive(ends[0], i == first ? kFirstTimeoutSeconds : kTimeoutSeconds,
                 &answer)) {
      answer = {"no answer: the kernel hung or the process crashed", {}};
    }
    goes_on = MayGoOn(answer.status);
    if (answer.status != "ok") {
      std::fprintf(stderr, "%s: %s\n", cases[i].name.c_str(),
                   answer.status.c_str());
    }
    (*dump)[cases[i].name] = answer;
  }
  close(ends[0]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return i - first;
}

int Main(int argc, char** argv) {
  std::string folder;
  std::string dump_path;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const std::string value = flag.substr(flag.find('=') + 1);
    if (flag.rfind("--kernels=", 0) == 0) {
      folder = value;
    } else if (flag.rfind("--dump=", 0) == 0) {
      dump_path = value;
    } else if (flag.rfind("--only=", 0) == 0) {
      only = value;
    } else {
      folder.clear();
      break;
    }
  }
  if (folder.empty() || dump_path.empty()) {
    std::fprintf(stderr, "usage: %s --kernels=DIR --dump=FILE [--only=TEXT]\n",
                 argv[0]);
    return 2;
  }
  std::vector<MicroCase> cases;
  for (const MicroCase& c : AllCases()) {
    if ((c.theme + "/" + c.name).find(only) != std::string::npos) {
      cases.push_back(c);
    }
  }
  Dump dump;
  for (size_t i = 0; i < cases.size();) {
    i += RunInChild(cases, i, folder, &dump);
  }
  size_t ran = 0;
  for (const auto& [name, answer] : dump) ran += answer.status == "ok";
  std::printf("%zu of %zu cases ran\n", ran, cases.size());
  if (!WriteDump(dump_path, dump)) return 2;
  return ran == cases.size() ? 0 : 1;
}

}  // namespace
}  // namespace tiletune::micro

int main(int argc, char** argv) { return tiletune::micro::Main(argc, argv); }
