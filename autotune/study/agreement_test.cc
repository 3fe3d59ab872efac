#include "autotune/study/agreement.h"

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

class AgreementTest : public ::testing::Test {
 protected:
  // Config -> time; a tie is 1 %. The first by name has the fewest resources.
  std::unique_ptr<Store> Tuned(const std::string& file,
                               const std::map<std::string, double>& times,
                               int64_t m = 128) {
    std::unique_ptr<Store> store =
        Store::Open(folder_.File(file), Store::Mode::kReadWrite).value();
    for (const auto& [name, ns] : times) {
      Measurement row = MeasuredAt(ns, TestConfig(name));
      row.problem = TestProblem(m);
      EXPECT_TRUE(store->RecordMeasurement(row).ok());
    }
    return store;
  }

  TemporaryFolder folder_;
};

TEST_F(AgreementTest, TheSameWinnerIsTheSame) {
  const auto one = Tuned("1.db", {{"a", 100}, {"b", 120}});
  const auto other = Tuned("2.db", {{"a", 130}, {"b", 150}});
  const auto agreement = Compare(*one, *other);
  ASSERT_TRUE(agreement.ok()) << agreement.status();
  ASSERT_EQ(agreement->shapes.size(), 1u);
  EXPECT_EQ(agreement->same, 1);
  EXPECT_EQ(agreement->shapes[0].one, agreement->shapes[0].other);
}

TEST_F(AgreementTest, AWinnerInTheOthersTieSetAgrees) {
  const auto one = Tuned("1.db", {{"a", 100}, {"b", 99.6}});
  const auto other = Tuned("2.db", {{"a", 102}, {"b", 100}});
  const auto agreement = Compare(*one, *other);
  ASSERT_TRUE(agreement.ok());
  EXPECT_EQ(agreement->tied, 1);
  EXPECT_LT(agreement->shapes[0].loss_in_one, 0) << "b was faster there";
  EXPECT_NEAR(agreement->shapes[0].loss_in_other, 0.02, 1e-9);
  // Whichever of them is asked about the other.
  EXPECT_EQ(Compare(*other, *one)->tied, 1);
}

TEST_F(AgreementTest, AWinnerThatIsClearlySlowerElsewhereDiffers) {
  const auto one = Tuned("1.db", {{"a", 100}, {"b", 103}});
  const auto other = Tuned("2.db", {{"a", 103}, {"b", 100}});
  EXPECT_EQ(Compare(*one, *other)->differ, 1);
}

TEST_F(AgreementTest, AWinnerThatTheOtherNeverMetDiffers) {
  const auto one = Tuned("1.db", {{"a", 100}});
  const auto other = Tuned("2.db", {{"b", 100}});
  const auto agreement = Compare(*one, *other);
  EXPECT_EQ(agreement->differ, 1);
  EXPECT_TRUE(std::isinf(agreement->shapes[0].loss_in_one));
}

TEST_F(AgreementTest, ShapesOfOneAloneDoNotCount) {
  const auto one = Tuned("1.db", {{"a", 100}}, 128);
  const auto other = Tuned("2.db", {{"a", 100}}, 256);
  EXPECT_TRUE(Compare(*one, *other)->shapes.empty());
}

}  // namespace
}  // namespace tiletune
