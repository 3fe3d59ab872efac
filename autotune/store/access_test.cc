// Files that cannot be written, are held by somebody, or were left half
// written.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

void MakeStore(const std::string& path) {
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE((*store)->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
}

// Runs `body` in a child that permissions bind even if its user is root: it
// gives up the capability to override them. Returns its exit status.
int BoundByPermissions(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capset, &header, none) != 0) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

// Keeps everybody off the file until it is closed.
sqlite3* Hold(const std::string& path) {
  sqlite3* holder = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &holder), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  return holder;
}

TEST(Access, AMissingFileIsNotFoundAndNotMade) {
  TemporaryFolder folder;
  for (Store::Mode mode : {Store::Mode::kReadOnly, Store::Mode::kImmutable}) {
    auto store = Store::Open(folder.File("no.db"), mode);
    EXPECT_EQ(store.status().code(), absl::StatusCode::kNotFound);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.File("no.db")));
}

// SQLite would make a nameless one, and drop it.
TEST(Access, AnEmptyPathIsNoFile) {
  for (Store::Mode mode : {Store::Mode::kReadOnly, Store::Mode::kReadWrite}) {
    EXPECT_EQ(Store::Open("", mode).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(Access, WritingMakesTheFolders) {
  TemporaryFolder folder;
  const std::string path = folder.File("a/b/c.db");
  EXPECT_TRUE(Store::Open(path, Store::Mode::kReadWrite).ok());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Access, AStoreOpenedForReadingRefusesToWrite) {
  TemporaryFolder folder;
  MakeStore(folder.File("x.db"));
  for (Store::Mode mode : {Store::Mode::kReadOnly, Store::Mode::kImmutable}) {
    auto store = Store::Open(folder.File("x.db"), mode);
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ(
        (*store)->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).code(),
        absl::StatusCode::kPermissionDenied);
    EXPECT_EQ((*store)->Measurements({})->size(), 1u);
  }
}

TEST(Access, AReadOnlyFolderCanBeReadButNotWritten) {
  TemporaryFolder folder;
  MakeStore(folder.File("x.db"));
  chmod(folder.File("x.db").c_str(), 0444);
  chmod(folder.path().c_str(), 0555);
  EXPECT_EQ(BoundByPermissions([&] {
              auto reader =
                  Store::Open(folder.File("x.db"), Store::Mode::kReadOnly);
              if (!reader.ok()) return 1;
              auto winners = (*reader)->Winners({});
              return winners.ok() && winners->size() == 1 ? 0 : 2;
            }),
            0);
  EXPECT_EQ(
      BoundByPermissions([&] {
        auto writer = Store::Open(folder.File("x.db"), Store::Mode::kReadWrite);
        return writer.status().code() == absl::StatusCode::kPermissionDenied
                   ? 0
                   : 1;
      }),
      0);
  chmod(folder.path().c_str(), 0755);
}

TEST(Access, APathWithOddCharactersOpensImmutable) {
  TemporaryFolder folder;
  const std::string path = folder.File("50% & #1 ?a=b.db");
  MakeStore(path);
  auto store = Store::Open(path, Store::Mode::kImmutable);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->Winners({})->size(), 1u);
}

TEST(Access, ALockedFileIsUnavailableAfterPatience) {
  TemporaryFolder folder;
  MakeStore(folder.File("x.db"));
  sqlite3* const holder = Hold(folder.File("x.db"));
  Store::Options options;
  options.patience = std::chrono::milliseconds(100);
  const auto start = std::chrono::steady_clock::now();
  auto store =
      Store::Open(folder.File("x.db"), Store::Mode::kReadOnly, options);
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(store.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_GE(waited, options.patience);
  EXPECT_LT(waited, std::chrono::seconds(20));
  sqlite3_close(holder);
  EXPECT_TRUE(
      Store::Open(folder.File("x.db"), Store::Mode::kReadOnly, options).ok());
}

TEST(Access, ALongWaitIsAnnouncedOnce) {
  TemporaryFolder folder;
  MakeStore(folder.File("x.db"));
  sqlite3* const holder = Hold(folder.File("x.db"));
  Store::Options options;
  options.patience = std::chrono::milliseconds(2500);
  int announced = 0;
  options.on_long_wait = [&announced] { ++announced; };
  auto store =
      Store::Open(folder.File("x.db"), Store::Mode::kReadOnly, options);
  EXPECT_EQ(announced, 1);
  EXPECT_NE(store.status().message().find("try again"), absl::string_view::npos)
      << store.status();
  sqlite3_close(holder);
}

TEST(Access, AFileThatIsDeletedMeanwhileIsNotWrittenTo) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE((*store)->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
  ASSERT_TRUE(std::filesystem::remove(path));
  const absl::Status lost =
      (*store)->RecordMeasurement(MeasuredAt(2, TestConfig("v")));
  EXPECT_EQ(lost.code(), absl::StatusCode::kDataLoss) << lost;
  EXPECT_NE(lost.message().find("deleted meanwhile"), absl::string_view::npos)
      << lost;
}

TEST(Access, AWriterWaitsForAnotherOne) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  MakeStore(path);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    sqlite3* holder = nullptr;
    sqlite3_open(path.c_str(), &holder);
    sqlite3_exec(holder, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    usleep(300000);
    sqlite3_exec(holder, "COMMIT", nullptr, nullptr, nullptr);
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->RecordMeasurement(MeasuredAt(1, TestConfig("w"))).ok());
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(Access, AReaderRollsBackWhatAKilledWriterLeft) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  MakeStore(path);
  const pid_t child = fork();
  if (child == 0) {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    // A cache of one page: changed pages reach the file before COMMIT.
    sqlite3_exec(db,
                 "PRAGMA cache_size = 1; BEGIN IMMEDIATE;"
                 "UPDATE measurements SET median_ns = 7;"
                 "UPDATE configs SET variant = 'broken';"
                 "CREATE TABLE filler AS WITH RECURSIVE c(i) AS (SELECT 1 "
                 "UNION ALL SELECT i + 1 FROM c LIMIT 500) SELECT i, "
                 "randomblob(1000) FROM c;",
                 nullptr, nullptr, nullptr);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(path + "-journal"));
  auto store = Store::Open(path, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->Winners({})->front().median_ns, 1);
  EXPECT_TRUE((*store)->CheckIntegrity().ok());
}

TEST(Access, AFileThatIsNoDatabaseIsDataLoss) {
  TemporaryFolder folder;
  std::ofstream(folder.File("x.db")) << std::string(5000, 'x');
  for (Store::Mode mode : {Store::Mode::kReadOnly, Store::Mode::kImmutable,
                           Store::Mode::kReadWrite}) {
    auto store = Store::Open(folder.File("x.db"), mode);
    EXPECT_EQ(store.status().code(), absl::StatusCode::kDataLoss)
        << store.status();
    EXPECT_NE(store.status().message().find("name another file"),
              absl::string_view::npos)
        << store.status();
  }
}

// SQLite would wait for ever for what nobody writes.
TEST(Access, APipeADeviceAndAFolderAreRefusedAtOnce) {
  alarm(20);
  TemporaryFolder folder;
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path :
       {pipe, std::string("/dev/zero"), folder.path()}) {
    for (Store::Mode mode : {Store::Mode::kReadOnly, Store::Mode::kImmutable,
                             Store::Mode::kReadWrite}) {
      auto store = Store::Open(path, mode);
      EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(store.status().message(), path + ": not a regular file");
    }
  }
  alarm(0);
}

}  // namespace
}  // namespace tiletune
