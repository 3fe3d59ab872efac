#include "autotune/worker/protocol.h"

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(Protocol, ARequestComesBackAsItWasSent) {
  Request sent;
  sent.op = Op::kTime;
  sent.problem = "1x2x3 bf16 TN -> bf16";
  sent.policy = "cold-graph-busy0";
  sent.config = "a \"quoted\" config\n";
  sent.stage = Stage::kFinal;
  sent.first = 10;
  sent.count = 5;
  sent.instance = 1;
  sent.placement = 2;
  const std::string line = Encode(sent);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Request got = DecodeRequest(line).value();
  EXPECT_EQ(got.op, sent.op);
  EXPECT_EQ(got.problem, sent.problem);
  EXPECT_EQ(got.policy, sent.policy);
  EXPECT_EQ(got.config, sent.config);
  EXPECT_EQ(got.stage, sent.stage);
  EXPECT_EQ(got.first, sent.first);
  EXPECT_EQ(got.count, sent.count);
  EXPECT_EQ(got.instance, sent.instance);
  EXPECT_EQ(got.placement, sent.placement);
}

TEST(Protocol, AReplyComesBackAsItWasSent) {
  Reply sent;
  sent.trial.outcome = Outcome::kWrong;
  sent.trial.detail = "element (0, 1)";
  sent.trial.samples_ns = {1.5, 1.25e9, 0.1};
  sent.trial.conditions = {1980, 2600, 55, 700, true};
  BenchDevice device;
  device.facts.capability_major = 9;
  device.facts.sm_count = 132;
  device.facts.l2_bytes = int64_t{60} << 20;
  device.facts.bandwidth_class = 4800;
  device.facts.power_class = 700;
  device.facts.memory_bytes_per_second = 4.8e12;
  device.facts.name = "a GPU";
  device.lock_name = "0000:1b:00.0";
  sent.devices = {device};
  const Reply got = DecodeReply(Encode(sent)).value();
  EXPECT_EQ(got.trial.outcome, sent.trial.outcome);
  EXPECT_EQ(got.trial.detail, sent.trial.detail);
  EXPECT_EQ(got.trial.samples_ns, sent.trial.samples_ns);
  EXPECT_EQ(got.trial.conditions.sm_clock_mhz, 1980);
  EXPECT_TRUE(got.trial.conditions.power_capped);
  ASSERT_EQ(got.devices.size(), 1u);
  EXPECT_EQ(got.devices[0].facts.Fingerprint(), device.facts.Fingerprint());
  EXPECT_EQ(got.devices[0].facts.memory_bytes_per_second, 4.8e12);
  EXPECT_EQ(got.devices[0].lock_name, device.lock_name);
}

TEST(Protocol, SurvivesBytesThatAreNotText) {
  Reply sent;
  sent.trial.detail = "\xff\xfe";
  EXPECT_TRUE(DecodeReply(Encode(sent)).ok());
}

TEST(Protocol, RefusesOtherLines) {
  for (const char* line : {"", "hello", "{}", "[1]", "{\"op\":\"x\"}"}) {
    EXPECT_FALSE(DecodeRequest(line).ok()) << line;
    EXPECT_FALSE(DecodeReply(line).ok()) << line;
  }
}

}  // namespace
}  // namespace tiletune
