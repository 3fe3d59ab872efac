#include "autotune/command_line/models.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace tiletune {
namespace {

bool Has(const std::vector<Shape>& shapes, int64_t m, int64_t n, int64_t k) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& s) {
    return s.m == m && s.n == n && s.k == k;
  });
}

TEST(Models, KnowsTheLayersOfPublishedModels) {
  const std::vector<Shape> shapes = ShapesOfModels("all").value();
  EXPECT_TRUE(Has(shapes, 16, 6144, 4096));     // Llama 3.1 8B, qkv
  EXPECT_TRUE(Has(shapes, 4096, 8192, 28672));  // Llama 3.1 70B, down
  EXPECT_TRUE(Has(shapes, 1, 24576, 1536));     // DeepSeek-V3, q up
}

TEST(Models, AFirstRunIsShort) {
  const std::vector<Shape> shapes = ShapesOfModels("quick").value();
  EXPECT_GE(shapes.size(), 4u);
  EXPECT_LE(shapes.size(), 12u);
}

TEST(Models, NamesNoShapeTwice) {
  const std::vector<Shape> shapes = ShapesOfModels("all").value();
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(ToString(shape));
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

TEST(Models, ListsTheNamesThereAre) {
  EXPECT_TRUE(ShapesOfModels("qwen2.5-7b,deepseek-v3").ok());
  EXPECT_TRUE(ShapesOfModels("quick,qwen2.5-7b").ok());
  EXPECT_EQ(ShapesOfModels("quick,all")->size(), ShapesOfModels("all")->size());
  EXPECT_FALSE(ShapesOfModels("").ok());
  EXPECT_FALSE(ShapesOfModels("qwen2.5-7b,").ok());
  const absl::Status status = ShapesOfModels("gpt-9").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("deepseek-v3"), absl::string_view::npos);
}

}  // namespace
}  // namespace tiletune
