// The container is not documented by its vendor. What is here was seen in fat
// binaries that CUDA 13.0 writes with -compress-mode none, speed, balance and
// size; all numbers are little-endian.
//
//   header:  0 u32 magic, 4 u16 version, 6 u16 header bytes, 8 u64 bytes after
//            the header
//   entry:   0 u16 kind, 4 u32 header bytes, 8 u64 payload bytes (padded),
//            16 u32 payload bytes (compressed; 0: not), 28 u32 architecture,
//            40 u64 flags, 56 u64 uncompressed bytes
#include "testing/emulator/fatbin/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tiletune::emulator {
namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint64_t kHeaderBytes = 16;
constexpr uint64_t kEntryBytes = 64;  // what every version has
constexpr uint16_t kKindPtx = 1;
constexpr uint16_t kKindElf = 2;
constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kMaxImageBytes = uint64_t{1} << 30;

template <typename T>
T Load(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

absl::Status Malformed(uint64_t offset, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("fat binary, offset ", offset, ": ", what));
}

FatbinImage::Kind KindOf(uint16_t kind) {
  if (kind == kKindPtx) return FatbinImage::Kind::kPtx;
  if (kind == kKindElf) return FatbinImage::Kind::kElf;
  return FatbinImage::Kind::kOther;
}

absl::StatusOr<uint64_t> ContainerBytes(std::string_view bytes,
                                        uint64_t begin) {
  if (bytes.size() - begin < kHeaderBytes) {
    return Malformed(begin, "shorter than a header");
  }
  if (Load<uint32_t>(bytes, begin) != kMagic) {
    return Malformed(begin, "no fat binary begins here");
  }
  const uint16_t version = Load<uint16_t>(bytes, begin + 4);
  if (version != 1) {
    return Malformed(begin, absl::StrCat("version ", version, " is unknown"));
  }
  const uint64_t header = Load<uint16_t>(bytes, begin + 6);
  const uint64_t rest = Load<uint64_t>(bytes, begin + 8);
  if (header < kHeaderBytes) return Malformed(begin, "header is too short");
  if (rest > UINT64_MAX - header) return Malformed(begin, "size is absurd");
  return header + rest;
}

// Reads the entries in [begin, end) of `bytes`.
absl::Status ReadEntries(std::string_view bytes, uint64_t begin, uint64_t end,
                         std::vector<FatbinImage>* images) {
  uint64_t offset = begin;
  while (offset < end) {
    if (end - offset < kEntryBytes) {
      return Malformed(offset, "the container ends within an entry");
    }
    const uint64_t header = Load<uint32_t>(bytes, offset + 4);
    const uint64_t padded = Load<uint64_t>(bytes, offset + 8);
    const uint64_t compressed = Load<uint32_t>(bytes, offset + 16);
    const uint64_t flags = Load<uint64_t>(bytes, offset + 40);
    if (header < kEntryBytes || header > end - offset) {
      return Malformed(offset, absl::StrCat("an entry header of ", header,
                                            " bytes does not fit"));
    }
    if (padded > end - offset - header) {
      return Malformed(offset, absl::StrCat("an image of ", padded,
                                            " bytes reaches past the end"));
    }
    FatbinImage image;
    image.kind = KindOf(Load<uint16_t>(bytes, offset));
    image.architecture = static_cast<int>(Load<uint32_t>(bytes, offset + 28));
    uint64_t stored = padded;
    if ((flags & (kFlagLz4 | kFlagZstd)) != 0) {
      image.compression = (flags & kFlagZstd) != 0
                              ? FatbinImage::Compression::kZstd
                              : FatbinImage::Compression::kLz4;
      image.uncompressed_bytes = Load<uint64_t>(bytes, offset + 56);
      if (compressed > padded) {
        return Malformed(offset, "compressed data reaches past its image");
      }
      stored = compressed;
    }
    image.payload = bytes.substr(offset + header, stored);
    images->push_back(image);
    offset += header + padded;
  }
  return absl::OkStatus();
}

// Before memory is taken: whether the data can become what its entry claims.
absl::Status CheckClaim(const FatbinImage& image) {
  if (image.uncompressed_bytes > kMaxImageBytes ||
      image.payload.size() > kMaxImageBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("an image claims ", image.uncompressed_bytes, " bytes"));
  }
  bool possible = false;
  if (image.compression == FatbinImage::Compression::kZstd) {
    possible =
        ZSTD_getFrameContentSize(image.payload.data(), image.payload.size()) ==
        image.uncompressed_bytes;
  } else {
    // No byte of LZ4 stands for more than 255.
    possible = image.uncompressed_bytes <= 255 * image.payload.size();
  }
  if (possible) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("compressed data in a fat binary cannot become ",
                   image.uncompressed_bytes, " bytes"));
}

// Text is filled up with newlines in front and zero bytes behind.
void TrimPadding(std::string* text) {
  const size_t end = text->find('\0');
  if (end != std::string::npos) text->resize(end);
}

}  // namespace

absl::StatusOr<uint64_t> FatbinBytes(std::string_view bytes) {
  return ContainerBytes(bytes, 0);
}

absl::StatusOr<std::vector<FatbinImage>> ReadFatbin(std::string_view bytes) {
  std::vector<FatbinImage> images;
  uint64_t begin = 0;
  do {
    absl::StatusOr<uint64_t> size = ContainerBytes(bytes, begin);
    if (!size.ok()) return size.status();
    if (*size > bytes.size() - begin) {
      return Malformed(begin, absl::StrCat("a container of ", *size,
                                           " bytes is cut off after ",
                                           bytes.size() - begin));
    }
    const uint64_t header = Load<uint16_t>(bytes, begin + 6);
    absl::Status status =
        ReadEntries(bytes, begin + header, begin + *size, &images);
    if (!status.ok()) return status;
    begin += *size;
  } while (begin < bytes.size());
  return images;
}

absl::StatusOr<std::string> Decompress(const FatbinImage& image) {
  std::string text;
  if (image.compression == FatbinImage::Compression::kNone) {
    text = std::string(image.payload);
  } else {
    absl::Status believable = CheckClaim(image);
    if (!believable.ok()) return believable;
    text.resize(image.uncompressed_bytes);
    uint64_t written = 0;
    if (image.compression == FatbinImage::Compression::kLz4) {
      const int result =
          LZ4_decompress_safe(image.payload.data(), text.data(),
                              static_cast<int>(image.payload.size()),
                              static_cast<int>(text.size()));
      if (result < 0) {
        return absl::InvalidArgumentError("damaged LZ4 data in a fat binary");
      }
      written = static_cast<uint64_t>(result);
    } else {
      written = ZSTD_decompress(text.data(), text.size(), image.payload.data(),
                                image.payload.size());
      if (ZSTD_isError(written)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "damaged zstd data in a fat binary: ", ZSTD_getErrorName(written)));
      }
    }
    if (written != text.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("an image has ", written, " bytes, not ",
                       image.uncompressed_bytes, " as its entry says"));
    }
  }
  if (image.kind == FatbinImage::Kind::kPtx) TrimPadding(&text);
  return text;
}

}  // namespace tiletune::emulator
