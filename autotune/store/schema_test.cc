#include "autotune/store/schema.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "autotune/store/store.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

// Written by the builds of their time; never written again.
const char* const kGolden[] = {"autotune/store/testdata/schema_v1.db",
                               "autotune/store/testdata/schema_v2.db",
                               "autotune/store/testdata/schema_v3.db"};
static_assert(std::size(kGolden) == kSchemaVersion,
              "a new version needs a golden file");

void Sql(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

std::unique_ptr<Connection> OpenFile(const std::string& path) {
  auto db = Connection::Open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             std::chrono::milliseconds(1000));
  return db.ok() ? *std::move(db) : nullptr;
}

void ExpectGoldenContents(const std::string& path, Store::Mode mode) {
  auto store = Store::Open(path, mode);
  ASSERT_TRUE(store.ok()) << store.status();
  auto winners = (*store)->Winners({});
  ASSERT_TRUE(winners.ok()) << winners.status();
  ASSERT_EQ(winners->size(), 2u);
  EXPECT_EQ(winners->front().config, "fast o1zn k1");
  EXPECT_EQ(winners->front().gain, 1.25);
  auto measurements = (*store)->Measurements({});
  ASSERT_EQ(measurements->size(), 3u);
  EXPECT_EQ(measurements->front().samples_ns,
            (std::vector<float>{99.5f, 100.0f, 100.5f}));
  EXPECT_EQ((*store)->Predictions({})->size(), 1u);
  EXPECT_EQ((*store)->Quarantined({})->size(), 1u);
  EXPECT_EQ((*store)->Marks()->size(), 1u);
  EXPECT_EQ((*store)->UnfinishedAttempts({})->size(), 1u);
  EXPECT_EQ((*store)->Runs()->size(), 1u);
}

TEST(Schema, AFileOfEachVersionStillReads) {
  for (const char* golden : kGolden) {
    SCOPED_TRACE(golden);
    TemporaryFolder folder;
    const std::string copy = folder.File("copy.db");
    std::filesystem::copy_file(golden, copy);
    for (Store::Mode mode : {Store::Mode::kImmutable, Store::Mode::kReadOnly,
                             Store::Mode::kReadWrite}) {
      ExpectGoldenContents(copy, mode);
    }
  }
}

// Until version 3 a config was barred under every policy. What hung beside a
// co-tenant has a measurement that says so.
TEST(Schema, FromVersion3WhatHungIsBarredWhereItHung) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  std::filesystem::copy_file(kGolden[1], path);
  const auto hang = [&](int config, const char* policy, int busy) {
    const std::string id = std::to_string(config);
    Sql(path,
        "INSERT INTO configs SELECT " + id + ", key || " + id +
            ", build, variant, supply, tile_m, tile_n, tile_k, cluster_ctas,"
            " stages, threads, shared_bytes, swizzle_offset, swizzle_direction,"
            " split_k FROM configs LIMIT 1;"
            "INSERT OR IGNORE INTO quarantine SELECT device_id, problem_id, " +
            id + ", 'timeout: slow', 1 FROM measurements LIMIT 1;" +
            "INSERT INTO measurements SELECT id + " +
            std::to_string(100 * config) + ", '" + id + policy +
            "', device_id, problem_id, " + id + ", l2, launch, " +
            std::to_string(busy) +
            ", stage, 'timeout', 'slow', is_default, sample_count, median_ns,"
            " mean_ns, min_ns, relative_spread, noise, soak_repeats,"
            " sm_clock_mhz, memory_clock_mhz, temperature_c, power_limit_w,"
            " power_capped, input_kind, driver, run_uid, recorded_at_us,"
            " samples_ns FROM measurements WHERE id = 1;");
  };
  hang(900, "idle", 0);
  hang(901, "busy", 25);
  const auto policy_of = [&](const Store& store, const std::string& config) {
    const std::vector<QuarantineRow> rows = store.Quarantined({}).value();
    for (const QuarantineRow& row : rows) {
      if (row.config.size() < 3 ||
          row.config.substr(row.config.size() - 3) != config) {
        continue;
      }
      return row.policy.has_value() ? PolicyKey(*row.policy) : "each";
    }
    return std::string("none");
  };
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ(policy_of(**store, "900"), "each");
  EXPECT_EQ(policy_of(**store, "901"), "cold-graph-busy25");
  EXPECT_EQ((*store)->Quarantined({})->size(), 3u);
}

