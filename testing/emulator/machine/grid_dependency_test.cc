// Two launches of a stream, the second of them programmatic.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/emulator/device.h"

namespace tiletune::emulator {
namespace {

struct Chain {
  // Bodies of two kernels with four CTAs of 32 threads each; %p is the address
  // of this thread's word, of 128 that the first launch finds to be zero.
  std::string first;
  std::string second;
  bool programmatic = true;
  uint64_t seed = 1;
  int sms = 8;

  RunResult Run(std::vector<uint32_t>* words = nullptr) const {
    auto kernel = [](const std::string& name, const std::string& body) {
      return ".visible .entry " + name +
             "(.param .u64 p_words)\n{ .reg .b32 %r<16>; .reg .b64 %p, %rd<4>;"
             ".reg .pred %q<4>; ld.param.u64 %rd1, [p_words];"
             "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;"
             "mad.lo.u32 %r2, %r1, 32, %r0; mul.wide.u32 %rd2, %r2, 4;"
             "add.u64 %p, %rd1, %rd2;\n" +
             body + "\nret; }\n";
    };
    Device device;
    auto module =
        device.Load(".version 9.0\n.target sm_100a\n.address_size 64\n" +
                    kernel("first", first) + kernel("second", second));
    EXPECT_TRUE(module.ok()) << module.status();
    const uint64_t address = device.memory().Allocate(512, "words");
    device.memory().Fill(address, 0, 512);
    std::vector<Launch> launches(2);
    for (size_t i = 0; i < 2; ++i) {
      launches[i].module = *module;
      launches[i].entry = i == 0 ? "first" : "second";
      launches[i].grid = {4, 1, 1};
      launches[i].block = {32, 1, 1};
      launches[i].Add(address);
    }
    launches[1].programmatic = programmatic;
    RunOptions options;
    options.checks = Checks::kStrict;
    options.seed = seed;
    options.sms = sms;
    auto result = device.RunChain(launches, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (words != nullptr) {
      words->resize(128);
      device.memory().Read(address, words->data(), 512);
    }
    return *result;
  }
};

std::string Text(const RunResult& result) {
  std::string text;
  for (const Finding& finding : result.findings) text += ToString(finding);
  return text;
}

bool SomeSeedFinds(Chain chain, const std::string& check) {
  for (chain.seed = 1; chain.seed <= 6; ++chain.seed) {
    for (const Finding& finding : chain.Run().findings) {
      if (finding.check == check) return true;
    }
  }
  return false;
}

void ExpectClean(Chain chain) {
  for (chain.seed = 1; chain.seed <= 6; ++chain.seed) {
    std::vector<uint32_t> words;
    const RunResult result = chain.Run(&words);
    EXPECT_TRUE(result.Clean()) << Text(result);
    EXPECT_EQ(words[100], 8u);
  }
}

const char kTrigger[] = "griddepcontrol.launch_dependents;";
const char kWait[] = "griddepcontrol.wait;";
const char kDawdle[] =
    "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %q2, %r4, 3000;"
    "@%q2 bra L;";
const char kWrite[] = "st.global.u32 [%p], 7;";
const char kAddOne[] =
    "ld.global.u32 %r3, [%p]; add.u32 %r3, %r3, 1; st.global.u32 [%p], %r3;";

TEST(GridDependency, WaitOrdersAfterTheWholeGridBefore) {
  ExpectClean(
      {std::string(kTrigger) + kDawdle + kWrite, std::string(kWait) + kAddOne});
  ExpectClean({std::string(kWrite) + kTrigger, std::string(kWait) + kAddOne});
}

TEST(GridDependency, WithoutWaitTheGridsRace) {
  EXPECT_TRUE(
      SomeSeedFinds({std::string(kTrigger) + kWrite, kAddOne}, "data race"));
  EXPECT_TRUE(
      SomeSeedFinds({std::string(kWrite) + kTrigger, kAddOne}, "data race"));
}

TEST(GridDependency, ASecondWriteMayNotOvertakeTheFirstGridsReads) {
  const std::string read = std::string(kTrigger) + "ld.global.u32 %r3, [%p];";
  EXPECT_TRUE(SomeSeedFinds({read, "st.global.u32 [%p], 8;"}, "data race"));
  ExpectClean({read, std::string(kWait) + "st.global.u32 [%p], 8;"});
}

TEST(GridDependency, WithoutATriggerTheSecondStartsAfterTheEnd) {
  ExpectClean({kWrite, kAddOne});
}

TEST(GridDependency, AnOrdinaryLaunchStartsAfterTheEnd) {
  Chain chain{std::string(kTrigger) + kWrite, kAddOne};
  chain.programmatic = false;
  ExpectClean(chain);
}

TEST(GridDependency, AFenceBeforeTheTriggerReleasesToDependents) {
  ExpectClean({std::string(kWrite) + "fence.acq_rel.gpu;" + kTrigger, kAddOne});
  EXPECT_TRUE(SomeSeedFinds(
      {"fence.acq_rel.gpu;" + std::string(kWrite) + kTrigger, kAddOne},
      "data race"));
}

TEST(GridDependency, TheSecondGridRunsWhileTheFirstStillDoes) {
  // The first spins until the second has written a word.
  const std::string spin = std::string(kTrigger) +
                           "SPIN: ld.relaxed.gpu.global.u32 %r3, [%p];"
                           "setp.eq.u32 %q1, %r3, 0; @%q1 bra SPIN;";
  Chain chain{spin, "st.relaxed.gpu.global.u32 [%p], 8;"};
  ExpectClean(chain);
}

TEST(GridDependency, FindingsNameTheKernel) {
  Chain chain{kTrigger, "ld.global.u32 %r3, [%p+512];"};
  const RunResult result = chain.Run();
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kernel, "second");
}

}  // namespace
}  // namespace tiletune::emulator
