#include "testing/cuda_rules/embedded_images.h"

#include <fstream>
#include <iterator>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "testing/elf/elf_sections.h"

namespace tiletune {

std::string FileBytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<EmbeddedImage> EmbeddedImages(const std::string& path) {
  const std::string file = FileBytes(path);
  std::vector<EmbeddedImage> images;
  for (const ElfSection& section : ElfSections(file)) {
    if (section.name != ".nv_fatbin") continue;
    const absl::StatusOr<std::vector<emulator::FatbinImage>> read =
        emulator::ReadFatbin(section.bytes);
    EXPECT_TRUE(read.ok()) << path << ": " << read.status();
    if (!read.ok()) continue;
    for (const emulator::FatbinImage& image : *read) {
      const absl::StatusOr<std::string> bytes = emulator::Decompress(image);
      EXPECT_TRUE(bytes.ok()) << path << ": " << bytes.status();
      if (bytes.ok()) {
        images.push_back({image.kind, image.architecture, *bytes});
      }
    }
  }
  return images;
}

}  // namespace tiletune
