#include "autotune/store/export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "autotune/store/csv.h"
#include "autotune/store/json_lines.h"
#include "autotune/store/store_testing.h"

namespace tiletune {
namespace {

class ExportTest : public ::testing::Test {
 protected:
  std::unique_ptr<Store> Open(const std::string& name) {
    auto opened = Store::Open(folder_.File(name), Store::Mode::kReadWrite);
    if (!opened.ok()) ADD_FAILURE() << opened.status();
    return *std::move(opened);
  }

  std::unique_ptr<Store> Filled(const std::string& name) {
    auto store = Open(name);
    Measurement m = MeasuredAt(1.0 / 3, TestConfig("v"));
    m.detail = "a \"quoted\", text; with\ttabs and \xc3\xa9";
    m.samples_ns = {0.1f, 1e-20f, 3e8f};
    m.device.name = "123";  // a text that looks like a number
    EXPECT_TRUE(store->RecordMeasurement(m).ok());
    EXPECT_TRUE(
        store->RecordMeasurement(MeasuredAt(100, TestConfig("w", "clc"))).ok());
    Prediction p;
    p.problem = TestProblem();
    p.config = TestConfig("v");
    p.device = TestDevice();
    p.model = "model 1";
    p.predicted_ns = 12.5;
    EXPECT_TRUE(store->RecordPrediction(p).ok());
    EXPECT_TRUE(
        store->Quarantine(TestProblem(), TestConfig("q"), TestDevice(), "hung")
            .ok());
    EXPECT_TRUE(store->MarkMeasurement("x", Mark::kStale, "old").ok());
    EXPECT_TRUE(store->StartRun(tiletune::Run()).ok());
    return store;
  }

  static std::string Text(const Store& store, TextFormat format) {
    std::ostringstream out;
    const absl::Status status = Export(store, format, out);
    EXPECT_TRUE(status.ok()) << status;
    return out.str();
  }

  TemporaryFolder folder_;
};

TEST_F(ExportTest, ImportedJsonLinesExportAsTheSameText) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kJsonl);
  auto copy = Open("b.db");
  std::istringstream in(text);
  auto counts = Import(in, TextFormat::kJsonl, copy.get());
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->read, 6);
  EXPECT_EQ(counts->skipped, 0);
  EXPECT_EQ(Text(*copy, TextFormat::kJsonl), text);
  EXPECT_EQ(copy->Winners({})->front().median_ns, 1.0 / 3);
}

// Written before a config could be barred under one policy alone.
TEST_F(ExportTest, ABarWithoutAPolicyBarsUnderEachOne) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kJsonl);
  const std::string policy = "\"policy\":\"\",";
  const size_t at = text.find(policy);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, policy.size());
  auto copy = Open("b.db");
  std::istringstream in(text);
  const auto counts = Import(in, TextFormat::kJsonl, copy.get());
  ASSERT_TRUE(counts.ok()) << counts.status();
  ASSERT_EQ(copy->Quarantined({})->size(), 1u);
  EXPECT_FALSE(copy->Quarantined({})->front().policy.has_value());
  EXPECT_EQ(Text(*copy, TextFormat::kJsonl), Text(*store, TextFormat::kJsonl));
}

TEST_F(ExportTest, ABarUnderNoSuchPolicyIsNoRow) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kJsonl);
  const std::string policy = "\"policy\":\"\"";
  text.replace(text.find(policy), policy.size(), "\"policy\":\"lukewarm\"");
  auto copy = Open("b.db");
  std::istringstream in(text);
  const auto counts = Import(in, TextFormat::kJsonl, copy.get());
  EXPECT_NE(std::string(counts.status().message()).find("lukewarm"),
            std::string::npos)
      << counts.status();
}

TEST_F(ExportTest, ImportedCsvExportsAsTheSameText) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kCsv);
  auto copy = Open("b.db");
  std::istringstream in(text);
  auto counts = Import(in, TextFormat::kCsv, copy.get());
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->read, 2);
  EXPECT_EQ(Text(*copy, TextFormat::kCsv), text);
  EXPECT_EQ(copy->Measurements({})->front().samples_ns,
            (std::vector<float>{0.1f, 1e-20f, 3e8f}));
}

TEST_F(ExportTest, ImportingTwiceChangesNothing) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kJsonl);
  std::istringstream in(text);
  ASSERT_TRUE(Import(in, TextFormat::kJsonl, store.get()).ok());
  EXPECT_EQ(Text(*store, TextFormat::kJsonl), text);
}

