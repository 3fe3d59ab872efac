#include "kernels/user_path.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(UserPath, IsRelativeToWhereTheUserStoodUnderBazelRun) {
  setenv("BUILD_WORKING_DIRECTORY", "/home/ada", 1);
  EXPECT_EQ(UserPath("x.db"), "/home/ada/x.db");
  EXPECT_EQ(UserPath("../x.db"), "/home/ada/../x.db");
}

TEST(UserPath, IsRelativeToWhereTheUserStoodUnderBazelw) {
  setenv("BUILD_WORKING_DIRECTORY", "/src/tiletune", 1);
  setenv("TILETUNE_STARTED_IN", "/home/ada", 1);
  EXPECT_EQ(UserPath("x.db"), "/home/ada/x.db");
  unsetenv("TILETUNE_STARTED_IN");
}

TEST(UserPath, LeavesAbsoluteAndEmptyPathsAlone) {
  setenv("BUILD_WORKING_DIRECTORY", "/home/ada", 1);
  EXPECT_EQ(UserPath("/tmp/x.db"), "/tmp/x.db");
  EXPECT_EQ(UserPath(""), "");
}

TEST(UserPath, IsTheCurrentDirectoryWithoutBazel) {
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(UserPath("x.db"), "x.db");
}

}  // namespace
}  // namespace tiletune
