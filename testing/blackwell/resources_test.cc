// Reads what ptxas reported for every Blackwell kernel (its path is the first
// argument): nothing may spill.
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace tiletune {
namespace {

std::string log_path;

struct Resources {
  int registers = 0;
  int stack_bytes = -1;
  int spill_bytes = -1;
};

// By kernel name.
std::map<std::string, Resources> ReadLog(std::istream& log) {
  const std::regex entry("Compiling entry function '(\\w+)'");
  const std::regex spills(
      "(\\d+) bytes stack frame, (\\d+) bytes spill stores, "
      "(\\d+) bytes spill loads");
  const std::regex registers("Used (\\d+) registers");
  std::map<std::string, Resources> kernels;
  std::string name, line;
  std::smatch match;
  while (std::getline(log, line)) {
    if (std::regex_search(line, match, entry)) name = match[1];
    if (std::regex_search(line, match, spills)) {
      kernels[name].stack_bytes = std::stoi(match[1]);
      kernels[name].spill_bytes = std::stoi(match[2]) + std::stoi(match[3]);
    }
    if (std::regex_search(line, match, registers)) {
      kernels[name].registers = std::stoi(match[1]);
    }
  }
  return kernels;
}

TEST(Resources, NoBlackwellKernelSpills) {
  std::ifstream log(log_path);
  ASSERT_TRUE(log) << log_path;
  std::map<std::string, Resources> kernels = ReadLog(log);
  int count = 0;
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kBlackwell) continue;
    ASSERT_EQ(kernels.count(v.name), 1u) << v.name;
    const Resources& r = kernels[v.name];
    EXPECT_EQ(r.spill_bytes, 0) << v.name;
    EXPECT_EQ(r.stack_bytes, 0) << v.name;
    // 64 Ki registers of an SM, among the threads of one CTA.
    EXPECT_GT(r.registers, 0) << v.name;
    EXPECT_LE(r.registers * v.threads, 65536) << v.name;
    ++count;
  }
  EXPECT_GE(count, 24);
}

TEST(Resources, TheReaderSeesSpills) {
  std::istringstream log(
      "ptxas info    : Compiling entry function 'f' for 'sm_100f'\n"
      "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers\n");
  const Resources r = ReadLog(log)["f"];
  EXPECT_EQ(r.stack_bytes, 8);
  EXPECT_EQ(r.spill_bytes, 16);
  EXPECT_EQ(r.registers, 255);
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: resources_test PTXAS_LOG\n";
    return 2;
  }
  tiletune::log_path = argv[1];
  return RUN_ALL_TESTS();
}