TEST(Schema, ANewerFileIsRefusedAndLeftAlone) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  ASSERT_TRUE(Store::Open(path, Store::Mode::kReadWrite).ok());
  Sql(path, "PRAGMA user_version = 1000");
  for (Store::Mode mode : {Store::Mode::kImmutable, Store::Mode::kReadOnly,
                           Store::Mode::kReadWrite}) {
    auto store = Store::Open(path, mode);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
    const std::string message(store.status().message());
    EXPECT_NE(message.find("version 1000"), std::string::npos) << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
  }
  EXPECT_EQ(*OpenFile(path)->QueryInteger("PRAGMA user_version"), 1000);
}

TEST(Schema, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  TemporaryFolder folder;
  const std::string path = folder.File("browser.db");
  Sql(path, "CREATE TABLE history(url TEXT)");
  auto store = Store::Open(path, Store::Mode::kReadWrite);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*OpenFile(path)->QueryInteger("SELECT count(*) FROM sqlite_master"),
            1);
}

TEST(Schema, MigrationsRunForwardAndKeepRows) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  {
    auto store = Store::Open(path, Store::Mode::kReadWrite);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(
        (*store)->RecordMeasurement(MeasuredAt(1, TestConfig("v"))).ok());
  }
  auto db = OpenFile(path);
  std::vector<std::string> later = Migrations();
  later.push_back("ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';");
  later.push_back("CREATE INDEX runs_by_note ON runs(note);");
  ASSERT_TRUE(Migrate(later, db.get()).ok());
  EXPECT_EQ(*SchemaVersion(db.get()), kSchemaVersion + 2);
  EXPECT_EQ(*db->QueryInteger("SELECT count(*) FROM winners"), 1);
  EXPECT_EQ(*db->QueryInteger("SELECT count(note) FROM runs"), 0);
  // Again: nothing to do.
  EXPECT_TRUE(Migrate(later, db.get()).ok());
}

TEST(Schema, AFailedMigrationChangesNothing) {
  TemporaryFolder folder;
  auto db = OpenFile(folder.File("x.db"));
  ASSERT_TRUE(Migrate(Migrations(), db.get()).ok());
  std::vector<std::string> broken = Migrations();
  broken.push_back("DROP TABLE marks; DROP TABLE no_such_table;");
  EXPECT_FALSE(Migrate(broken, db.get()).ok());
  EXPECT_EQ(*SchemaVersion(db.get()), kSchemaVersion);
  EXPECT_EQ(*db->QueryInteger("SELECT count(*) FROM marks"), 0);
  EXPECT_EQ(*db->QueryInteger("SELECT count(*) FROM winners"), 0);
}

// Reads a file whose version is older than this build's without writing to it.
TEST(Schema, AnEmptyFileReadsAsAnEmptyStore) {
  TemporaryFolder folder;
  const std::string path = folder.File("x.db");
  Sql(path, "PRAGMA application_id = 0x544c544e");
  auto store = Store::Open(path, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->Winners({})->empty());
  EXPECT_EQ(*OpenFile(path)->QueryInteger("PRAGMA user_version"), 0);
}

// Makes the tables in `path`, as another process does, when its connection has
// begun so many statements.
struct Maker {
  explicit Maker(std::string file, int when)
      : path(std::move(file)), at(when) {}

  static int OnStatement(unsigned, void* self, void*, void*) {
    Maker* maker = static_cast<Maker*>(self);
    if (maker->seen++ != maker->at) return 0;
    Store::Options options;
    options.patience = std::chrono::milliseconds(0);
    // Refused while the other one reads; what matters is what that one sees.
    Store::Open(maker->path, Store::Mode::kReadWrite, options)
        .status()
        .IgnoreError();
    return 0;
  }

  const std::string path;
  const int at;
  int seen = 0;
};

TEST(Schema, AFileThatAnotherProcessIsMakingIsEmptyOrWhole) {
  for (int at = 0, seen = 1; at < seen; ++at) {
    SCOPED_TRACE(at);
    TemporaryFolder folder;
    const std::string path = folder.File("x.db");
    auto db = OpenFile(path);
    Maker maker(path, at);
    sqlite3_trace_v2(db->get(), SQLITE_TRACE_STMT, &Maker::OnStatement, &maker);
    const absl::StatusOr<int> version = SchemaVersion(db.get());
    ASSERT_TRUE(version.ok()) << version.status();
    EXPECT_TRUE(*version == 0 || *version == kSchemaVersion) << *version;
    seen = maker.seen;
    EXPECT_GE(seen, 3) << "the statements are not traced";
  }
}

}  // namespace
}  // namespace tiletune
