// Hopper kernels without a GPU: their PTX in the emulator, under its strict
// checks, agrees with fp64 bit for bit on small integers.
//
// Arguments: the PTX files, VARIANT_ptx.ptx each.
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/variant.h"
#include "testing/hopper/kernel_runner.h"
#include "testing/reference/host_operands.h"

namespace tiletune {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool TakesBlockScales(const KernelVariant& v) {
  return (v.scaling_mask >> static_cast<int>(Scaling::kBlock128) & 1) != 0;
}

KernelTrial Trial(const KernelVariant& v, int64_t m, int64_t n, int64_t k,
                  Layout layout) {
  KernelTrial trial;
  if (v.operand_bits == 8) {
    trial.problem.a_type = DataType::kFp8E4m3;
    trial.problem.b_type = DataType::kFp8E5m2;
  }
  if (TakesBlockScales(v)) trial.problem.scaling = Scaling::kBlock128;
  trial.problem.m = m;
  trial.problem.n = n;
  trial.problem.k = k;
  trial.problem.layout = layout;
  // An odd K, and rows of the other operand that need no repack.
  if (v.shifted_rows) {
    ++trial.problem.k;
    (v.swaps_operands ? trial.problem.lda : trial.problem.ldb) = k + 8;
  }
  return trial;
}

// The text with `trap` in the place of every instruction that begins so.
// Nothing where there is none.
std::string WithTrapsFor(const std::string& instruction, std::string ptx) {
  bool found = false;
  for (size_t at = 0; (at = ptx.find(instruction, at)) != std::string::npos;) {
    ptx.replace(at, ptx.find(';', at) - at, "trap");
    found = true;
  }
  return found ? ptx : "";
}

// A test for each file.
class Emulated : public testing::Test {
 public:
  Emulated(const KernelVariant& variant, std::string path)
      : v_(variant), path_(std::move(path)) {}

  void TestBody() override {
    KernelRunner runner(v_, ReadFile(path_));
    const int64_t m = (v_.swaps_operands ? v_.tile_n : v_.tile_m) + 8;
    const int64_t n = (v_.swaps_operands ? v_.tile_m : v_.tile_n) + 8;
    const int64_t lap = int64_t{v_.tile_k} * v_.stages;
    // Several tiles a CTA, more k than a lap of the ring; then other layouts,
    // whose operands need the tile to be wide.
    EXPECT_TRUE(runner.Run(Trial(v_, m, n, lap + v_.tile_k + 16, Layout::kTN)));
    if (v_.layout_mask >> static_cast<int>(Layout::kNT) & 1) {
      EXPECT_TRUE(runner.Run(Trial(v_, m, n, v_.tile_k + 8, Layout::kNT)));
    }
    if (TakesBlockScales(v_)) RunBatches(runner, m, n);
    if (v_.shifted_rows) RunShiftedRows(runner, m, n, 3 * v_.tile_k + 8);
    RunRowsOfD(runner, m, n);
    RunSplit(runner, Trial(v_, m, n, 7 * v_.tile_k, Layout::kTN));
  }

 private:
  // Each batch has scales of its own, unless its operand is broadcast; sizes
  // that are no multiple of 4 leave gaps between the lines of A's scales. Tiles
  // of any width begin in the midst of a block of B's.
  void RunBatches(KernelRunner& runner, int64_t m, int64_t n) {
    KernelTrial trial = Trial(v_, m + 1, n + 136, 3 * 128 + 16, Layout::kTN);
    trial.problem.batch = 2;
    for (int broadcast = 0; broadcast < 3; ++broadcast) {
      trial.problem.batch_stride_a = broadcast == 1 ? 0 : kPacked;
      trial.problem.batch_stride_b = broadcast == 2 ? 0 : kPacked;
      ++trial.seed;
      EXPECT_TRUE(runner.Run(trial)) << broadcast;
    }
  }

  // Every place between two multiples of 16 bytes, and fewer rows than boxes.
  void RunShiftedRows(KernelRunner& runner, int64_t m, int64_t n, int64_t k) {
    KernelTrial trial = Trial(v_, m, n, k, Layout::kTN);
    int64_t& ld = v_.swaps_operands ? trial.problem.ldb : trial.problem.lda;
    for (int64_t shift = 1; shift <= 8; ++shift) {
      ld = k + shift;
      EXPECT_TRUE(runner.Run(trial)) << "shift " << shift;
    }
    (v_.swaps_operands ? trial.problem.n : trial.problem.m) = 3;
    EXPECT_TRUE(runner.Run(trial));
    trial.problem.batch = 2;
    (v_.swaps_operands ? trial.problem.batch_stride_b
                       : trial.problem.batch_stride_a) = 8 * (ld + 2);
    EXPECT_TRUE(runner.Run(trial)) << "batches";
  }

