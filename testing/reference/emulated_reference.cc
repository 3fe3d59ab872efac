#include "testing/reference/emulated_reference.h"

#include <fstream>
#include <sstream>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename T>
T* Pointer(uint64_t address) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(address));
}

}  // namespace

EmulatedOperands::EmulatedOperands(HostOperands& host,
                                   const HostArguments& scalars) {
  const GemmProblem& p = host.problem();
  const auto upload = [this](const char* name,
                             const std::vector<uint8_t>& bytes) {
    return Upload(name, bytes.data(), bytes.size());
  };
  arguments_.a = Pointer<void>(upload("a", host.a()));
  arguments_.b = Pointer<void>(upload("b", host.b()));
  arguments_.d = Pointer<void>(upload("d", host.d()));
  arguments_.alpha = scalars.alpha;
  if (p.epilogue.reads_c) {
    arguments_.c = Pointer<void>(upload("c", host.c()));
    arguments_.beta = scalars.beta;
  }
  if (p.epilogue.bias != Bias::kNone) {
    arguments_.bias = Pointer<void>(upload("bias", host.bias()));
  }
  if (p.scaling != Scaling::kNone) {
    arguments_.scale_a = Pointer<float>(
        Upload("scale_a", host.scale_a().data(), host.scale_a().size() * 4));
    arguments_.scale_b = Pointer<float>(
        Upload("scale_b", host.scale_b().data(), host.scale_b().size() * 4));
  }
  if (BitsOf(p.d_type) == 8) {
    arguments_.scale_d =
        Pointer<float>(Upload("scale_d", &scalars.scale_d, sizeof(float)));
  }
  if (p.epilogue.amax) {
    const float zero = 0;
    arguments_.amax_d = Pointer<float>(Upload("amax", &zero, sizeof zero));
  }
}

uint64_t EmulatedOperands::Upload(const std::string& name, const void* bytes,
                                  size_t size) {
  if (size == 0) return 0;
  const uint64_t address = memory().Allocate(size, name);
  EXPECT_TRUE(memory().Write(address, bytes, size)) << name;
  return address;
}

void EmulatedOperands::Run(const std::string& ptx_path,
                           const std::string& entry, uint32_t grid,
                           uint32_t threads,
                           const std::function<void(emulator::Launch&)>& add) {
  const auto module = device_.Load(ReadFile(ptx_path));
  ASSERT_TRUE(module.ok()) << module.status();
  emulator::Launch launch;
  launch.module = *module;
  for (const auto& function : (*module)->ptx.functions) {
    if (function.name.find(entry) != std::string::npos) {
      launch.entry = function.name;
    }
  }
  ASSERT_FALSE(launch.entry.empty()) << ptx_path << " has no " << entry;
  launch.grid = {grid, 1, 1};
  launch.block = {threads, 1, 1};
  add(launch);
  const auto result = device_.Run(launch, emulator::RunOptions());
  ASSERT_TRUE(result.ok()) << result.status();
  for (const emulator::Finding& finding : result->findings) {
    ADD_FAILURE() << emulator::ToString(finding);
  }
}

void EmulatedOperands::DownloadD(HostOperands* host) {
  if (host->d().empty()) return;
  EXPECT_TRUE(memory().Read(reinterpret_cast<uintptr_t>(arguments_.d),
                            host->d().data(), host->d().size()));
}

}  // namespace tiletune
