// An object of a cuda_library holds code for its archs and for those of its
// extra_archs flag.
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "testing/cuda_rules/embedded_images.h"

namespace tiletune {
namespace {

using Kind = EmbeddedImage::Kind;
using Image = std::pair<Kind, int>;

constexpr Kind kPtx = Kind::kPtx;
constexpr Kind kCode = Kind::kElf;

// What the object of a cuda_library embeds, and for which architecture.
std::set<Image> ImagesOf(const std::string& target) {
  std::set<Image> images;
  for (const EmbeddedImage& image :
       EmbeddedImages("testing/cuda_rules/_objs/" + target + "/kernel.pic.o")) {
    images.emplace(image.kind, image.architecture);
  }
  return images;
}

TEST(CudaLibrary, HoldsCodeAndPtxOfItsArchs) {
  EXPECT_EQ(ImagesOf("archs"),
            (std::set<Image>{{kCode, 90}, {kCode, 100}, {kPtx, 100}}));
}

TEST(CudaLibrary, HoldsCodeOfItsExtraArchsToo) {
  EXPECT_EQ(
      ImagesOf("extra_archs"),
      (std::set<Image>{{kCode, 90}, {kCode, 100}, {kPtx, 100}, {kCode, 103}}));
}

}  // namespace
}  // namespace tiletune
