// Many processes that write one file, and processes that are killed in
// mid-write. Sizes come from the command line.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

int g_writers = 4;
int g_rows = 20;
int g_kills = 3;

Measurement RowOf(int writer, int row) {
  Measurement m = MeasuredAt(100 + row, TestConfig("v" + std::to_string(row)));
  m.uid = std::to_string(writer) + "/" + std::to_string(row);
  m.problem = TestProblem(1 + writer, 1 + row % 10);
  return m;
}

std::set<std::string> Uids(const Store& store) {
  std::set<std::string> uids;
  auto measurements = store.Measurements({});
  EXPECT_TRUE(measurements.ok()) << measurements.status();
  for (const Measurement& m : *measurements) uids.insert(m.uid);
  return uids;
}

TEST(Writers, LoseNoRowAndNeverSeeALock) {
  TemporaryFolder folder;
  const std::string path = folder.File("shared.db");
  std::vector<pid_t> children;
  for (int writer = 0; writer < g_writers; ++writer) {
    const pid_t child = fork();
    if (child == 0) {
      // All of them find no file, and one of them makes the tables.
      auto store = Store::Open(path, Store::Mode::kReadWrite);
      if (!store.ok()) {
        fprintf(stderr, "%s\n", store.status().ToString().c_str());
        _exit(1);
      }
      for (int row = 0; row < g_rows; ++row) {
        const absl::Status status =
            (*store)->RecordMeasurement(RowOf(writer, row));
        if (!status.ok()) {
          fprintf(stderr, "%s\n", status.ToString().c_str());
          _exit(2);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto store = Store::Open(path, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(Uids(**store).size(), static_cast<size_t>(g_writers * g_rows));
  EXPECT_TRUE((*store)->CheckIntegrity().ok());
}

// Writes rows from `first` on, and says the number of each through `done` when
// the store has returned.
void WriteForever(const std::string& path, int first, int done) {
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  if (!store.ok()) _exit(1);
  for (int row = first;; ++row) {
    if (!(*store)->RecordMeasurement(RowOf(0, row)).ok()) _exit(2);
    if (write(done, &row, sizeof(row)) != sizeof(row)) _exit(3);
  }
}

TEST(Writers, AKilledOneLosesNothingThatWasRecorded) {
  TemporaryFolder folder;
  const std::string path = folder.File("killed.db");
  std::minstd_rand random(1);
  std::set<std::string> recorded;
  int next = 0;
  for (int kill_number = 0; kill_number < g_kills; ++kill_number) {
    int done[2];
    ASSERT_EQ(pipe(done), 0);
    const pid_t child = fork();
    if (child == 0) WriteForever(path, next, done[1]);
    close(done[1]);
    usleep(20000 + random() % 60000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    int row;
    while (read(done[0], &row, sizeof(row)) == sizeof(row)) {
      recorded.insert(RowOf(0, row).uid);
      next = row + 1;
    }
    close(done[0]);

    auto store = Store::Open(path, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->CheckIntegrity().ok());
    const std::set<std::string> stored = Uids(**store);
    for (const std::string& uid : recorded) EXPECT_EQ(stored.count(uid), 1u);
    // The row it was at may have been committed or not.
    EXPECT_LE(stored.size(), recorded.size() + 1);
    recorded = stored;
    next = static_cast<int>(stored.size());
  }
  EXPECT_GT(recorded.size(), 0u);
}

void ReadFlag(const char* argument, const char* name, int* value) {
  const size_t length = strlen(name);
  if (strncmp(argument, name, length) == 0) *value = atoi(argument + length);
}

}  // namespace
}  // namespace tiletune

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    tiletune::ReadFlag(argv[i], "--writers=", &tiletune::g_writers);
    tiletune::ReadFlag(argv[i], "--rows=", &tiletune::g_rows);
    tiletune::ReadFlag(argv[i], "--kills=", &tiletune::g_kills);
  }
  return RUN_ALL_TESTS();
}
