#include "autotune/store/path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class DefaultPathTest : public ::testing::Test {
 protected:
  DefaultPathTest() {
    for (const char* name :
         {"TILETUNE_DB", "XDG_DATA_HOME", "HOME", "BUILD_WORKING_DIRECTORY"}) {
      unsetenv(name);
    }
  }
};

TEST_F(DefaultPathTest, TheVariableComesFirst) {
  setenv("TILETUNE_DB", "some/where.db", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(DefaultDatabasePath(), "some/where.db");
}

TEST_F(DefaultPathTest, TheVariableIsRelativeToWhereTheUserStood) {
  setenv("TILETUNE_DB", "where.db", 1);
  setenv("BUILD_WORKING_DIRECTORY", "/home/ada", 1);
  EXPECT_EQ(DefaultDatabasePath(), "/home/ada/where.db");
}

TEST_F(DefaultPathTest, ThenTheDataFolder) {
  setenv("TILETUNE_DB", "", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(DefaultDatabasePath(), "/data/tiletune/tiletune.db");
}

TEST_F(DefaultPathTest, ARelativeDataFolderIsIgnored) {
  setenv("XDG_DATA_HOME", "data", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(DefaultDatabasePath(),
            "/home/me/.local/share/tiletune/tiletune.db");
}

TEST_F(DefaultPathTest, WithoutAHomeUsersDoNotShareAFile) {
  EXPECT_EQ(DefaultDatabasePath(),
            "/tmp/tiletune-" + std::to_string(getuid()) + "/tiletune.db");
}

TEST(OnNetworkFilesystem, ALocalFolderIsNot) {
  TemporaryFolder folder;
  EXPECT_FALSE(OnNetworkFilesystem(folder.File("not/yet/there.db")));
  EXPECT_FALSE(OnNetworkFilesystem("/proc/nothing"));
}

}  // namespace
}  // namespace tiletune
