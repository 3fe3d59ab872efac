#include "testing/emulator/fatbin/fatbin.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace tiletune::emulator {
namespace {

std::string ReadFile(const std::string& name) {
  std::ifstream file("testing/emulator/fatbin/testdata/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The same three images, as nvcc stores them in each of its ways.
class Fatbin : public testing::TestWithParam<const char*> {
 protected:
  const std::string bytes_ =
      ReadFile(std::string("kernels_") + GetParam() + ".fatbin");
};

TEST_P(Fatbin, ListsItsImagesInOrder) {
  auto images = ReadFatbin(bytes_);
  ASSERT_TRUE(images.ok()) << images.status();
  ASSERT_EQ(images->size(), 3u);
  EXPECT_EQ((*images)[0].kind, FatbinImage::Kind::kElf);
  EXPECT_EQ((*images)[1].kind, FatbinImage::Kind::kPtx);
  EXPECT_EQ((*images)[1].architecture, 90);
  EXPECT_EQ((*images)[2].architecture, 100);
}

TEST_P(Fatbin, GivesThePtxAsTheCompilerWroteIt) {
  auto images = ReadFatbin(bytes_);
  ASSERT_TRUE(images.ok()) << images.status();
  auto first = Decompress((*images)[1]);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_NE(first->find(".visible .entry first("), std::string::npos);
  EXPECT_EQ(first->back(), '\n');
  auto second = Decompress((*images)[2]);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(second->find(".visible .entry second("), std::string::npos);
}

TEST_P(Fatbin, GivesMachineCodeAsAnElfFile) {
  auto images = ReadFatbin(bytes_);
  ASSERT_TRUE(images.ok()) << images.status();
  auto elf = Decompress((*images)[0]);
  ASSERT_TRUE(elf.ok()) << elf.status();
  EXPECT_EQ(elf->substr(0, 4),
            "\x7f"
            "ELF");
}

TEST_P(Fatbin, ReportsEveryTruncation) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    // A copy of just that size, so that a sanitizer sees reads past its end.
    const std::string cut(bytes_.data(), size);
    auto images = ReadFatbin(cut);
    ASSERT_FALSE(images.ok()) << size;
    EXPECT_EQ(images.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_P(Fatbin, ReportsDataTruncatedWithinTheContainer) {
  for (size_t size = 16; size < bytes_.size(); ++size) {
    std::string cut(bytes_.data(), size);
    const uint64_t rest = size - 16;
    std::memcpy(cut.data() + 8, &rest, sizeof(rest));
    auto images = ReadFatbin(cut);
    // Cut between two entries it is just a container of fewer images.
    if (images.ok()) {
      EXPECT_LT(images->size(), 3u) << size;
    }
  }
}

TEST_P(Fatbin, ReadsContainersThatFollowEachOther) {
  auto images = ReadFatbin(bytes_ + bytes_);
  ASSERT_TRUE(images.ok()) << images.status();
  EXPECT_EQ(images->size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(Modes, Fatbin, testing::Values("none", "lz4", "zstd"));

TEST(Decompress, ReportsDamagedData) {
  for (const char* mode : {"lz4", "zstd"}) {
    const std::string bytes =
        ReadFile(std::string("kernels_") + mode + ".fatbin");
    auto images = ReadFatbin(bytes);
    ASSERT_TRUE(images.ok()) << images.status();
    FatbinImage image = (*images)[1];
    image.payload = image.payload.substr(0, image.payload.size() / 2);
    EXPECT_EQ(Decompress(image).status().code(),
              absl::StatusCode::kInvalidArgument)
        << mode;
    image = (*images)[1];
    ++image.uncompressed_bytes;
    EXPECT_EQ(Decompress(image).status().code(),
              absl::StatusCode::kInvalidArgument)
        << mode;
  }
}

TEST(Decompress, RefusesAnImageThatClaimsToBeHuge) {
  FatbinImage image;
  image.compression = FatbinImage::Compression::kZstd;
  image.uncompressed_bytes = uint64_t{1} << 60;
  EXPECT_EQ(Decompress(image).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(ReadFatbin, SaysWhereNoFatBinaryBegins) {
  auto images = ReadFatbin(std::string(64, 'x'));
  EXPECT_EQ(images.status().message(),
            "fat binary, offset 0: no fat binary begins here");
}

}  // namespace
}  // namespace tiletune::emulator
