#include "autotune/planted/defect_list.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(DefectList, NamesEveryDefectOnce) {
  std::set<std::string> names;
  for (Defect defect : AllDefects()) names.emplace(Name(defect));
  EXPECT_EQ(names.size(), AllDefects().size());
  EXPECT_EQ(Name(Defect::kSegfaults), "segfaults");
  EXPECT_EQ(Name(Defect::kWritesBehind), "writes-behind");
}

TEST(DefectList, HasTwentyBugsAndTenFaults) {
  int bugs = 0, faults = 0;
  for (Defect defect : AllDefects()) ++(IsBug(defect) ? bugs : faults);
  EXPECT_GE(bugs, 20);
  EXPECT_EQ(faults, 10);
}

TEST(DefectList, TheFirstMatchCounts) {
  const auto list = DefectList::Parse("hangs:*o2zn*,one-nan:*queue*");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->Of("x_queue o2zn k1"), Defect::kHangs);
  EXPECT_EQ(list->Of("x_queue o1zn k1"), Defect::kOneNan);
  EXPECT_EQ(list->Of("x_static o1zn k1"), Defect::kNone);
}

TEST(DefectList, RefusesWhatItDoesNotKnow) {
  for (const char* bad : {"none:*", "hang:*", "hangs", "hangs:a:b"}) {
    EXPECT_FALSE(DefectList::Parse(bad).ok()) << bad;
  }
  EXPECT_TRUE(DefectList::Parse("").ok());
}

}  // namespace
}  // namespace tiletune
