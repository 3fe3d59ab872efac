// Runs the cover of every Blackwell kernel in the emulator, in strict mode.
//
//   cover_test --seeds=5 REPACK_PTX KERNEL_PTX...
//
// Every case is launched so many times, with other completions and
// interleavings each time.
//
// Every kernel is a test of its own, so that shards share the work. The PTX of
// a kernel is the file NAME_ptx.ptx.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "kernels/variant.h"
#include "testing/blackwell/case_cover.h"
#include "testing/blackwell/kernel_runner.h"

namespace tiletune {
namespace {

int interleavings = 1;
std::string repack_path;
std::map<std::string, std::string> kernel_paths;  // by variant

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Cover : public testing::Test {
 public:
  explicit Cover(const KernelVariant& variant) : variant_(variant) {}

  void TestBody() override {
    ASSERT_EQ(kernel_paths.count(variant_.name), 1u) << "no PTX given";
    absl::StatusOr<std::unique_ptr<KernelRunner>> runner = KernelRunner::Create(
        variant_, ReadFile(kernel_paths[variant_.name]), ReadFile(repack_path));
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (KernelCase c : CaseCover(variant_, /*seed=*/1)) {
      c.interleavings = interleavings;
      EXPECT_TRUE((*runner)->Run(c)) << ToString(c);
    }
  }

 private:
  const KernelVariant& variant_;
};

void RegisterTests() {
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kBlackwell) continue;
    testing::RegisterTest("Cover", v.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&v]() -> testing::Test* { return new Cover(v); });
  }
}

// The name of a kernel from ".../NAME_ptx.ptx".
std::string VariantOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(begin, path.rfind("_ptx.ptx") - begin);
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string flag = "--seeds=";
  if (argc < 4 || std::string(argv[1]).rfind(flag, 0) != 0) {
    std::cerr << "usage: cover_test --seeds=N REPACK_PTX KERNEL_PTX...\n";
    return 2;
  }
  tiletune::interleavings = std::atoi(argv[1] + flag.size());
  tiletune::repack_path = argv[2];
  for (int i = 3; i < argc; ++i) {
    tiletune::kernel_paths[tiletune::VariantOf(argv[i])] = argv[i];
  }
  tiletune::RegisterTests();
  return RUN_ALL_TESTS();
}
