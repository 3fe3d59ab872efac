#include "autotune/commands/output_file.h"

#include <fstream>
#include <iterator>
#include <string>

#include "autotune/store/memory_folder.h"
#include "autotune/store/store.h"
#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(OutputFile, IsWrittenAnew) {
  MemoryFolder folder;
  const std::string path = folder.File("x.csv");
  for (const char* text : {"a longer text", "text"}) {
    absl::StatusOr<std::ofstream> file = OpenOutput(path);
    ASSERT_TRUE(file.ok()) << file.status();
    *file << text;
    EXPECT_TRUE(CloseOutput(path, &*file).ok());
    EXPECT_EQ(TextOf(path), text);
  }
}

TEST(OutputFile, LeavesADatabaseAsItIs) {
  MemoryFolder folder;
  const std::string path = folder.File("x.db");
  ASSERT_TRUE(Store::Open(path, Store::Mode::kReadWrite).ok());
  const std::string before = TextOf(path);
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenOutput(path).status()));
  EXPECT_TRUE(TextOf(path) == before);
}

TEST(OutputFile, SaysThatItCannotBeWritten) {
  MemoryFolder folder;
  const absl::Status status = OpenOutput(folder.File("no/x.csv")).status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_NE(status.message().find("No such file"), absl::string_view::npos);
}

TEST(OutputFile, SaysThatTheDiskIsFull) {
  absl::StatusOr<std::ofstream> file = OpenOutput("/dev/full");
  ASSERT_TRUE(file.ok()) << file.status();
  *file << "text";
  EXPECT_TRUE(absl::IsDataLoss(CloseOutput("/dev/full", &*file)));
}

}  // namespace
}  // namespace tiletune