TEST_F(ExportTest, ABadLineIsNamedAndNothingIsTaken) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kJsonl);
  const std::string good = text.substr(0, text.find('\n') + 1);
  for (const char* bad :
       {"{\"row\":\"measurement\"}", "not json", "[1]", "{\"no\":\"row\"}",
        "{\"row\":\"mark\",\"measurement_uid\":\"u\",\"mark\":\"gone\","
        "\"reason\":\"\"}",
        "{\"row\":\"mark\",\"measurement_uid\":[1],\"mark\":\"stale\","
        "\"reason\":\"\"}"}) {
    auto copy = Open("b.db");
    std::istringstream in(good + bad + "\n");
    auto counts = Import(in, TextFormat::kJsonl, copy.get());
    ASSERT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument)
        << bad;
    EXPECT_EQ(counts.status().message().substr(0, 8), "line 2: ")
        << counts.status();
    EXPECT_TRUE(copy->Runs()->empty());
  }
}

TEST_F(ExportTest, TimesThatNothingTakesAreRefused) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kJsonl);
  for (const std::string column : {"predicted_ns", "median_ns"}) {
    const size_t at = text.find("\"" + column + "\":") + column.size() + 3;
    for (const char* time : {"-5", "0.0"}) {
      std::string bad = text;
      bad.replace(at, bad.find_first_of(",}", at) - at, time);
      auto copy = Open("b.db");
      std::istringstream in(bad);
      auto counts = Import(in, TextFormat::kJsonl, copy.get());
      EXPECT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_NE(counts.status().message().find(column + " of "),
                absl::string_view::npos)
          << counts.status();
    }
  }
}

TEST_F(ExportTest, DatesThatNoClockShowsAreRefused) {
  auto store = Filled("a.db");
  const std::string text = Text(*store, TextFormat::kJsonl);
  const std::string column = "\"recorded_at_us\":";
  const size_t at = text.find(column) + column.size();
  for (const char* date : {"-1", "9000000000000000000", "9e18", "1.5",
                           "\"9000000000000000000\"", "null"}) {
    std::string bad = text;
    bad.replace(at, bad.find_first_of(",}", at) - at, date);
    auto copy = Open("b.db");
    std::istringstream in(bad);
    const auto counts = Import(in, TextFormat::kJsonl, copy.get());
    EXPECT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument)
        << date;
  }
}

TEST_F(ExportTest, AByteOrderMarkIsNoPartOfTheFirstColumn) {
  auto store = Filled("a.db");
  for (TextFormat format : {TextFormat::kCsv, TextFormat::kJsonl}) {
    auto copy = Open("b.db");
    std::istringstream in("\xEF\xBB\xBF" + Text(*store, format));
    auto counts = Import(in, format, copy.get());
    EXPECT_TRUE(counts.ok()) << counts.status();
  }
}

// As an editor of another system leaves it.
TEST_F(ExportTest, LinesMayEndInCarriageReturnsAndBeEmpty) {
  auto store = Filled("a.db");
  for (TextFormat format : {TextFormat::kCsv, TextFormat::kJsonl}) {
    const std::string text = Text(*store, format);
    std::string edited = "\r\n\n";
    for (char c : text) edited += c == '\n' ? "\r\n\r\n" : std::string(1, c);
    auto copy = Open(format == TextFormat::kCsv ? "b.db" : "c.db");
    std::istringstream in(edited);
    const auto counts = Import(in, format, copy.get());
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(Text(*copy, format), text);
  }
}

TEST_F(ExportTest, ADiskThatIsFullIsAnError) {
  auto store = Filled("a.db");
  for (TextFormat format : {TextFormat::kCsv, TextFormat::kJsonl}) {
    std::ofstream full("/dev/full");
    EXPECT_TRUE(absl::IsDataLoss(Export(*store, format, full)));
  }
}

TEST_F(ExportTest, AColumnThatIsThereTwiceIsRefused) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kCsv);
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const std::string more = at == text.find('\n') ? ",median_ns" : ",1.0";
    text.insert(at, more);
    at += more.size() + 1;
  }
  auto copy = Open("b.db");
  std::istringstream in(text);
  const auto counts = Import(in, TextFormat::kCsv, copy.get());
  EXPECT_EQ(counts.status().message(),
            "line 1: the column median_ns is there twice");
}

