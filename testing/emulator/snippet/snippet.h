// Runs a few lines of PTX in the emulator: how the tests of instructions and
// checks are written.
//
// The body finds these declared: registers %r0..%r63 (b32), %rd0..%rd31 (b64),
// %f0..%f15 (f32), %h0..%h15 (b16), %q0..%q3 (b128), %p0..%p15 (pred); shared
// memory `buf` (16 KiB, 1024-byte aligned), `bar` (8 mbarriers) and `word`
// (16 words); %out, the address of Snippet::out words of global memory; %in,
// the address of `in`; %map, the address of a tensor map of `in`; %tid.
//
//   Snippet s("mov.u32 %r1, 7; st.global.u32 [%out], %r1;");
//   s.block = {32, 1, 1};
//   Ran ran = RunOnce(s);
//   EXPECT_EQ(ran.out[0], 7u);
//   EXPECT_TRUE(ran.Clean()) << ran.Text();
#ifndef TILETUNE_TESTING_EMULATOR_SNIPPET_SNIPPET_H_
#define TILETUNE_TESTING_EMULATOR_SNIPPET_SNIPPET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/emulator/engines/tensor_map.h"
#include "testing/emulator/machine/options.h"

namespace tiletune::emulator {

struct Snippet {
  explicit Snippet(std::string body_in) : body(std::move(body_in)) {}

  std::string body;
  std::string module_text;  // functions and variables before the entry
  std::string target = "sm_100a";
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  size_t out_words = 256;
  bool out_initialised = true;  // to zero
  std::vector<uint8_t> in;      // device copy of these bytes
  TensorMap map;                // its address is set to `in`
  RunOptions options;
};

// 0, 1, 2, ..., for Snippet::in.
std::vector<uint8_t> CountingBytes(size_t bytes);

struct Ran {
  RunResult result;
  std::string error;  // of loading or launching; then nothing ran
  std::vector<uint32_t> out;
  std::vector<uint8_t> in;

  bool Clean() const { return error.empty() && result.Clean(); }
  // A finding of this check exists.
  bool Found(const std::string& check) const;
  // Error and findings, for failure messages.
  std::string Text() const;
};

Ran RunOnce(const Snippet& snippet);

// What `body` leaves in %r1; EXPECTs that it runs without a finding.
uint32_t WordFrom(const std::string& body);

// Strict checks, several seeds: the first run that is not clean, or the last.
Ran RunSeeds(Snippet snippet, int seeds);
// True if some seed of `seeds` gives a finding of this check.
bool FindsWithSomeSeed(Snippet snippet, const std::string& check, int seeds);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_SNIPPET_SNIPPET_H_
