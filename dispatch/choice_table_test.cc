#include "dispatch/choice_table.h"

#include <gtest/gtest.h>

#include <set>

#include "autotune/store/store_testing.h"
#include "dispatch/problem_hash.h"

namespace tiletune {
namespace {

TableEntry Entry(int64_t m, double expected_ns) {
  TableEntry entry;
  entry.problem = Normalized(TestProblem(m));
  entry.choice.expected_ns = expected_ns;
  return entry;
}

TEST(ChoiceTable, FindsEveryEntryAndNothingElse) {
  std::vector<TableEntry> entries;
  for (int64_t m = 1; m <= 3000; ++m) entries.push_back(Entry(m, m));
  const ChoiceTable table(entries);
  EXPECT_EQ(table.size(), 3000u);
  for (int64_t m = 1; m <= 3000; ++m) {
    const TableEntry* found = table.Find(Normalized(TestProblem(m)));
    ASSERT_NE(found, nullptr) << m;
    EXPECT_EQ(found->choice.expected_ns, m);
  }
  EXPECT_EQ(table.Find(Normalized(TestProblem(3001))), nullptr);
}

TEST(ChoiceTable, TheFirstOfTwoEntriesCounts) {
  const ChoiceTable table({Entry(1, 10), Entry(2, 20), Entry(1, 30)});
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.Find(Normalized(TestProblem(1)))->choice.expected_ns, 10);
}

TEST(ChoiceTable, AnEmptyOneFindsNothing) {
  EXPECT_EQ(ChoiceTable({}).Find(Normalized(TestProblem())), nullptr);
}

// A field that the hash or the comparison forgot would give a problem the
// config of another one.
TEST(ChoiceTable, EveryFieldOfAProblemCounts) {
  const GemmProblem base = Normalized(TestProblem());
  std::vector<GemmProblem> others;
  const auto add = [&](auto change) {
    GemmProblem p = base;
    change(p);
    others.push_back(p);
  };
  add([](GemmProblem& p) { ++p.m; });
  add([](GemmProblem& p) { ++p.n; });
  add([](GemmProblem& p) { ++p.k; });
  add([](GemmProblem& p) { ++p.batch; });
  add([](GemmProblem& p) { p.a_type = DataType::kFp16; });
  add([](GemmProblem& p) { p.b_type = DataType::kFp16; });
  add([](GemmProblem& p) { p.c_type = DataType::kFp16; });
  add([](GemmProblem& p) { p.d_type = DataType::kFp16; });
  add([](GemmProblem& p) { p.layout = Layout::kNT; });
  add([](GemmProblem& p) { ++p.lda; });
  add([](GemmProblem& p) { ++p.ldb; });
  add([](GemmProblem& p) { ++p.ldc; });
  add([](GemmProblem& p) { ++p.ldd; });
  add([](GemmProblem& p) { ++p.batch_stride_a; });
  add([](GemmProblem& p) { ++p.batch_stride_b; });
  add([](GemmProblem& p) { ++p.batch_stride_c; });
  add([](GemmProblem& p) { ++p.batch_stride_d; });
  add([](GemmProblem& p) { p.pointer_alignment = 8; });
  add([](GemmProblem& p) { p.scaling = Scaling::kPerTensor; });
  add([](GemmProblem& p) { p.epilogue.reads_c = true; });
  add([](GemmProblem& p) { p.epilogue.bias = Bias::kPerRow; });
  add([](GemmProblem& p) { p.epilogue.activation = Activation::kGelu; });
  add([](GemmProblem& p) { p.epilogue.amax = true; });
  TableEntry entry;
  entry.problem = base;
  const ChoiceTable table({entry});
  std::set<uint64_t> hashes = {HashProblem(base)};
  for (size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(table.Find(others[i]), nullptr) << "change " << i;
    EXPECT_TRUE(hashes.insert(HashProblem(others[i])).second) << "change " << i;
  }
  EXPECT_NE(table.Find(base), nullptr);
}

TEST(HashProblem, SpreadsNeighbouringShapes) {
  // 64 K shapes over 64 K buckets: a random function leaves 1/e of them empty.
  std::set<uint64_t> low, high;
  for (int64_t m = 1; m <= 16; ++m) {
    for (int64_t n = 1; n <= 64; ++n) {
      for (int64_t k = 1; k <= 64; ++k) {
        const uint64_t hash =
            HashProblem(Normalized(TestProblem(m, 128 * n, 64 * k)));
        low.insert(hash & 0xffff);
        high.insert(hash >> 48);
      }
    }
  }
  EXPECT_GT(low.size(), 0.6 * 65536);
  EXPECT_GT(high.size(), 0.6 * 65536);
}

}  // namespace
}  // namespace tiletune
