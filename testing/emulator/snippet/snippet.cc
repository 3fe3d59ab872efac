#include "testing/emulator/snippet/snippet.h"

#include <utility>

#include "gtest/gtest.h"
#include "testing/emulator/device.h"

namespace tiletune::emulator {
namespace {

std::string Text(const Snippet& snippet) {
  return ".version 9.0\n.target " + snippet.target + "\n.address_size 64\n" +
         snippet.module_text +
         "\n.visible .entry k(.param .u64 p_out, .param .u64 p_in, "
         ".param .align 64 .b8 p_map[128])\n{\n"
         ".reg .b32 %r<64>, %t;\n.reg .b64 %rd<32>, %out, %in, %map;\n"
         ".reg .f32 %f<16>;\n.reg .b16 %h<16>;\n.reg .b128 %q<4>;\n"
         ".reg .pred %p<16>;\n"
         ".shared .align 1024 .b8 buf[16384];\n"
         ".shared .align 8 .b64 bar[8];\n"
         ".shared .align 16 .b32 word[16];\n"
         "ld.param.u64 %out, [p_out];\nld.param.u64 %in, [p_in];\n"
         "mov.b64 %map, p_map;\nmov.u32 %t, %tid.x;\n" +
         snippet.body + "\nret;\n}\n";
}

}  // namespace

bool Ran::Found(const std::string& check) const {
  for (const Finding& finding : result.findings) {
    if (finding.check == check) return true;
  }
  return false;
}

std::string Ran::Text() const {
  std::string text = error;
  for (const Finding& finding : result.findings) {
    text += ToString(finding) + "\n";
  }
  return text;
}

Ran RunOnce(const Snippet& snippet) {
  Ran ran;
  Device device;
  auto module = device.Load(Text(snippet));
  if (!module.ok()) {
    ran.error = std::string(module.status().message());
    return ran;
  }
  GlobalMemory& memory = device.memory();
  uint64_t out_bytes = snippet.out_words * 4;
  uint64_t out = memory.Allocate(out_bytes, "out");
  if (snippet.out_initialised) memory.Fill(out, 0, out_bytes);
  uint64_t in = memory.Allocate(snippet.in.size() + 1, "in");
  memory.Write(in, snippet.in.data(), snippet.in.size());
  TensorMap map = snippet.map;
  map.address = in;
  std::vector<uint8_t> map_bytes(kTensorMapBytes);
  EncodeTensorMap(map, map_bytes.data());
  Launch launch;
  launch.module = *module;
  launch.entry = "k";
  launch.grid = snippet.grid;
  launch.block = snippet.block;
  launch.cluster = snippet.cluster;
  launch.Add(out).Add(in).Add(map_bytes.data(), map_bytes.size());
  auto result = device.Run(launch, snippet.options);
  if (!result.ok()) {
    ran.error = std::string(result.status().message());
    return ran;
  }
  ran.result = *std::move(result);
  ran.out.resize(snippet.out_words);
  memory.Read(out, ran.out.data(), out_bytes);
  ran.in.resize(snippet.in.size());
  memory.Read(in, ran.in.data(), ran.in.size());
  return ran;
}

std::vector<uint8_t> CountingBytes(size_t bytes) {
  std::vector<uint8_t> counting(bytes);
  for (size_t i = 0; i < bytes; ++i) counting[i] = static_cast<uint8_t>(i);
  return counting;
}

uint32_t WordFrom(const std::string& body) {
  const Ran ran = RunOnce(Snippet(body + "st.global.u32 [%out], %r1;"));
  EXPECT_TRUE(ran.Clean()) << ran.Text();
  return ran.out.empty() ? 0xDEAD : ran.out[0];
}

Ran RunSeeds(Snippet snippet, int seeds) {
  Ran ran;
  snippet.options.checks = Checks::kStrict;
  for (int seed = 1; seed <= seeds; ++seed) {
    snippet.options.seed = static_cast<uint64_t>(seed);
    ran = RunOnce(snippet);
    if (!ran.Clean()) return ran;
  }
  return ran;
}

bool FindsWithSomeSeed(Snippet snippet, const std::string& check, int seeds) {
  for (int seed = 1; seed <= seeds; ++seed) {
    snippet.options.seed = static_cast<uint64_t>(seed);
    if (RunOnce(snippet).Found(check)) return true;
  }
  return false;
}

}  // namespace tiletune::emulator
