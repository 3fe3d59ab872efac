// The emulator gives, bit for bit, what an H200 gave to the same PTX, and
// strict checks find nothing in it. What the H200 refused, the emulator
// reports.
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "testing/emulator/hardware/dump.h"
#include "testing/emulator/hardware/emulated.h"
#include "testing/emulator/hardware/micro_case.h"

namespace tiletune::micro {
namespace {

constexpr char kFolder[] = "testing/emulator/hardware/";

std::string ReadPtx(const std::string& theme) {
  std::ifstream file(std::string(kFolder) + "kernels/" + theme + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const Dump& HardwareDump() {
  static const Dump* const kDump = [] {
    auto* dump = new Dump();
    if (!ReadDump(std::string(kFolder) + "h200.dump", dump)) dump->clear();
    return dump;
  }();
  return *kDump;
}

class Hardware : public testing::TestWithParam<MicroCase> {};

TEST_P(Hardware, IsMatchedBitForBit) {
  const MicroCase& c = GetParam();
  auto it = HardwareDump().find(c.name);
  ASSERT_NE(it, HardwareDump().end()) << "h200.dump lacks this case";
  const Answer& hardware = it->second;
  for (uint64_t seed : {1, 7}) {
    const EmulatedAnswer emulated = RunEmulated(c, ReadPtx(c.theme), seed);
    if (hardware.status != "ok") {
      EXPECT_NE(emulated.problem, "") << "the GPU: " << hardware.status;
      continue;
    }
    EXPECT_EQ(emulated.problem, "");
    ASSERT_EQ(hardware.bytes.size(), c.out_bytes);
    ASSERT_EQ(emulated.bytes.size(), c.out_bytes);
    size_t differing = 0;
    for (size_t i = 0; i < c.out_bytes; ++i) {
      if (emulated.bytes[i] == hardware.bytes[i]) continue;
      if (++differing > 4) continue;
      ADD_FAILURE() << "byte " << i << ": the GPU wrote "
                    << int{hardware.bytes[i]} << ", the emulator "
                    << int{emulated.bytes[i]};
    }
    EXPECT_EQ(differing, 0u) << "of " << c.out_bytes << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(H200, Hardware, testing::ValuesIn(AllCases()),
                         [](const testing::TestParamInfo<MicroCase>& info) {
                           return info.param.name;
                         });

TEST(HardwareDump, HasNoCaseThatIsNotCompared) {
  EXPECT_EQ(HardwareDump().size(), AllCases().size());
}

}  // namespace
}  // namespace tiletune::micro
