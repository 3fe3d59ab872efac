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

// A GEMM of one tile or a few; the second of two takes the first's D as its A.
KernelCase SmallCase(const KernelVariant& variant, int64_t n, int64_t k) {
  KernelCase c;
  c.variant = &variant;
  c.problem.m = 200;
  c.problem.n = n;
  c.problem.k = k;
  c.problem.a_type = c.problem.b_type = c.problem.d_type =
      variant.operand_bits == 8 ? DataType::kFp8E4m3 : DataType::kBf16;
  c.problem = Normalized(c.problem);
  c.resident_clusters = 5;  // a few to spare for a kernel that starts early
  c.interleavings = interleavings;
  c.refusal_rate = variant.supply == SupplyKind::kClc ? 0.1 : 0;
  return c;
}

testing::AssertionResult RunDependent(const KernelVariant& variant,
                                      KernelRunner* runner) {
  const KernelCase first = SmallCase(variant, 128, 3 * variant.tile_k);
  KernelCase second = SmallCase(variant, 80, first.problem.n);
  second.split_k = second.problem.k > variant.tile_k ? 2 : 1;
  return runner->RunDependent(first, second);
}

class Dependent : public testing::Test {
 public:
  explicit Dependent(const KernelVariant& variant) : variant_(variant) {}

  void TestBody() override {
    const std::string ptx = ReadFile(kernel_paths[variant_.name]);
    absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
        KernelRunner::Create(variant_, ptx, ReadFile(repack_path));
    ASSERT_TRUE(runner.ok()) << runner.status();
    EXPECT_TRUE(RunDependent(variant_, runner->get()));
  }

 private:
  const KernelVariant& variant_;
};

// One tile, whose slices of K run side by side and end in any order.
KernelCase SplitCase(const KernelVariant& variant) {
  KernelCase c = SmallCase(variant, 40, 8 * variant.tile_k);
  c.problem.m = 8;
  c.problem.d_type = DataType::kFp32;
  c.problem = Normalized(c.problem);
  c.has_random_inputs = true;  // sums that round
  c.split_k = 4;
  c.interleavings = 5;
  return c;
}

class SplitK : public testing::Test {
 public:
  explicit SplitK(const KernelVariant& variant) : variant_(variant) {}

  // D has the same bits in every interleaving, or the runner says so.
  void TestBody() override {
    const std::string ptx = ReadFile(kernel_paths[variant_.name]);
    absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
        KernelRunner::Create(variant_, ptx, ReadFile(repack_path));
    ASSERT_TRUE(runner.ok()) << runner.status();
    const KernelCase c = SplitCase(variant_);
    EXPECT_TRUE((*runner)->Run(c)) << ToString(c);
  }

 private:
  const KernelVariant& variant_;
};

// That the emulator would tell.
TEST(DependentLaunch, AKernelThatDoesNotWaitIsCaught) {
  const KernelVariant& v = *FindVariant("sm100_16b_128x128x64_c1x1_s6_static");
  std::string ptx = ReadFile(kernel_paths[v.name]);
  const std::string wait = "griddepcontrol.wait;";
  ASSERT_NE(ptx.find(wait), std::string::npos);
  ptx.erase(ptx.find(wait), wait.size());
  absl::StatusOr<std::unique_ptr<KernelRunner>> runner =
      KernelRunner::Create(v, ptx, ReadFile(repack_path));
  ASSERT_TRUE(runner.ok()) << runner.status();
  EXPECT_FALSE(RunDependent(v, runner->get()));
}

void RegisterTests() {
  for (const KernelVariant& v : Variants()) {
    if (v.architecture != Architecture::kBlackwell) continue;
    testing::RegisterTest("Cover", v.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&v]() -> testing::Test* { return new Cover(v); });
    testing::RegisterTest(
        "DependentLaunch", v.name, nullptr, nullptr, __FILE__, __LINE__,
        [&v]() -> testing::Test* { return new Dependent(v); });
    testing::RegisterTest("SplitK", v.name, nullptr, nullptr, __FILE__,
                          __LINE__,
                          [&v]() -> testing::Test* { return new SplitK(v); });
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
