#include "autotune/store/database_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

TEST(CheckNoDatabase, RefusesADatabaseByWhateverName) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.csv"), link = folder.File("link");
  ASSERT_TRUE(Store::Open(path, Store::Mode::kReadWrite).ok());
  std::filesystem::create_symlink(path, link);
  for (const std::string& name : {path, link}) {
    const absl::Status status = CheckNoDatabase(name);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_NE(status.message().find(name), absl::string_view::npos);
  }
}

TEST(CheckNoDatabase, LetsOtherFilesThrough) {
  TemporaryFolder folder;
  for (const char* text : {"", "SQLite format", "SQLite format 3 is a text"}) {
    std::ofstream(folder.File("x.txt")) << text;
    EXPECT_TRUE(CheckNoDatabase(folder.File("x.txt")).ok()) << text;
  }
  for (const char* path : {"", "/dev/zero", "/dev/full", "/no/such/file"}) {
    EXPECT_TRUE(CheckNoDatabase(path).ok()) << path;
  }
  EXPECT_TRUE(CheckNoDatabase(folder.path()).ok());
}

}  // namespace
}  // namespace tiletune
