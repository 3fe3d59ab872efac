#include "kernels/csv_fields.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

std::vector<std::string> TextsOf(const std::string& line) {
  const auto fields = SplitCsvFields(line);
  EXPECT_TRUE(fields.ok()) << fields.status();
  std::vector<std::string> texts;
  for (const CsvField& field : *fields) texts.push_back(field.text);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(SplitCsvFields, ACommaEndsAField) {
  EXPECT_EQ(TextsOf("16,,a b"), (Texts{"16", "", "a b"}));
  EXPECT_EQ(TextsOf(""), (Texts{""}));
  EXPECT_EQ(TextsOf(","), (Texts{"", ""}));
}

TEST(SplitCsvFields, ButForOneInQuotes) {
  EXPECT_EQ(TextsOf("\"a,b\",c"), (Texts{"a,b", "c"}));
  EXPECT_EQ(TextsOf("\"say \"\"hi\"\"\""), (Texts{"say \"hi\""}));
  EXPECT_EQ(TextsOf("\"\""), (Texts{""}));
  EXPECT_EQ(TextsOf("a,\"b,c\",\"d\"\"e\",,f"),
            (Texts{"a", "b,c", "d\"e", "", "f"}));
}

TEST(SplitCsvFields, SaysWhichAreQuoted) {
  const auto fields = SplitCsvFields("\"5\",5");
  ASSERT_TRUE(fields.ok());
  EXPECT_TRUE((*fields)[0].quoted);
  EXPECT_FALSE((*fields)[1].quoted);
}

// A file that was cut off.
TEST(SplitCsvFields, AQuoteEnds) {
  EXPECT_EQ(SplitCsvFields("16,\"a,b").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tiletune
