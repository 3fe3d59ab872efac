// The fat binary that an object of a cuda_library embeds, image by image.
//
// For tests of the rules; a path is one of the test's data.
//
//   for (const EmbeddedImage& image : EmbeddedImages("room/_objs/saxpy/x.o"))
//     if (image.kind == EmbeddedImage::Kind::kPtx) Read(image.bytes);
#ifndef TILETUNE_TESTING_CUDA_RULES_EMBEDDED_IMAGES_H_
#define TILETUNE_TESTING_CUDA_RULES_EMBEDDED_IMAGES_H_

#include <string>
#include <vector>

#include "testing/emulator/fatbin/fatbin.h"

namespace tiletune {

struct EmbeddedImage {
  using Kind = emulator::FatbinImage::Kind;

  Kind kind = Kind::kOther;
  int architecture = 0;  // 90 for sm_90 and compute_90a
  std::string bytes;     // not compressed
};

// The images of the object at `path`. A file that cannot be read, or holds no
// sound fat binary, fails the running test and gives none.
std::vector<EmbeddedImage> EmbeddedImages(const std::string& path);

// The bytes of the file at `path`; fails the running test where there is none.
std::string FileBytes(const std::string& path);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_CUDA_RULES_EMBEDDED_IMAGES_H_
