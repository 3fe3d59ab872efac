// The kernels behind kernels/reference/checker.h, their PTX run by the
// emulator, on D's that are known to be right or wrong.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/reference/checker_kernels.h"
#include "kernels/reference/launcher.h"
#include "kernels/reference/parameters.h"
#include "testing/reference/assorted_problems.h"
#include "testing/reference/emulated_reference.h"
#include "testing/reference/reference_gemm.h"

namespace tiletune {
namespace {

constexpr char kPtx[] = "kernels/reference/checker_kernels_ptx.ptx";

float FloatFromBits(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// A D as a perfect kernel writes it, and what the checker says after a change.
class EmulatedCheckerTest : public ::testing::Test {
 protected:
  void Prepare(const GemmProblem& problem) {
    host_ = std::make_unique<HostOperands>(problem);
    host_->FillNormal(11);
    output_ = ComputeReference(problem, host_->arguments());
    WriteReference(problem, output_, host_->d().data());
  }

  CheckTotals Check() {
    const GemmProblem& p = host_->problem();
    EmulatedOperands gpu(*host_, host_->arguments());
    const GemmArguments args = gpu.arguments();
    const Order order = *MakeOrder(
        *MakeTileGrid(p.m, p.n, p.k, static_cast<uint32_t>(p.batch),
                      kReferenceTileM, kReferenceTileN, kReferenceTileK));
    const ReferenceParameters parameters =
        MakeReferenceParameters(p, args, order);
    const std::vector<ReferenceValue> blank(output_.value.size());
    const uint64_t values = gpu.Upload("values", blank.data(),
                                       blank.size() * sizeof(ReferenceValue));
    CheckTotals totals = {};
    totals.first_wrong = ~0ull;
    const uint64_t totals_address =
        gpu.Upload("totals", &totals, sizeof totals);
    // A bf16 tensor core, as checker.cc has it.
    const float steps = std::ceil(static_cast<float>(p.k) / 16) + 1e-3f;
    const ErrorModel model = {
        0x1p-23f * (steps + 32), steps,
        p.epilogue.activation == Activation::kGelu ? 5e-4f : 1e-6f};
    gpu.Run(kPtx, "ReferenceValues", 2, kReferenceThreads,
            [&](emulator::Launch& launch) {
              launch.Add(&parameters, sizeof parameters)
                  .Add(values)
                  .Add(&model, sizeof model)
                  .Add(totals_address);
            });
    CompareParameters compare = {};
    compare.m = p.m;
    compare.n = p.n;
    compare.batches = p.batch;
    compare.d = parameters.d;
    compare.values = reinterpret_cast<const ReferenceValue*>(values);
    compare.scale_d = args.scale_d;
    compare.totals = reinterpret_cast<CheckTotals*>(totals_address);
    compare.gaps_are_poisoned = true;
    const auto add = [&](emulator::Launch& launch) {
      launch.Add(&compare, sizeof compare);
    };
    // Mangled: "Compare" alone is part of its parameter's type as well.
    gpu.Run(kPtx, "7CompareENS", 3, 64, add);
    gpu.Run(kPtx, "DescribeFirstWrong", 1, 1, add);
    EXPECT_TRUE(gpu.memory().Read(totals_address, &totals, sizeof totals));
    return totals;
  }

  void SetD(int64_t index, double value) {
    WriteElement(host_->d().data(), host_->problem().d_type, index, value);
  }

  std::unique_ptr<HostOperands> host_;
  ReferenceOutput output_;
};

TEST_F(EmulatedCheckerTest, PassesAPerfectDOnEveryKindOfProblem) {
  for (const GemmProblem& p : AssortedProblems()) {
    Prepare(p);
    const CheckTotals totals = Check();
    EXPECT_EQ(totals.wrong, 0u)
        << ProblemKey(p) << " at " << totals.first_wrong << ": " << totals.got
        << " instead of " << totals.expected;
    EXPECT_EQ(totals.gap_bytes_touched, 0u) << ProblemKey(p);
    EXPECT_LE(FloatFromBits(totals.worst_ratio_bits), 1) << ProblemKey(p);
    EXPECT_NEAR(FloatFromBits(totals.amax_bits), output_.amax,
                1e-5 * output_.amax)
        << ProblemKey(p);
  }
}

TEST_F(EmulatedCheckerTest, FindsOneWrongElementAndSaysWhere) {
  Prepare(PlainProblem(70, 80, 64));
  SetD(7 * 80 + 5, 512);
  const CheckTotals totals = Check();
  EXPECT_EQ(totals.wrong, 1u);
  EXPECT_EQ(totals.first_wrong, 7u * 80 + 5);
  EXPECT_EQ(totals.got, 512);
  EXPECT_NEAR(totals.expected, output_.value[7 * 80 + 5], 1e-3);
  EXPECT_GT(FloatFromBits(totals.worst_ratio_bits), 1);
}

TEST_F(EmulatedCheckerTest, FindsAnElementThatWasNeverWritten) {
  Prepare(PlainProblem(70, 80, 64));
  SetD(69 * 80 + 79, NAN);
  const CheckTotals totals = Check();
  EXPECT_EQ(totals.wrong, 1u);
  EXPECT_EQ(totals.first_wrong, 69u * 80 + 79);
}

TEST_F(EmulatedCheckerTest, FindsAWriteBetweenTheRows) {
  GemmProblem p = PlainProblem(20, 30, 16);
  p.ldd = 32;
  Prepare(p);
  host_->d()[31 * 2] = 0;
  EXPECT_EQ(Check().gap_bytes_touched, 1u);
}

TEST_F(EmulatedCheckerTest, FindsAProductLeftOut) {
  Prepare(PlainProblem(64, 64, 256));
  GemmProblem shorter = host_->problem();
  shorter.k = 240;  // one MMA of the tail forgotten
  WriteReference(shorter, ComputeReference(shorter, host_->arguments()),
                 host_->d().data());
  EXPECT_GT(Check().wrong, 1000u);
}

TEST_F(EmulatedCheckerTest, AllowsHalfAUnitInTheLastPlaceAndNoWholeOne) {
  Prepare(PlainProblem(16, 16, 16));
  // bf16 keeps 8 significant bits: two units up is wrong for any value.
  int64_t wrong = 0;
  for (int64_t i = 0; i < 256; i += 7) {
    const double d = ReadElement(host_->d().data(), DataType::kBf16, i);
    SetD(i, d * (1 + 0x1p-6));
    ++wrong;
  }
  EXPECT_EQ(Check().wrong, static_cast<unsigned long long>(wrong));
}

TEST_F(EmulatedCheckerTest, TakesAnOverflowForWhatItIs) {
  GemmProblem p = PlainProblem(4, 4, 16);
  p.a_type = p.b_type = p.d_type = DataType::kFp16;
  Prepare(p);
  for (int64_t i = 0; i < 64; ++i) {
    WriteElement(host_->a().data(), p.a_type, i, 4096);
    WriteElement(host_->b().data(), p.b_type, i, 4096);
  }
  output_ = ComputeReference(p, host_->arguments());
  WriteReference(p, output_, host_->d().data());
  EXPECT_EQ(ReadElement(host_->d().data(), p.d_type, 0), INFINITY);
  EXPECT_EQ(Check().wrong, 0u);
  SetD(3, -INFINITY);
  EXPECT_EQ(Check().wrong, 1u);
  SetD(3, 1);
  EXPECT_EQ(Check().wrong, 1u);
}

}  // namespace
}  // namespace tiletune