TEST_F(ExportTest, WhatCannotBeReadIsNotEmpty) {
  auto store = Open("a.db");
  for (TextFormat format : {TextFormat::kCsv, TextFormat::kJsonl}) {
    std::ifstream folder(::testing::TempDir());
    EXPECT_FALSE(Import(folder, format, store.get()).ok());
  }
}

TEST_F(ExportTest, ACsvOfSomethingElseIsRefused) {
  auto store = Open("a.db");
  std::istringstream in("SQLite format 3");
  auto counts = Import(in, TextFormat::kCsv, store.get());
  EXPECT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ExportTest, AMeasurementOfAModelledDeviceIsNotTaken) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kJsonl);
  size_t changed = 0;
  for (size_t at = 0;
       (at = text.find("\"device\":\"cc", at)) != std::string::npos;
       ++changed) {
    text.replace(at, 12, "\"device\":\"model cc");
    const size_t flag = text.find("\"modelled\":0", at);
    text.replace(flag, 12, "\"modelled\":1");
    at = flag;
  }
  ASSERT_EQ(changed, 4u);
  auto copy = Open("b.db");
  std::istringstream in(text);
  auto counts = Import(in, TextFormat::kJsonl, copy.get());
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->skipped, 2);
  EXPECT_TRUE(copy->Measurements({})->empty());
  EXPECT_EQ(copy->Predictions({})->size(), 1u);
}

TEST_F(ExportTest, AModelledDeviceCannotPoseAsARealOne) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kJsonl);
  const size_t at = text.find("\"device\":\"cc");
  text.replace(at, 12, "\"device\":\"model cc");  // and "modelled":0
  auto copy = Open("b.db");
  std::istringstream in(text);
  EXPECT_EQ(Import(in, TextFormat::kJsonl, copy.get()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ExportTest, ANewerBuildsRowsAreCountedAndLeftOut) {
  auto store = Filled("a.db");
  std::string text = Text(*store, TextFormat::kJsonl);
  const std::string key = ProblemKey(TestProblem());
  for (size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
    text.replace(at, key.size(), "a problem of tomorrow");
  }
  text += "{\"row\":\"comet\",\"uid\":\"1\"}\n";
  auto copy = Open("b.db");
  std::istringstream in(text);
  auto counts = Import(in, TextFormat::kJsonl, copy.get());
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->read, 2);
  EXPECT_EQ(counts->skipped, 5);
}

TEST(Csv, FieldsKeepTheirTypes) {
  Row row;
  row.Set("integer", int64_t{5});
  row.Set("real", 5.0);
  row.Set("text", std::string("5"));
  row.Set("empty", std::string());
  row.Set("comma", std::string("a,\"b\""));
  row.Set("null", std::monostate());
  row.Set("samples_ns", std::vector<float>{1.5f, 2.0f});
  auto same = ParseCsvLine(*SplitCsvLine(CsvHeader(row)), ToCsvLine(row));
  ASSERT_TRUE(same.ok());
  for (size_t i = 0; i < row.columns().size(); ++i) {
    EXPECT_TRUE(row.columns()[i] == same->columns()[i])
        << row.columns()[i].first << " in " << ToCsvLine(row);
  }
}

TEST(Csv, ALineHasAFieldForEachColumn) {
  for (const char* line : {"1", "1,2,3", ""}) {
    EXPECT_EQ(ParseCsvLine({"m", "n"}, line).status().code(),
              absl::StatusCode::kInvalidArgument)
        << line;
  }
  EXPECT_TRUE(ParseCsvLine({"m", "n"}, "1,").ok());
}

TEST(JsonLines, ReadsWhatOtherProgramsMakeOfTheTypesOfSql) {
  const auto parsed = ParseJsonLine(
      "{\"row\":\"x\",\"flag\":true,\"deep\":{\"a\":1},\"samples\":[1,2.5],"
      "\"texts\":[\"1\"],\"none\":null}");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const Row& row = parsed->second;
  EXPECT_EQ(row.Integer("flag"), 1);
  EXPECT_EQ(row.Floats("samples"), (std::vector<float>{1, 2.5}));
  for (const char* column : {"deep", "texts", "none"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(*row.Find(column)))
        << column;
  }
}

TEST(JsonLines, BytesThatAreNoUtf8DoNotBreakTheFile) {
  Row row;
  row.Set("text", std::string("\xff\n"));
  const std::string line = ToJsonLine("kind", row);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  auto same = ParseJsonLine(line);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->second.Text("text"), "\xef\xbf\xbd\n");
}

}  // namespace
}  // namespace tiletune