  // Rows of D that TMA cannot write, at every place between four elements: with
  // alpha alone, from the host or the device, and with what takes another
  // epilogue. What is not finite stays so, and in its row and column.
  void RunRowsOfD(KernelRunner& runner, int64_t m, int64_t n) {
    KernelTrial trial = Trial(v_, m, n, v_.tile_k + 16, Layout::kTN);
    trial.alpha = 2;
    if (v_.operand_bits == 16) trial.edit = MakeInfinite;
    for (int64_t narrower = 1; narrower <= 4; ++narrower) {
      trial.problem.n = n - narrower;
      for (int64_t gap = 0; gap < 4; ++gap) {
        trial.problem.ldd = trial.problem.n + gap;
        trial.problem.epilogue.bias = gap == 3 ? Bias::kPerRow : Bias::kNone;
        trial.d_offset = narrower + gap;
        trial.alpha_is_on_device = gap == 1;
        // Neighbours of a tile, each way, belong to another CTA.
        trial.direction =
            gap % 2 == 0 ? SwizzleDirection::kZn : SwizzleDirection::kNz;
        ++trial.seed;
        EXPECT_TRUE(runner.Run(trial)) << narrower << " narrower, gap " << gap;
      }
    }
    // Every second batch starts between two words.
    trial.problem.batch = 3;
    trial.problem.batch_stride_a = trial.problem.batch_stride_b = 0;
    trial.problem.batch_stride_d = m * trial.problem.ldd + 1;
    trial.problem.epilogue.bias = Bias::kNone;
    EXPECT_TRUE(runner.Run(trial)) << "batches";
  }

  static void MakeInfinite(HostOperands& operands) {
    const GemmProblem& p = operands.problem();
    WriteElement(operands.a().data(), p.a_type, p.lda, INFINITY);
    WriteElement(operands.b().data(), p.b_type, (p.n - 1) * p.ldb, -INFINITY);
    WriteElement(operands.b().data(), p.b_type, 2 * p.ldb + 1, NAN);
  }

  // Sums of slices: by the last arriver, shared by those who wait for each
  // other, and with so few SMs that some must stop waiting.
  static void RunSplit(KernelRunner& runner, KernelTrial trial) {
    trial.resident_clusters = 64;
    for (uint32_t slices : {2, 5, 7}) {
      for (int free_clusters : {0, 2}) {
        for (DataType d : {DataType::kBf16, DataType::kFp32}) {
          trial.split_k = slices;
          trial.free_clusters = free_clusters;
          trial.problem.d_type = d;
          trial.problem.epilogue.bias =
              d == DataType::kBf16 ? Bias::kNone : Bias::kPerColumn;
          // The one that says that a slice runs, later than all others.
          trial.starved_warp = d == DataType::kBf16 ? 2 : -1;
          ++trial.seed;
          EXPECT_TRUE(runner.Run(trial))
              << slices << " slices, room for " << free_clusters;
        }
      }
    }
  }

  const KernelVariant& v_;
  const std::string path_;
};

// Slices that run at the same time share their sum: none of them counts
// arrivals, which takes the only atomic that acquires and releases. D would be
// right all the same, but late.
class SharedSum : public testing::Test {
 public:
  SharedSum(const KernelVariant& variant, std::string path)
      : v_(variant), path_(std::move(path)) {}

  static bool IsFor(const KernelVariant& v) {
    return v.supply == SupplyKind::kStatic && !v.shifted_rows;
  }

  void TestBody() override {
    KernelRunner runner(
        v_, WithTrapsFor("atom.acq_rel.gpu.global.add.u32", ReadFile(path_)));
    // One tile, and so much of K that all slices are at work before the first
    // has done.
    KernelTrial trial = Trial(v_, v_.swaps_operands ? v_.tile_n : v_.tile_m,
                              v_.swaps_operands ? v_.tile_m : v_.tile_n,
                              int64_t{6} * v_.tile_k * v_.stages, Layout::kTN);
    trial.resident_clusters = 64;
    trial.workspace_is_clean = true;
    for (uint32_t slices : {2, 3}) {
      trial.split_k = slices;
      EXPECT_TRUE(runner.Run(trial)) << slices << " slices";
    }
  }

 private:
  const KernelVariant& v_;
  const std::string path_;
};

template <class Test>
void Register(const char* suite, const KernelVariant& variant,
              const std::string& path) {
  testing::RegisterTest(
      suite, variant.name, nullptr, nullptr, __FILE__, __LINE__,
      [&variant, path]() -> testing::Test* { return new Test(variant, path); });
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string name = file.substr(0, file.rfind("_ptx.ptx"));
    const tiletune::KernelVariant* variant = tiletune::FindVariant(name);
    if (variant == nullptr) return 1;
    tiletune::Register<tiletune::Emulated>("HopperKernelInTheEmulator",
                                           *variant, path);
    if (tiletune::SharedSum::IsFor(*variant)) {
      tiletune::Register<tiletune::SharedSum>("SlicesInTheEmulator", *variant,
                                              path);
    }
  }
  return RUN_ALL_TESTS();
}
