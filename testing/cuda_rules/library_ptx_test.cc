// cuda_library_ptx gives the PTX that is in the object.
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "testing/cuda_rules/embedded_images.h"

namespace tiletune {
namespace {

const std::string kFolder = "testing/cuda_rules/";

// `ptx` without comments and white space: an object embeds as little of both as
// will do.
std::string Text(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    for (const unsigned char c : line.substr(0, line.find("//"))) {
      if (!std::isspace(c)) text += c;
    }
  }
  return text;
}

// The PTX that the object of `source`.cu in `library` embeds for
// `architecture`; empty without one.
std::string PtxInObject(const std::string& library, const std::string& source,
                        int architecture) {
  for (const EmbeddedImage& image :
       EmbeddedImages(kFolder + "_objs/" + library + "/" + source + ".pic.o")) {
    if (image.kind == EmbeddedImage::Kind::kPtx &&
        image.architecture == architecture) {
      return image.bytes;
    }
  }
  return "";
}

TEST(CudaLibraryPtx, IsTheObjectsForItsOnlyArchitecture) {
  const std::string ptx = FileBytes(kFolder + "one_arch_ptx.ptx");
  EXPECT_NE(ptx.find(".target sm_100f"), std::string::npos);
  EXPECT_EQ(Text(ptx), Text(PtxInObject("one_arch", "kernel", 100)));
}

TEST(CudaLibraryPtx, IsTheObjectsForEachOfItsFilesAndArchitectures) {
  for (const std::string source : {"kernel", "twice"}) {
    for (const int architecture : {90, 100}) {
      const std::string target =
          "two_files_" + std::to_string(architecture) + "_ptx";
      const std::string ptx =
          FileBytes(kFolder + target + "/" + source + ".ptx");
      EXPECT_NE(Text(ptx), "");
      EXPECT_EQ(Text(ptx), Text(PtxInObject("two_files", source, architecture)))
          << target;
    }
  }
}

TEST(CudaLibraryPtx, IsThereForAnArchitectureWhosePtxIsNotEmbedded) {
  const std::string ptx = FileBytes(kFolder + "archs_90_ptx.ptx");
  EXPECT_NE(ptx.find(".target sm_90\n"), std::string::npos);
  EXPECT_EQ(PtxInObject("archs", "kernel", 90), "");
}

}  // namespace
}  // namespace tiletune
