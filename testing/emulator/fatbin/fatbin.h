// Reads the images (PTX text, machine code) out of a CUDA fat binary.
//
// Use it on what a host object hands to __cudaRegisterFatBinary, or on a file
// that nvcc -fatbin wrote.
//
//   absl::StatusOr<std::vector<FatbinImage>> images = ReadFatbin(bytes);
//   if (!images.ok()) return images.status();
//   for (const FatbinImage& image : *images)
//     if (image.kind == FatbinImage::Kind::kPtx)
//       absl::StatusOr<std::string> ptx = Decompress(image);
#ifndef TILETUNE_TESTING_EMULATOR_FATBIN_FATBIN_H_
#define TILETUNE_TESTING_EMULATOR_FATBIN_FATBIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tiletune::emulator {

struct FatbinImage {
  enum class Kind { kPtx, kElf, kOther };
  enum class Compression { kNone, kLz4, kZstd };

  Kind kind = Kind::kOther;
  Compression compression = Compression::kNone;
  int architecture = 0;             // 90 for sm_90 and compute_90a
  uint64_t uncompressed_bytes = 0;  // of a compressed image
  std::string_view payload;         // as stored; a view of the fat binary
};

// Bytes that a container spans, its own header included, or an error when
// `bytes` (at least its first 16) do not begin one. For callers that know only
// where a container begins.
absl::StatusOr<uint64_t> FatbinBytes(std::string_view bytes);

// The images of one container or of several, one after the other, in order.
// InvalidArgument, with the offset, on anything malformed or truncated; never
// reads outside `bytes`. The views live as long as `bytes`.
absl::StatusOr<std::vector<FatbinImage>> ReadFatbin(std::string_view bytes);

// The image itself, without the padding that the container added to text.
// InvalidArgument when the compressed data is damaged, ResourceExhausted when
// it claims to be larger than 1 GiB.
absl::StatusOr<std::string> Decompress(const FatbinImage& image);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_FATBIN_FATBIN_H_
