#include "testing/emulator/hardware/emulated.h"

#include <cstring>

#include "testing/emulator/device.h"

namespace tiletune::micro {

using emulator::Device;
using emulator::Dim3;

EmulatedAnswer RunEmulated(const MicroCase& c, const std::string& ptx,
                           uint64_t seed) {
  EmulatedAnswer answer;
  Device device;
  auto module = device.Load(ptx);
  if (!module.ok()) {
    answer.problem = std::string(module.status().message());
    return answer;
  }
  const std::vector<uint8_t> in = MakeInput(c.input, 1);
  const std::vector<uint8_t> before = MakeInput(c.before, 2);
  emulator::GlobalMemory& memory = device.memory();
  const uint64_t in_address = memory.Allocate(in.size(), "in");
  const uint64_t out_address = memory.Allocate(c.out_bytes, "out");
  memory.Write(in_address, in.data(), in.size());
  memory.Write(out_address, before.data(), c.out_bytes);
  std::vector<uint8_t> maps(kMaxMaps * emulator::kTensorMapBytes);
  for (size_t i = 0; i < c.maps.size(); ++i) {
    emulator::TensorMap map = c.maps[i].map;
    map.address += c.maps[i].over_output ? out_address : in_address;
    for (const std::string& finding : emulator::CheckTensorMap(map)) {
      answer.problem += finding + "\n";
    }
    emulator::EncodeTensorMap(map, maps.data() + i * emulator::kTensorMapBytes);
  }
  emulator::Launch launch;
  launch.module = *module;
  launch.entry = c.kernel;
  launch.grid = Dim3{c.grid[0], c.grid[1], c.grid[2]};
  launch.block = Dim3{c.block[0], c.block[1], c.block[2]};
  launch.cluster = Dim3{c.cluster[0], c.cluster[1], c.cluster[2]};
  launch.dynamic_shared = c.dynamic_shared;
  launch.Add(maps.data(), maps.size());
  launch.Add(c.params.data(), sizeof(c.params));
  launch.Add(in_address).Add(out_address);
  emulator::RunOptions options;
  options.seed = seed;
  options.checks = emulator::Checks::kStrict;
  options.sms = 8;
  auto result = device.Run(launch, options);
  if (!result.ok()) {
    answer.problem += std::string(result.status().message());
    return answer;
  }
  for (const emulator::Finding& finding : result->findings) {
    answer.problem += ToString(finding) + "\n";
  }
  answer.bytes.resize(c.out_bytes);
  if (!memory.Read(out_address, answer.bytes.data(), c.out_bytes)) {
    answer.problem += "the output cannot be read\n";
  }
  return answer;
}

}  // namespace tiletune::micro
