// An object of a cuda_library holds code for its archs and for those of its
// extra_archs flag.
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "testing/elf/elf_sections.h"
#include "testing/emulator/fatbin/fatbin.h"

namespace tiletune {
namespace {

using emulator::FatbinImage;
using Image = std::pair<FatbinImage::Kind, int>;

constexpr FatbinImage::Kind kPtx = FatbinImage::Kind::kPtx;
constexpr FatbinImage::Kind kCode = FatbinImage::Kind::kElf;

// What the object of a cuda_library embeds, and for which architecture.
std::set<Image> ImagesOf(const std::string& target) {
  const std::string path =
      "testing/cuda_rules/_objs/" + target + "/kernel.pic.o";
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  std::set<Image> images;
  for (const ElfSection& section : ElfSections(file)) {
    if (section.name != ".nv_fatbin") continue;
    const absl::StatusOr<std::vector<FatbinImage>> read =
        emulator::ReadFatbin(section.bytes);
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) continue;
    for (const FatbinImage& image : *read) {
      images.emplace(image.kind, image.architecture);
    }
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
